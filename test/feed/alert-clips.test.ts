// Runs once: both kinds of databases run the same statements.
// Takes long: it keeps the streams of cameras with ffmpeg.
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { defined } from "../../src/platform/defined.js";
import { WebhookReceiver } from "../delivery/webhook-receiver.js";
import { ffmpegPath, missingCameraPackages } from "../support/cameras/camera-programs.js";
import { RtspServer } from "../support/cameras/rtsp-server.js";
import { eventually } from "../support/eventually.js";
import { createAlertRule } from "../support/factories.js";
import { type Gateway, run } from "../support/harness.js";
import { filesBelow } from "../support/object-store.js";
import { directoryForTest } from "../support/temporary-directory.js";
import { TestSite } from "../support/test-site.js";
import { FeedSite } from "./feed-site.js";
import { feedSettings } from "./switched-camera.js";

const environment = { ...feedSettings, WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8" };

interface SeenClip {
  state: string;
  url: string | null;
  contentType: string | null;
  duration: number | null;
  width: number | null;
  height: number | null;
  startsAt: string | null;
  size: number | null;
}

/** A gateway on the machine's clock, with a camera whose last seconds an instance keeps. */
async function openSite(url: string, start: (testSite: TestSite) => Promise<Gateway>) {
  const testSite = await TestSite.forTest();
  const site = new FeedSite();
  const gateway = await start(testSite);
  await site.open(gateway);
  const cameraId = await site.added(url, { keepClips: true });
  const untilKept = () =>
    eventually(
      () => gateway.prisma.cameraFeed.findFirstOrThrow({ where: { cameraId } }),
      ({ ringFrom }) => ringFrom !== null && Number(ringFrom) < Date.now() - 12_000,
    );
  const record = async (alertRuleId: string | null = null) => {
    const id = randomUUID();
    const createdAt = new Date(Date.now() - 1_000);
    await run(site.gateway, site, [
      "mutation ($input: [RecordAlertInput!]!) { recordAlerts(input: $input) { recorded } }",
      {
        input: [{ id, cameraId, alertRuleId, createdAt, name: "PPE", url: "https://pictures.example/1.jpg" }],
      },
    ]);
    return { id, createdAt };
  };
  const clipOf = async (id: string) => {
    const { alert } = await site.gateway.data<{ alert: { clip: SeenClip | null } | null }>(
      "query ($id: UUID!) { alert(id: $id) { clip { state url contentType duration width height startsAt size } } }",
      { as: site.as, variables: { id } },
    );
    return alert?.clip ?? null;
  };
  const settled = (id: string) =>
    eventually(
      () => clipOf(id),
      (clip) => clip !== null && clip.state !== "PENDING",
    );
  const stored = async () =>
    (await filesBelow(path.join(testSite.directory, "objects"))).filter((file) => file.endsWith(".mp4"));
  return { testSite, site, gateway, cameraId, untilKept, record, clipOf, settled, stored };
}

const ownGateway = async (testSite: TestSite, others: Record<string, string> = {}) => {
  const gateway = await testSite.start({ environment: { ...environment, ...others } });
  onTestFinished(() => gateway.close());
  return gateway;
};

describe.skipIf(missingCameraPackages.length > 0)("the clip of an alert", { timeout: 180_000 }, () => {
  let camera: RtspServer;
  beforeAll(async () => {
    camera = await RtspServer.start();
  });
  afterAll(() => camera.stop());

  it("shows what the camera saw from 10 seconds before to 20 seconds after, and goes with its alert, also while it is made", async () => {
    const receiver = await WebhookReceiver.forTest();
    const { gateway, site, cameraId, untilKept, record, clipOf, settled, stored } = await openSite(
      camera.url("h264"),
      ownGateway,
    );
    const { workspaceId } = site;
    const notification = { notificationUrl: receiver.url("/"), notificationEnabled: true };
    const rule = await createAlertRule(gateway.prisma, { workspaceId, cameraId, ...notification });
    await untilKept();
    const { id, createdAt } = await record(rule);
    const deleted = await record();
    expect([await clipOf(id), await clipOf(deleted.id)]).toMatchObject([
      { state: "PENDING", url: null },
      { state: "PENDING" },
    ]);
    await run(gateway, site, [
      "mutation ($ids: [UUID!]!) { deleteAlerts(ids: $ids) { deletedIds } }",
      { ids: [deleted.id] },
    ]);
    const clip = await settled(id);
    expect(clip).toMatchObject({ state: "READY", contentType: "video/mp4", width: 320, height: 180 });
    const before = (Number(createdAt) - Date.parse(clip?.startsAt ?? "")) / 1000;
    expect(before).toBeGreaterThanOrEqual(9.5);
    expect(before).toBeLessThan(15);
    expect((clip?.duration ?? 0) - before).toBeGreaterThan(18);
    await receiver.received(2, "/");
    const { type, data } = defined(receiver.posts[1]).body;
    expect({ type, data }).toEqual({
      type: "alert.clip",
      data: { alertId: id, clipUrl: expect.any(String) },
    });
    const content = Buffer.from(await (await gateway.fetch(data.clipUrl)).arrayBuffer());
    expect(content.length).toBe(clip?.size);
    const file = path.join(await directoryForTest(), "clip.mp4");
    await writeFile(file, content);
    const probed = await promisify(execFile)(ffmpegPath.replace(/ffmpeg$/, "ffprobe"), [
      ...["-v", "error", "-show_entries", "stream=codec_name:format=duration", "-of", "csv=p=0", file],
    ]);
    expect(probed.stdout.trim().split("\n")).toEqual(["h264", expect.stringMatching(/^\d+\.\d+$/)]);
    await gateway.app.idle();
    expect(await stored()).toHaveLength(1);
    await run(gateway, site, [
      "mutation ($ids: [UUID!]!) { deleteAlerts(ids: $ids) { deletedIds } }",
      { ids: [id] },
    ]);
    await eventually(stored, (files) => files.length === 0);
  });

  it("fails where it cannot be stored", async () => {
    const { testSite, untilKept, record, settled } = await openSite(camera.url("h264"), ownGateway);
    const objects = path.join(testSite.directory, "objects");
    await mkdir(objects, { recursive: true });
    await writeFile(path.join(objects, "clips"), "");
    await untilKept();
    expect(await settled((await record()).id)).toMatchObject({ state: "FAILED", url: null });
  });

  it("is made once by the instance that has the camera, and READY or FAILED after that was killed", async (context) => {
    const { testSite, site, untilKept, record, settled, stored } = await openSite(camera.url("h264"), (its) =>
      ownGateway(its, { FEED_RING: "0" }),
    );
    if (!testSite.variables.DATABASE_URL) return context.skip();
    const { process: first } = await testSite.startProcess(environment);
    await untilKept();
    site.gateway = await ownGateway(testSite);
    expect(await settled((await record()).id)).toMatchObject({ state: "READY" });
    const { id } = await record();
    await first.kill();
    const clip = await settled(id);
    expect(await stored()).toHaveLength(clip?.state === "READY" ? 2 : 1);
  });
});
