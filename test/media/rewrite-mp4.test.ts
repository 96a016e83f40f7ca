// Needs no gateway.
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { rewriteMp4 } from "../../src/platform/media/rewrite-mp4.js";
import { missingCameraPackages } from "../support/cameras/camera-programs.js";
import { directoryForTest } from "../support/temporary-directory.js";
import { encoders, ffmpeg, fragmented, makeClip, probe, soundAndPlace } from "./sample-clips.js";

/** The types of a file's boxes. */
function boxTypes(file: Buffer): string[] {
  const types: string[] = [];
  for (let at = 0; at < file.length; ) {
    types.push(file.toString("latin1", at + 4, at + 8));
    const size = file.readUInt32BE(at);
    at += size === 1 ? Number(file.readBigUInt64BE(at + 8)) : size;
  }
  return types;
}

const laterBy = 1_000_000_000n;

/** The first boxes of a fragmented MP4, and its fragments as if they came much later. */
function lateFragmentsOf(file: Buffer): Buffer[] {
  for (const { index } of file.toString("latin1").matchAll(/tfdt/g))
    file.writeBigUInt64BE(file.readBigUInt64BE(index + 8) + laterBy, index + 8);
  const starts = [...file.toString("latin1").matchAll(/moof/g)].map(({ index }) => index - 4);
  return [0, ...starts].map((start, index) => file.subarray(start, starts[index]));
}

describe.skipIf(missingCameraPackages.length > 0)("an MP4 that is written anew", () => {
  it.each(
    Object.entries(encoders).flatMap(([codec, encoder]) => [
      { codec, kind: "with its index at the end", options: encoder },
      {
        codec,
        kind: "with its index first and sound",
        options: `${soundAndPlace} ${encoder} -movflags faststart`,
      },
      { codec, kind: "in fragments", options: `${encoder} ${fragmented}` },
    ]),
  )(
    "$codec $kind keeps its frames, plays while it loads and says nothing of the place",
    async ({ codec, options }) => {
      const directory = await directoryForTest();
      const source = await makeClip(directory, "source", options);
      const target = path.join(directory, "target.mp4");
      const rewritten = await rewriteMp4([source], target);
      const file = await readFile(target);
      expect(rewritten).toMatchObject({ codec, width: 160, height: 120, size: file.length });
      expect(rewritten.duration).toBeCloseTo(6, 3);
      expect(boxTypes(file)).toEqual(["ftyp", "moov", "free", "mdat"]);
      const { streams, stream, format, complaints } = await probe(target);
      expect(complaints).toBe("");
      expect(streams).toHaveLength(1);
      expect(stream).toMatchObject({ codec_name: codec, nb_read_frames: "150", start_time: "0.000000" });
      expect(Number(format.duration)).toBeCloseTo(6, 3);
      expect(stream.codec_tag_string).toBe({ h264: "avc1", hevc: "hvc1", av1: "av01" }[codec]);
      expect(format.tags).not.toHaveProperty("location");
      expect(format.tags).not.toHaveProperty("title");
      await ffmpeg(`-i ${target} -f null -`);
    },
  );

  it("a part of it has the whole groups of pictures around that part", async () => {
    const directory = await directoryForTest();
    const target = path.join(directory, "target.mp4");
    const source = await makeClip(directory, "source", `${encoders.h264} -bf 0 ${fragmented}`);
    expect(await rewriteMp4([source], target, { from: 2.5, until: 3.5 })).toMatchObject({
      firstTimestamp: 2,
      duration: 2,
    });
    expect((await probe(target)).stream.nb_read_frames).toBe("50");
  });

  it("fragments from the middle of a stream begin at 0", async () => {
    const directory = await directoryForTest();
    const target = path.join(directory, "target.mp4");
    const source = await makeClip(
      directory,
      "source",
      `${encoders.h264} ${fragmented} -video_track_timescale 10000`,
    );
    const [start, , second, third] = lateFragmentsOf(await readFile(source));
    const files = await Promise.all(
      [start, second, third].map(async (content, index) => {
        const file = path.join(directory, `${index}.m4s`);
        await writeFile(file, content ?? "");
        return file;
      }),
    );
    const { firstTimestamp, duration } = await rewriteMp4(files, target);
    expect(firstTimestamp).toBeCloseTo(100_002.08, 3);
    expect(duration).toBeCloseTo(4, 3);
    expect((await probe(target)).stream).toMatchObject({ nb_read_frames: "100", start_time: "0.000000" });
  });

  it("what was turned stays turned", async () => {
    const directory = await directoryForTest();
    const target = path.join(directory, "target.mp4");
    const source = await makeClip(directory, "source", encoders.h264);
    await ffmpeg(`-i ${source} -c copy -metadata:s:v rotate=90 ${directory}/turned.mp4`);
    expect(await rewriteMp4([`${directory}/turned.mp4`], target)).toMatchObject({ width: 120, height: 160 });
    const { stream } = await probe(target);
    expect(stream.side_data_list).toMatchObject([{ rotation: expect.closeTo(90) }]);
  });

  it("what an edit list hides before the first frame is kept, since its group of pictures is whole", async () => {
    const directory = await directoryForTest();
    const target = path.join(directory, "target.mp4");
    const source = await makeClip(directory, "source", encoders.h264);
    await ffmpeg(`-ss 1.4 -i ${source} -c copy ${directory}/cut.mp4`);
    const { firstTimestamp } = await rewriteMp4([`${directory}/cut.mp4`], target);
    expect(firstTimestamp).toBeLessThan(-1);
    expect((await probe(target)).stream.nb_read_frames).toBe("150");
  });

  it("a codec that browsers do not play and a duration beyond the limit are refused", async () => {
    const directory = await directoryForTest();
    const target = path.join(directory, "target.mp4");
    const other = await makeClip(directory, "other", "-c:v mpeg4");
    await expect(rewriteMp4([other], target)).rejects.toMatchObject({ code: "UNSUPPORTED_MEDIA_TYPE" });
    const long = await makeClip(directory, "long", encoders.h264);
    await expect(rewriteMp4([long], target, { maxSeconds: 5 })).rejects.toMatchObject({
      code: "PAYLOAD_TOO_LARGE",
    });
  });
});
