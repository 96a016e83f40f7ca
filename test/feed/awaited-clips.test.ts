// Runs once: both kinds of databases run the same statements.
import { randomUUID } from "node:crypto";
import { WebhookReceiver } from "../delivery/webhook-receiver.js";
import { createAlertRule, createCamera } from "../support/factories.js";
import { gatewayForTest, run } from "../support/harness.js";
import { FeedSite } from "./feed-site.js";
import { feedSettings, hasFfmpeg } from "./switched-camera.js";

describe.runIf(hasFfmpeg)("a clip that another instance is asked for", () => {
  it("is awaited for alerts in its camera's ring alone, and fails, which the webhook hears, if that instance is gone", async () => {
    const receiver = await WebhookReceiver.forTest();
    const environment = { ...feedSettings, WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8" };
    const site = new FeedSite();
    await site.open(await gatewayForTest({ now: site.now, environment }));
    const { gateway, workspaceId, facilityId } = site;
    const { prisma } = gateway;
    const now = site.time;
    const at = (seconds: number) => new Date(now + seconds * 1000);
    const cameraWith = async (ring: object) => {
      const cameraId = await createCamera(prisma, { workspaceId, facilityId });
      await prisma.cameraFeed.create({
        data: {
          ...{ workspaceId, cameraId, streamRequestId: randomUUID(), ringHolder: randomUUID() },
          ...{ ringUntil: at(20), ringFrom: at(-20), ringCodec: "h264", ...ring },
        },
      });
      return cameraId;
    };
    const cameraId = await cameraWith({});
    const alertRuleId = await createAlertRule(prisma, {
      ...{ workspaceId, cameraId, notificationUrl: receiver.url("/"), notificationEnabled: true },
    });
    const alert = (seconds: number, camera = cameraId, rule: string | null = null) => ({
      ...{
        id: randomUUID(),
        cameraId: camera,
        alertRuleId: rule,
        name: "PPE",
        createdAt: at(seconds),
        url: "https://pictures.example/1.jpg",
      },
    });
    const input = [
      alert(-5, cameraId, alertRuleId),
      alert(9),
      alert(-21),
      alert(11),
      alert(0, await cameraWith({ ringCodec: "mpeg4" })),
      alert(0, await cameraWith({ ringUntil: at(-1) })),
      alert(0, await cameraWith({ ringFrom: null })),
      alert(0, await createCamera(prisma, { workspaceId, facilityId })),
    ];
    const record = (alerts: object[]) =>
      run<{ recordAlerts: { alerts: { clip: { state: string } | null }[] } }>(gateway, site, [
        "mutation ($input: [RecordAlertInput!]!) { recordAlerts(input: $input) { alerts { clip { state } } } }",
        { input: alerts },
      ]).then(({ recordAlerts }) => recordAlerts.alerts.map(({ clip }) => clip?.state ?? null));
    expect(await record(input)).toEqual(["PENDING", "PENDING", null, null, null, null, null, null]);
    await site.advance(29);
    expect(await record(input.slice(0, 2))).toEqual(["PENDING", "PENDING"]);
    await site.advance(2);
    expect(await record(input.slice(0, 2))).toEqual(["FAILED", "FAILED"]);
    await receiver.received(2, "/");
    expect(receiver.posts.map(({ body }) => body)).toMatchObject([
      { type: "alert.raised", data: { id: input[0]?.id } },
      { type: "alert.clip", data: { alertId: input[0]?.id, clipUrl: null } },
    ]);
  });
});
