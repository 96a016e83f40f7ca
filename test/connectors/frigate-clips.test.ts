// Runs once: no database can influence what is tested here.
// Takes long: it starts connectors.
import { readFile } from "node:fs/promises";
import { hasFfmpeg } from "../feed/switched-camera.js";
import { encoders, fragmented, makeClip } from "../media/sample-clips.js";
import { eventually } from "../support/eventually.js";
import { sharedGateway } from "../support/harness.js";
import { directoryForTest } from "../support/temporary-directory.js";
import { FrigateSite } from "./frigate-site.js";

const clips = { frigate: { clips: true } };
const now = () => Date.now() / 1000;
/** Reviews that ended a while ago, so that Frigate has stored their recordings. */
const ended = { start_time: now() - 100, end_time: now() - 90 };

describe.skipIf(!hasFfmpeg)("the clip of a review", () => {
  let site: FrigateSite;
  let frigate: FrigateSite["frigate"];
  let film: Buffer;
  beforeEach(async () => {
    site = await FrigateSite.forTest(await sharedGateway());
    ({ frigate } = site);
    film = await readFile(await makeClip(await directoryForTest(), "film", `${encoders.h264} ${fragmented}`));
  });

  const clipsOnceThere = (count: number) =>
    eventually(
      () =>
        site.gateway.prisma.alertClip.findMany({ where: { workspaceId: site.workspaceId, state: "READY" } }),
      ({ length }) => length >= count,
    );
  /** The clips that the connector has still to bring. */
  const awaited = async () => JSON.parse(await readFile(site.stateFile, "utf8")).clips as { id: string }[];
  const requested = () => frigate.requests.filter((request) => request.endsWith("/clip.mp4"));

  it("is brought once it has ended, also if Frigate stores it late, with what was before and after", async () => {
    const asked: number[][] = [];
    frigate.recording = (camera, from, until) => {
      expect(camera).toBe("door");
      return asked.push([from, until]) > 1 ? film : undefined;
    };
    await site.connect(clips);
    const review = await frigate.review({ start_time: ended.start_time });
    await site.alertsOnceThere(1);
    await eventually(awaited, ({ length }) => length === 1);
    expect(asked).toEqual([]);
    await frigate.review({ id: review.id, end_time: ended.end_time });
    const [clip] = await clipsOnceThere(1);
    expect(clip).toMatchObject({ contentType: "video/mp4", width: 160, height: 120, uploaded: true });
    const span = [ended.start_time - 5, ended.end_time + 5].map((time) => expect.closeTo(time, 2));
    expect(asked).toEqual([span, span]);
    await eventually(awaited, ({ length }) => length === 0);
  });

  it("is brought by the next run, and not again by one after it", async () => {
    frigate.recording = () => undefined;
    const first = await site.connect(clips);
    await frigate.review(ended);
    await eventually(awaited, ({ length }) => length === 1);
    await site.stop(first);
    frigate.recording = () => film;
    const second = await site.connect(clips);
    await clipsOnceThere(1);
    await eventually(awaited, ({ length }) => length === 0);
    await site.stop(second);
    const count = requested().length;
    await site.connect(clips);
    await frigate.review({ start_time: now() });
    await site.alertsOnceThere(2);
    expect(requested()).toHaveLength(count);
  });

  it("is the beginning of what is too large", async () => {
    const lengths: number[] = [];
    frigate.recording = (_camera, from, until) => {
      lengths.push(Math.round(until - from));
      return until - from > 30 ? Buffer.alloc(51 * 1024 * 1024) : film;
    };
    await site.connect(clips);
    await frigate.review({ start_time: now() - 300, end_time: now() - 90 });
    await clipsOnceThere(1);
    expect(lengths).toEqual([50, 25]);
  });

  it("is given up with a sentence where Frigate has none or the gateway does not take it", async () => {
    frigate.recording = (camera) => (camera === "gate" ? Buffer.from("no film") : undefined);
    const connector = await site.connect(clips);
    await frigate.review({ start_time: now() - 900, end_time: now() - 800 });
    await connector.said(/Frigate has no recording of a review/);
    await frigate.review({ ...ended, camera: "gate" });
    await connector.said(/The clip of a review cannot be brought/);
    await eventually(awaited, ({ length }) => length === 0);
  });

  it("is not brought unless it is wanted", async () => {
    await site.connect();
    await frigate.review(ended);
    await site.alertsOnceThere(1);
    expect(await awaited()).toEqual([]);
    expect(requested()).toEqual([]);
  });
});
