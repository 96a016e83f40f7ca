// Runs once: both kinds of databases run the same statements.
// Takes long: it starts ffmpeg for each picture.
import { randomUUID } from "node:crypto";
import sharp from "sharp";
import { defined } from "../../src/platform/defined.js";
import { WebhookReceiver } from "../delivery/webhook-receiver.js";
import { metricsOf, sumOf } from "../monitoring/exposition.js";
import { createAlertRule, createApiKey, createCamera } from "../support/factories.js";
import { run, startGateway } from "../support/harness.js";
import { FeedSite } from "./feed-site.js";
import { feedSettings, hasFfmpeg, SwitchedCamera } from "./switched-camera.js";

const mail = {
  SMTP_URL: "smtp://127.0.0.1:1",
  MAIL_FROM: "gateway@test.example",
  WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8",
};

describe.runIf(hasFfmpeg)("a gateway that opens the streams of cameras itself", () => {
  const site = new FeedSite();
  let camera: SwitchedCamera;
  beforeAll(async () => {
    camera = await SwitchedCamera.start();
    await site.open(await startGateway({ now: site.now, environment: { ...feedSettings, ...mail } }));
  }, 60_000);
  afterEach(async () => {
    camera.mode = "working";
    // What one test leaves behind is not due in the next.
    await site.gateway.prisma.cameraFeed.deleteMany();
  });
  afterAll(async () => {
    await site.gateway.close();
    await camera.stop();
  });

  const pictureOf = async (link: string | null) =>
    Buffer.from(await (await site.gateway.fetch(link as string)).arrayBuffer());
  const deliveriesOf = async (cameraId: string) =>
    (await site.gateway.prisma.delivery.findMany({ where: { cameraId }, orderBy: { queuedAt: "asc" } })).map(
      ({ kind, target }) => `${kind} ${target}`,
    );

  it("shows a camera's picture, its size and its metadata once it is created", async () => {
    const id = await site.added(camera.url("created"));
    const { streamRequests, ...seen } = await site.camera(id);
    expect(seen).toMatchObject({
      statusDetail: "OPERATIONAL",
      imageDimensions: { width: 320, height: 180 },
      feedError: null,
      statusHistory: { nodes: [] },
    });
    expect(Math.abs(Date.parse(seen.pictureAt as string) - site.time)).toBeLessThan(60_000);
    expect(streamRequests.nodes).toEqual([
      {
        errorCode: null,
        errorOperation: null,
        errorMessage: null,
        metadata: expect.objectContaining({ width: "320", height: "180", codec_name: "h264" }),
      },
    ]);
    expect(await sharp(await pictureOf(seen.imageLink)).metadata()).toMatchObject({
      format: "jpeg",
      width: 320,
      height: 180,
    });
    expect(await sharp(await pictureOf(seen.thumbnailUrl)).metadata()).toMatchObject({ format: "webp" });
    expect(camera.openings("created")).toBe(2);
  });

  it("takes a picture for each alert of the moment without one, and its messages wait for that", async () => {
    const receiver = await WebhookReceiver.forTest();
    const id = await site.added(camera.url("alerted"));
    const { gateway, workspaceId } = site;
    const alertRuleId = await createAlertRule(gateway.prisma, {
      workspaceId,
      cameraId: id,
      notificationUrl: receiver.url("/"),
      notificationEnabled: true,
    });
    const input = (secondsAgo: number, others: object = {}) => ({
      id: randomUUID(),
      cameraId: id,
      alertRuleId,
      name: "PPE",
      createdAt: new Date(site.time - secondsAgo * 1000).toISOString(),
      ...others,
    });
    const record = (...alerts: object[]) =>
      run<{ recordAlerts: { recorded: number; alerts: { url: string | null; pictureAt: string | null }[] } }>(
        gateway,
        site,
        [
          "mutation ($input: [RecordAlertInput!]!) { recordAlerts(input: $input) { recorded alerts { url pictureAt } } }",
          { input: alerts },
        ],
      );
    const url = "https://pictures.example/1.jpg";
    const given = [input(9), input(0), input(11), input(0, { url })];
    expect(await record(...given)).toMatchObject({ recordAlerts: { recorded: 4 } });
    await gateway.app.idle();
    await site.advance(1);
    const { recorded, alerts } = (await record(...given)).recordAlerts;
    expect(recorded).toBe(0);
    expect(camera.openings("alerted")).toBe(3);
    const [early, late, old, sent] = alerts;
    expect(await sharp(await pictureOf(defined(late).url)).metadata()).toMatchObject({ width: 320 });
    expect(Math.abs(Date.parse(defined(late).pictureAt ?? "") - site.time)).toBeLessThan(60_000);
    expect(defined(early).url).toContain(new URL(defined(late).url ?? "").pathname);
    expect([old, sent]).toMatchObject([{ url: null }, { url, pictureAt: null }]);
    const urlOf = async ({ id }: { id: string }) => {
      await receiver.received(4, "/");
      return defined(receiver.posts.find(({ body }) => body.data.id === id)).body.data.url;
    };
    for (const alert of given.slice(0, 2)) expect(await urlOf(alert)).toContain("/files/");

    camera.mode = 404;
    const lost = input(0);
    await record(lost);
    await gateway.app.idle();
    await site.advance(9);
    expect(receiver.posts).toHaveLength(4);
    await site.advance(2);
    await receiver.received(5, "/");
    expect(await urlOf(lost)).toBeNull();
  });

  it("takes a new picture every five minutes, which is no change of the camera", async () => {
    const id = await site.added(camera.url("refreshed"));
    const before = await site.camera(id);
    const actions = await site.actions(id);
    const cameraId = await site.added(camera.url("refreshed-as-well"));
    // They were added together, and do not stay together.
    const due = await site.gateway.prisma.cameraFeed.findMany();
    expect(new Set(due.map(({ dueAt }) => dueAt?.getTime())).size).toBe(2);
    await site.gateway.prisma.cameraFeed.deleteMany({ where: { cameraId } });
    await site.advance(200);
    expect(camera.openings("refreshed")).toBe(2);
    await site.advance(100);
    const after = await site.camera(id);
    expect(Date.parse(after.pictureAt as string) - Date.parse(before.pictureAt as string)).toBeGreaterThan(
      250_000,
    );
    expect(after.imageLink).not.toBe(before.imageLink);
    expect(after).toMatchObject({ updatedAt: before.updatedAt, statusHistory: { nodes: [] } });
    expect(await site.actions(id)).toEqual(actions);
    expect(camera.openings("refreshed")).toBe(3);
    // Whoever has a link to the picture before may open it until it expires.
    expect((await site.gateway.fetch(before.imageLink as string)).status).toBe(200);
    const { imageLink, thumbnail } = await site.gateway.prisma.camera.findFirstOrThrow({ where: { id } });
    await site.advance(2 * 3600);
    const removals = await site.gateway.prisma.objectRemoval.findMany();
    expect(removals.map(({ key }) => key).sort()).toEqual([imageLink, thumbnail].sort());
  });

  it("says at once why a stream cannot be opened, and tries again", async () => {
    camera.mode = 404;
    const id = await site.added(camera.url("missing"));
    const since = site.now().toISOString();
    const error = { code: "NOT_FOUND", message: expect.stringContaining("no stream at the path"), since };
    const seen = await site.camera(id);
    expect(seen).toMatchObject({ statusDetail: "OPERATIONAL", imageLink: null, feedError: error });
    expect(seen.streamRequests.nodes).toEqual([
      { errorCode: "NOT_FOUND", errorOperation: "probe", errorMessage: error.message, metadata: null },
    ]);
    camera.mode = 401;
    await site.advance(7);
    expect(camera.openings("missing")).toBe(1);
    await site.advance(5);
    expect((await site.camera(id)).feedError).toMatchObject({ code: "UNAUTHORIZED", since });
    camera.mode = "working";
    await site.advance(24);
    expect(await site.camera(id)).toMatchObject({
      feedError: null,
      imageDimensions: { width: 320, height: 180 },
    });
  });

  it("tells once that a camera is lost, and once that it is found", async () => {
    const id = await site.added(camera.url("lost"));
    await site.update(id, { emailAddresses: ["guard@test.example"] });
    camera.mode = 404;
    await site.advance(300);
    expect((await site.camera(id)).feedError).toMatchObject({ code: "NOT_FOUND" });
    const details: string[] = [];
    for (const seconds of [12, 24, 48, 96]) {
      await site.advance(seconds);
      details.push((await site.camera(id)).statusDetail);
    }
    expect(details).toEqual(["OPERATIONAL", "OPERATIONAL", "STREAM_ERROR", "STREAM_ERROR"]);
    expect(await deliveriesOf(id)).toEqual(["CAMERA_LOST guard@test.example"]);
    camera.mode = "working";
    await site.advance(192);
    await site.advance(300);
    const { statusDetail, statusHistory } = await site.camera(id);
    expect(statusDetail).toBe("OPERATIONAL");
    expect(statusHistory.nodes).toEqual([
      { statusDetail: "OPERATIONAL", source: "FEED" },
      { statusDetail: "STREAM_ERROR", source: "FEED" },
    ]);
    expect(await deliveriesOf(id)).toEqual([
      "CAMERA_LOST guard@test.example",
      "CAMERA_RECOVERED guard@test.example",
    ]);
  });

  it.each(["LENS_DIRTY", "STREAM_ERROR"])(
    "leaves a status detail that somebody else set: %s",
    async (detail) => {
      const name = detail.toLowerCase();
      const id = await site.added(camera.url(name));
      await site.setDetail(id, detail);
      camera.mode = 404;
      for (const seconds of [300, 12, 24, 48]) await site.advance(seconds);
      expect(await site.camera(id)).toMatchObject({ statusDetail: detail, feedError: { code: "NOT_FOUND" } });
      camera.mode = "working";
      await site.advance(96);
      expect(await site.camera(id)).toMatchObject({
        statusDetail: detail,
        feedError: null,
        statusHistory: { nodes: [{ statusDetail: detail, source: "DASHBOARD" }] },
      });
    },
  );

  it("opens only what it may: not by way of proxies, and no camera from before until it is probed", async () => {
    const proxied = await site.added(camera.url("proxied"), { streamType: "PROXY" });
    const values = { workspaceId: site.workspaceId, facilityId: site.facilityId, url: camera.url("earlier") };
    const earlier = await createCamera(site.gateway.prisma, { ...values, streamType: null });
    await site.update(earlier, { name: "Gate of old" });
    await site.advance(600);
    expect(camera.openings("proxied") + camera.openings("earlier")).toBe(0);
    await site.probe(earlier);
    await site.gateway.app.idle();
    expect(await site.camera(earlier)).toMatchObject({ imageDimensions: { width: 320, height: 180 } });
    // It is no longer opened once its stream leads elsewhere.
    await site.update(earlier, { streamType: "PROXY" });
    await site.advance(300);
    await site.probe(proxied);
    await site.gateway.app.idle();
    expect([camera.openings("earlier"), camera.openings("proxied")]).toEqual([2, 0]);
    await site.update(proxied, { streamType: "VPN" });
    await site.gateway.app.idle();
    expect(camera.openings("proxied")).toBe(2);
  });

  it("forgets what comes of an earlier URL", async () => {
    camera.mode = "silent";
    const id = await site.create(camera.url("before"));
    await camera.untilOpened("before");
    camera.mode = "working";
    await site.update(id, { url: camera.url("after") });
    await site.gateway.app.idle();
    const { feedError, imageDimensions, streamRequests } = await site.camera(id);
    expect({ feedError, imageDimensions }).toEqual({
      feedError: null,
      imageDimensions: { width: 320, height: 180 },
    });
    expect(streamRequests.nodes.map(({ metadata, errorCode }) => [metadata !== null, errorCode])).toEqual([
      [true, null],
      [false, null],
    ]);
  });

  it("forgets what comes of a camera that is deleted meanwhile", async () => {
    const id = await site.added(camera.url("deleted"));
    camera.mode = "silent";
    site.time += 300_000;
    await site.wake();
    await camera.untilOpened("deleted", 3);
    const read = async () => sumOf(await metricsOf(site.gateway), "gateway_feed_pictures_total");
    const before = await read();
    await site.delete(id);
    camera.mode = "working";
    await site.gateway.app.idle();
    expect(await site.gateway.prisma.camera.count({ where: { id, keptUntil: null } })).toBe(0);
    expect(await site.gateway.prisma.cameraFeed.count({ where: { cameraId: id } })).toBe(0);
    expect(await read()).toBe(before);
  });

  it("counts pictures by outcome, and says how long the first camera has waited", async () => {
    const growthOf = async (outcome: string, act: () => Promise<unknown>) => {
      const read = async () =>
        sumOf(await metricsOf(site.gateway), "gateway_feed_pictures_total", { outcome });
      const before = await read();
      await act();
      return (await read()) - before;
    };
    const name = randomUUID();
    expect(await growthOf("TAKEN", () => site.added(camera.url(name)))).toBe(1);
    camera.mode = 401;
    expect(await growthOf("UNAUTHORIZED", () => site.added(camera.url(`${name}-refused`)))).toBe(1);
    site.time += 400_000;
    expect(sumOf(await metricsOf(site.gateway), "gateway_feed_oldest_due_seconds")).toBeGreaterThan(60);
  });

  it("keeps the password of a URL to itself", async () => {
    camera.mode = 401;
    const id = await site.added(camera.url("secret"));
    camera.mode = "working";
    await site.advance(12);
    await site.setDetail(id, "OPERATIONAL");
    const { prisma } = site.gateway;
    const viewer = await createApiKey(prisma, {
      workspaceId: site.workspaceId,
      permissions: ["cameras:read"],
    });
    const query = `query ($id: UUID!) { camera(id: $id) { url feedError { message } statusHistory { nodes { statusDetail } }
      streamRequests { nodes { errorOperation errorMessage metadata } } } }`;
    const answer = await site.gateway.graphql<object>(query, { as: viewer, variables: { id } });
    expect(answer.errors).toBeUndefined();
    const where = { workspaceId: site.workspaceId };
    const rows = await Promise.all([
      prisma.auditEntry.findMany({ where }),
      prisma.cameraFeed.findMany({ where }),
      prisma.objectRemoval.findMany({ where }),
      prisma.delivery.findMany({ where }),
      prisma.camera.findMany({ where, omit: { url: true } }),
      prisma.streamRequest.findMany({ where, omit: { url: true } }),
    ]);
    const metrics = await (await site.gateway.fetch("/metrics")).text();
    // The log is scanned after each test.
    expect(JSON.stringify([answer.data, rows, metrics])).not.toMatch(/hidden-word/);
  });

  it("says that it does in /readyz", async () => {
    expect(await (await site.gateway.fetch("/readyz")).json()).toMatchObject({ feed: { mode: "builtin" } });
  });
});

it.runIf(hasFfmpeg)(
  "a camera in a network that is not allowed is not connected to, and nobody is told that it is lost",
  async () => {
    const camera = await SwitchedCamera.start();
    const { CAMERA_ALLOWED_NETWORKS: _networks, ...settings } = feedSettings;
    const site = await FeedSite.forTest({ environment: { ...settings, ...mail } });
    const id = await site.added(camera.url("inward"));
    await site.update(id, { emailAddresses: ["guard@test.example"] });
    for (const seconds of [12, 24, 48, 96]) await site.advance(seconds);
    expect(await site.camera(id)).toMatchObject({
      statusDetail: "OPERATIONAL",
      feedError: { code: "ADDRESS_NOT_ALLOWED" },
      statusHistory: { nodes: [] },
    });
    expect(await site.gateway.prisma.delivery.count()).toBe(0);
    expect(camera.opened).toEqual([]);
    await camera.stop();
  },
);

it.runIf(hasFfmpeg)("with CAMERA_REFRESH=0 only the first picture is taken", async () => {
  const camera = await SwitchedCamera.start();
  const site = await FeedSite.forTest({ environment: { ...feedSettings, CAMERA_REFRESH: "0" } });
  await site.added(camera.url("once"));
  await site.advance(7 * 24 * 3600);
  expect(camera.openings("once")).toBe(2);
  await camera.stop();
});
