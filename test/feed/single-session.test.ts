// Runs once: both kinds of databases run the same statements.
// Takes long: it reads streams of cameras with ffmpeg.
import { feedErrorSentences } from "../../src/features/camera-feed/feed-error.js";
import { metricsOf, sumOf } from "../monitoring/exposition.js";
import { missingCameraPackages } from "../support/cameras/camera-programs.js";
import { RtspServer } from "../support/cameras/rtsp-server.js";
import { FeedSite } from "./feed-site.js";

it.skipIf(missingCameraPackages.length > 0)(
  "a camera that allows one session is not lost while its live view takes that, and is read on later",
  async () => {
    const camera = await RtspServer.start();
    onTestFinished(() => camera.stop());
    const site = await FeedSite.forTest({ live: { lingerMs: 0 } });
    const refused = async () =>
      sumOf(await metricsOf(site.gateway), "gateway_feed_pictures_total", { outcome: "CAMERA_ERROR" });
    // The metadata and the picture are read one after the other.
    const id = await site.added(camera.url("h264", "single"));
    // On a busy machine, ffmpeg, which gives way to all others, may show nothing in time.
    for (let seen = await site.camera(id); seen.pictureAt === null; seen = await site.camera(id)) {
      expect(seen.feedError).toMatchObject({ code: "TIMEOUT" });
      await site.advance(15);
    }
    const { pictureAt } = await site.camera(id);
    expect(await site.camera(id)).toMatchObject({
      imageDimensions: { width: 320, height: 180 },
      pictureAt: expect.any(String),
      feedError: null,
    });

    let view = await site.openLive(id);
    while (view.status === 503) {
      expect(await view.json()).toMatchObject({ message: feedErrorSentences.TIMEOUT });
      view = await site.openLive(id);
    }
    expect(view.status).toBe(200);
    const before = await refused();
    for (const seconds of [300, 60, 60, 60]) await site.advance(seconds);
    expect((await refused()) - before).toBe(4);
    expect(await site.camera(id)).toMatchObject({
      statusDetail: "OPERATIONAL",
      pictureAt,
      feedError: null,
      statusHistory: { nodes: [] },
    });

    await view.body?.cancel();
    await expect
      .poll(async () => {
        await site.advance(60);
        return (await site.camera(id)).pictureAt;
      })
      .not.toBe(pictureAt);
    expect(await site.camera(id)).toMatchObject({ statusDetail: "OPERATIONAL", feedError: null });
  },
  180_000,
);
