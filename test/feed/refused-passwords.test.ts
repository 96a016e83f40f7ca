// Runs once: both kinds of databases run the same statements.
// Takes long: it reads streams of cameras with ffmpeg.
import { FeedSite } from "./feed-site.js";
import { hasFfmpeg, SwitchedCamera } from "./switched-camera.js";

describe.runIf(hasFfmpeg)("a camera", () => {
  let camera: SwitchedCamera;
  beforeAll(async () => {
    camera = await SwitchedCamera.start();
  }, 60_000);
  afterAll(() => camera.stop());

  it("that refuses the password is left alone for half an hour after the third time, also by another gateway, until it is probed", async () => {
    const { site, start } = await FeedSite.restartable();
    const id = await site.added(camera.url("locked"));
    camera.mode = 401;
    const before = camera.opened.length;
    const tries = () => camera.opened.length - before;
    for (const seconds of [300, 15, 30]) await site.advance(seconds);
    expect(tries()).toBe(3);
    expect(await site.camera(id)).toMatchObject({ statusDetail: "OPERATIONAL" });
    await site.advance(60);
    expect(await site.camera(id)).toMatchObject({
      statusDetail: "STREAM_ERROR",
      feedError: { code: "UNAUTHORIZED" },
    });
    await site.gateway.close();
    await start();
    await site.advance(1_700);
    expect(tries()).toBe(3);
    await site.advance(60);
    expect(tries()).toBe(4);
    await site.probe(id);
    await site.gateway.app.idle();
    await site.advance(15);
    expect(tries()).toBe(6);
  }, 180_000);

  it("that refuses it is left alone as well after the third live view in a row, and lost although no picture was tried", async () => {
    const site = await FeedSite.forTest();
    camera.mode = "working";
    const id = await site.added(camera.url("viewed"));
    camera.mode = 401;
    const before = camera.openings("viewed");
    const tries = () => camera.openings("viewed") - before;
    for (let view = 1; view <= 5; view += 1) expect((await site.openLive(id)).status).toBe(503);
    expect(tries()).toBe(3);
    for (const seconds of [0, 60, 300, 300]) await site.advance(seconds);
    expect(tries()).toBe(3);
    expect(await site.camera(id)).toMatchObject({
      statusDetail: "STREAM_ERROR",
      feedError: { code: "UNAUTHORIZED" },
    });
    await site.advance(1_200);
    expect(tries()).toBe(4);
  }, 180_000);

  it("is opened again by the next gateway after the clock was ahead, and its picture of the future is old until then", async () => {
    const { site, start } = await FeedSite.restartable();
    camera.mode = "working";
    const time = site.time;
    site.time += 86_400_000;
    const id = await site.added(camera.url("ahead"));
    expect(camera.openings("ahead")).toBe(2);
    await site.gateway.close();
    site.time = time;
    await start({ CAMERA_FEED: "off" });
    await site.gateway.prisma.facility.update({
      where: { workspaceId_id: { workspaceId: site.workspaceId, id: site.facilityId } },
      data: { lastHeartbeatAt: site.now() },
    });
    const state = async () => {
      const { camera: seen } = await site.gateway.data<{ camera: { state: string } }>(
        "query ($id: UUID!) { camera(id: $id) { state } }",
        { as: site.as, variables: { id } },
      );
      return seen.state;
    };
    expect(await state()).toBe("PICTURE_OLD");
    await site.gateway.close();
    await start();
    await site.wake();
    await site.gateway.app.idle();
    expect(camera.openings("ahead")).toBe(3);
    expect(await state()).toBe("WORKING");
  }, 180_000);
});
