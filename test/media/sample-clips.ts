import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { ffmpegPath } from "../support/cameras/camera-programs.js";

const run = promisify(execFile);

export const encoders = {
  h264: "-c:v libx264 -g 50 -bf 2 -pix_fmt yuv420p",
  hevc: "-c:v libx265 -x265-params log-level=error:keyint=50 -pix_fmt yuv420p",
  av1: "-c:v libaom-av1 -cpu-used 8 -g 50",
} as const;

/** Sound, and what says who recorded it and where. */
export const soundAndPlace =
  "-f lavfi -i sine -c:a aac -shortest -metadata title=Entrance -metadata location=+48.1+011.5/";

/** ffmpeg's options for writing fragments. */
export const fragmented = "-movflags frag_keyframe+empty_moov+default_base_moof";

/** Has ffmpeg make a clip of 25 frames a second and returns its file. */
export async function makeClip(
  directory: string,
  name: string,
  options: string,
  { seconds = 6, size = "160x120" } = {},
): Promise<string> {
  const file = path.join(directory, `${name}.mp4`);
  const source = `-f lavfi -i testsrc2=size=${size}:rate=25:duration=${seconds}`;
  // Inputs come before what is said of the output.
  const inputs = options.match(/-f lavfi -i \S+/)?.[0] ?? "";
  await ffmpeg(`${source} ${inputs} ${options.replace(inputs, "")} ${file}`);
  return file;
}

/** Runs ffmpeg. It fails if ffmpeg has anything to complain about. */
export async function ffmpeg(options: string): Promise<void> {
  const { stderr } = await run(ffmpegPath, ["-v", "error", "-nostdin", "-y", ...options.trim().split(/\s+/)]);
  if (stderr !== "") throw new Error(stderr);
}

/** What ffprobe says of a file. */
export async function probe(file: string) {
  const options = "-v warning -count_frames -show_streams -show_format -of json".split(" ");
  const { stdout, stderr } = await run(path.join(path.dirname(ffmpegPath), "ffprobe"), [...options, file]);
  const { streams, format } = JSON.parse(stdout) as {
    streams: Record<string, unknown>[];
    format: { tags?: Record<string, string>; duration: string };
  };
  return { stream: streams[0] ?? {}, streams, format, complaints: stderr };
}
