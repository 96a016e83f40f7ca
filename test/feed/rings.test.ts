// Runs once: both kinds of databases run the same statements.
// Takes long: it reads streams of cameras with ffmpeg.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { metricsOf, sumOf } from "../monitoring/exposition.js";
import { missingCameraPackages } from "../support/cameras/camera-programs.js";
import { encodedFrames, PacketCamera, sendSteadily } from "../support/cameras/packet-camera.js";
import { RtspServer, type RtspStream } from "../support/cameras/rtsp-server.js";
import { eventually } from "../support/eventually.js";
import { type Gateway, gatewayForTest, run } from "../support/harness.js";
import { TestSite } from "../support/test-site.js";
import { FeedSite } from "./feed-site.js";
import { feedSettings } from "./switched-camera.js";

const personSeen = {
  name: "PPE",
  severity: "HIGH",
  group: { type: "GROUP", operator: "AND", children: [{ type: "PPE", objects: ["person"] }] },
};

/** A site whose gateway goes by the clock of the machine. */
async function siteAt(gateway: Gateway): Promise<FeedSite> {
  const site = new FeedSite();
  await site.open(gateway);
  return site;
}

const ringsOf = async (gateway: Gateway) => sumOf(await metricsOf(gateway), "gateway_feed_rings");
const untilRings = (gateway: Gateway, wanted: number) =>
  eventually(
    () => ringsOf(gateway),
    (count) => count === wanted,
  );

const feedOf = (site: FeedSite, cameraId: string) =>
  site.gateway.prisma.cameraFeed.findFirstOrThrow({ where: { workspaceId: site.workspaceId, cameraId } });

/** Waits until a ring has frames of some seconds. */
const untilKept = (site: FeedSite, cameraId: string, seconds = 0) =>
  eventually(
    () => feedOf(site, cameraId),
    ({ ringFrom, ringUntil }) =>
      ringFrom !== null && ringUntil !== null && ringFrom.getTime() <= Date.now() - seconds * 1000,
  );

/** Records an alert without a picture, and returns when the picture was taken that it gets. */
async function takenFor(site: FeedSite, cameraId: string, createdAt: Date): Promise<Date> {
  const id = randomUUID();
  await run(site.gateway, site, [
    "mutation ($input: [RecordAlertInput!]!) { recordAlerts(input: $input) { recorded } }",
    { input: [{ id, cameraId, name: "PPE", createdAt }] },
  ]);
  const { pictureAt } = await eventually(
    () => site.gateway.prisma.alert.findFirstOrThrow({ where: { workspaceId: site.workspaceId, id } }),
    (alert) => alert.pictureAt !== null,
  );
  return pictureAt as Date;
}

const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1000);

/** A live view, read frame by frame. */
async function watch(site: FeedSite, cameraId: string) {
  // On a busy machine, ffmpeg may show nothing in time.
  const view = await eventually(
    () => site.openLive(cameraId),
    ({ status }) => status === 200,
  );
  const reader = view.body?.getReader();
  return { nextFrame: () => reader?.read(), leave: () => reader?.cancel() };
}

describe.skipIf(missingCameraPackages.length > 0)(
  "the last seconds of a camera",
  { timeout: 180_000 },
  () => {
    let camera: RtspServer;
    beforeEach(async () => {
      camera = await RtspServer.start();
      onTestFinished(() => camera.stop());
    });

    it("are kept while the gateway evaluates an active rule of it", async () => {
      const gateway = await gatewayForTest({ environment: feedSettings });
      const site = await siteAt(gateway);
      const id = await site.added(camera.url("h264"));
      const { createAlertRule } = await run<{ createAlertRule: { id: string } }>(gateway, site, [
        "mutation ($id: UUID!, $input: CreateAlertRuleInput!) { createAlertRule(cameraId: $id, input: $input) { id } }",
        { id, input: { ...personSeen, evaluated: true } },
      ]);
      await untilRings(gateway, 1);
      expect(await untilKept(site, id)).toMatchObject({ ringHolder: expect.any(String), ringCodec: "h264" });
      await run(gateway, site, [
        "mutation ($id: UUID!) { deleteAlertRule(id: $id) { id } }",
        { id: createAlertRule.id },
      ]);
      await untilRings(gateway, 0);
      await eventually(
        () => feedOf(site, id),
        ({ ringHolder, ringUntil, ringFrom }) =>
          ringHolder === null && ringUntil === null && ringFrom === null,
      );
    });

    it("serve refreshes, probes, alerts and live views of a camera that allows one session", async () => {
      const gateway = await gatewayForTest({ environment: feedSettings });
      const site = await siteAt(gateway);
      const id = await site.added(camera.url("h264", "single"));
      const view = await watch(site, id);
      await view.nextFrame();
      // The view goes on from the ring.
      await site.update(id, { keepClips: true });
      await untilKept(site, id, 15);
      await view.nextFrame();
      const openings = camera.openings("h264");
      const { pictureAt } = await site.camera(id);
      await site.probe(id);
      await eventually(
        () => site.camera(id),
        (seen) =>
          seen.streamRequests.nodes[0]?.metadata?.codec_name === "h264" && seen.pictureAt !== pictureAt,
      );
      const other = await watch(site, id);
      for (const each of [view, other]) {
        await each.nextFrame();
        await each.leave();
      }
      // The live view's last frame is later.
      for (const seconds of [4, 13]) {
        const createdAt = secondsAgo(seconds);
        const taken = await takenFor(site, id, createdAt);
        expect(Math.abs(taken.getTime() - createdAt.getTime())).toBeLessThan(2_000);
      }
      expect(camera.openings("h264")).toBe(openings);
      expect(await site.camera(id)).toMatchObject({ feedError: null, statusHistory: { nodes: [] } });
      await site.update(id, { keepClips: false });
      await untilRings(gateway, 0);
    });

    it("are shown by a live view that still waits for its first frame when they begin", async () => {
      const gateway = await gatewayForTest({ environment: feedSettings });
      const site = await siteAt(gateway);
      const play = sendSteadily(await encodedFrames("H264"));
      let silent = 0;
      const halting = await PacketCamera.forTest("H264", async (send) => {
        if (halting.openings === silent) await once(new EventTarget(), "never");
        await play(send);
      });
      const id = await site.added(halting.url);
      silent = halting.openings + 1;
      const opening = site.openLive(id);
      await eventually(
        async () => halting.openings,
        (count) => count === silent,
      );
      await site.update(id, { keepClips: true });
      const view = await opening;
      expect(view.status).toBe(200);
      const frames = view.body?.getReader();
      expect(await frames?.read()).toMatchObject({ done: false });
      await frames?.cancel();
    });

    it("are those of FEED_RINGS cameras, of which one is given up for a workspace that has none, and for no other", async () => {
      const gateway = await gatewayForTest({ environment: { ...feedSettings, FEED_RINGS: "2" } });
      const [large, small, late] = [await siteAt(gateway), await siteAt(gateway), await siteAt(gateway)];
      const rings = async () => {
        const feeds = await gateway.prisma.cameraFeed.findMany({ where: { ringFrom: { not: null } } });
        return feeds.map(({ workspaceId, cameraId }) => ({ workspaceId, cameraId }));
      };
      const untilOf = (...sites: FeedSite[]) =>
        eventually(rings, (kept) => {
          const workspaces = kept.map(({ workspaceId }) => workspaceId).sort();
          return JSON.stringify(workspaces) === JSON.stringify(sites.map((each) => each.workspaceId).sort());
        });
      const add = (site: FeedSite, stream: RtspStream) => site.added(camera.url(stream), { keepClips: true });
      for (const _ of [1, 2, 3]) await add(large, "h264");
      await untilOf(large, large);
      const given = await add(small, "h265");
      const kept = await untilOf(large, small);
      const openings = () => [camera.openings("h264"), camera.openings("h265")];
      const before = openings();
      await add(late, "rare-keyframes");
      // Whoever renews leases also looks for other cameras.
      for (const _ of [1, 2]) {
        const { ringUntil } = await feedOf(small, given);
        await eventually(
          () => feedOf(small, given),
          (feed) => Number(feed.ringUntil) > Number(ringUntil),
        );
      }
      expect([await rings(), openings()]).toEqual([kept, before]);
      await small.update(given, { keepClips: false });
      await untilOf(large, late);
      expect(openings()).toEqual(before);
    });

    it("end with the camera's stream, of which the error is told before the next picture is due", async () => {
      const gateway = await gatewayForTest({ environment: feedSettings });
      const site = await siteAt(gateway);
      const id = await site.added(camera.url("h264"), { keepClips: true });
      await untilKept(site, id);
      await camera.stop();
      await eventually(
        () => site.camera(id),
        ({ feedError }) => feedError?.code === "REFUSED",
      );
      expect(await ringsOf(gateway)).toBe(0);
    });

    it("are not kept with FEED_RING=0", async () => {
      const gateway = await gatewayForTest({
        environment: { ...feedSettings, FEED_RING: "0", CAMERA_REFRESH: "1" },
      });
      const site = await siteAt(gateway);
      const id = await site.added(camera.url("h264"), { keepClips: true });
      const { pictureAt } = await site.camera(id);
      await eventually(
        () => site.camera(id),
        (seen) => seen.pictureAt !== pictureAt,
      );
      expect(await feedOf(site, id)).toMatchObject({ ringHolder: null, ringUntil: null });
      expect(await (await gateway.fetch("/readyz")).json()).toMatchObject({ feed: { ringSeconds: 0 } });
    });

    it("are one instance's, from which others get pictures of alerts, until it is killed and another takes over", async (context) => {
      const testSite = await TestSite.forTest();
      if (!testSite.variables.DATABASE_URL) return context.skip();
      const start = async (environment: Record<string, string>) => {
        const gateway = await testSite.start({ environment: { ...feedSettings, ...environment } });
        onTestFinished(() => gateway.close());
        return gateway;
      };
      const site = await siteAt(await start({ FEED_RING: "0", CAMERA_REFRESH: "1" }));
      const id = await site.added(camera.url("h264"), { keepClips: true });
      const { process: first } = await testSite.startProcess(feedSettings);
      const { ringHolder } = await untilKept(site, id, 6);
      const openings = camera.openings("h264");
      const createdAt = secondsAgo(4);
      const taken = await takenFor(site, id, createdAt);
      expect(Math.abs(taken.getTime() - createdAt.getTime())).toBeLessThan(2_000);
      const view = await site.openLive(id);
      expect([view.status, view.headers.get("retry-after")]).toEqual([503, "10"]);
      expect(camera.openings("h264")).toBe(openings);

      const second = await start({});
      await first.kill();
      await untilRings(second, 1);
      const kept = await untilKept(site, id);
      expect(kept.ringHolder).not.toBe(ringHolder);
    });
  },
);
