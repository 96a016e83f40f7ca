// Runs once: both kinds of databases run the same statements.
// Takes long: it reads streams of cameras with ffmpeg.

import { eventually } from "../support/eventually.js";
import { listOf } from "../support/list-of.js";
import { FeedSite } from "./feed-site.js";
import { feedSettings, hasFfmpeg, SwitchedCamera } from "./switched-camera.js";

const places = 4;
const environment = { ...feedSettings, FEED_CONCURRENCY: String(places) };
/** More than there are places. */
const deadCameras = ["dead-1", "dead-2", "dead-3", "dead-4", "dead-5", "dead-6"];

describe.runIf(hasFfmpeg)("cameras that take their full time to fail", () => {
  let silent: SwitchedCamera;
  let working: SwitchedCamera;
  beforeAll(async () => {
    silent = await SwitchedCamera.start();
    working = await SwitchedCamera.start();
  }, 60_000);
  afterAll(async () => {
    await silent.stop();
    await working.stop();
  });

  it("leave places to cameras that work, and to those that are new", async () => {
    const site = await FeedSite.forTest({ environment });
    const healthy = await site.create(working.url("healthy"));
    silent.mode = 404;
    for (const name of deadCameras) await site.create(silent.url(name));
    await site.gateway.app.idle();
    silent.mode = "silent";
    site.time += 300_000;
    // The others have waited for longer than the camera that works.
    const { prisma } = site.gateway;
    await prisma.cameraFeed.updateMany({ where: { cameraId: healthy }, data: { dueAt: site.now() } });
    const added = await site.create(working.url("new"));
    for (const id of [healthy, added])
      await eventually(
        () => site.camera(id),
        ({ pictureAt }) => pictureAt !== null && Date.parse(pictureAt) > site.time - 100_000,
      );
    silent.mode = 404;
    await site.gateway.app.idle();
    expect(silent.openings("dead-6")).toBe(2);
    expect(silent.mostOpen).toBeLessThan(places);
  }, 300_000);

  it.each([
    ["of one workspace leave half of the places", 1, places / 2],
    ["of two workspaces leave one place", 2, places - 1],
  ])(
    "%s to others, whose cameras need not wait",
    async (_what, count, taken) => {
      const other = await FeedSite.forTest({ environment });
      const { gateway } = other;
      const sites = listOf(count, () => new FeedSite());
      for (const site of sites) await site.open(gateway);
      await other.added(working.url("known"));
      const dead = await SwitchedCamera.start();
      onTestFinished(() => dead.stop());
      dead.mode = "silent";
      for (const site of sites) for (const name of deadCameras) await site.create(dead.url(name));
      await eventually(
        async () => dead.mostOpen,
        (open) => open >= taken,
      );
      const added = await other.create(working.url("of-another"));
      await eventually(
        () => other.camera(added),
        ({ pictureAt }) => pictureAt !== null,
      );
      expect(dead.mostOpen).toBe(taken);
      dead.mode = 404;
      await gateway.app.idle();
    },
    300_000,
  );
});
