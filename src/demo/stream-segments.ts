import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";

/** The length of each segment, in seconds. */
export const segmentSeconds = 2;
const framesPerSecond = 5;
/** The longest time that ffmpeg may take, in milliseconds. */
const timeout = 60_000;

/**
 * The segments of a short film that can be shown in a loop: each picture for the length of
 * a segment, by a camera that sways a little. Made once and kept in a directory, since it
 * takes ffmpeg a second.
 */
export async function filmSegments(
  ffmpegPath: string,
  directory: string,
  pictures: () => Promise<readonly Buffer[]>,
  signal: AbortSignal,
): Promise<Buffer[]> {
  const kept = await readSegments(directory);
  if (kept.length > 0) return kept;
  // Only a complete film gets the name.
  const unfinished = `${directory}-${process.pid}`;
  try {
    await mkdir(unfinished, { recursive: true });
    await runFfmpeg(ffmpegPath, unfinished, { pictures: Buffer.concat(await pictures()), signal });
    await rm(path.join(unfinished, "film.m3u8"), { force: true });
    await rm(directory, { recursive: true, force: true });
    await rename(unfinished, directory);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return readSegments(directory);
}

async function readSegments(directory: string): Promise<Buffer[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const segments = names.filter((name) => /^\d+\.ts$/.test(name));
  return Promise.all(segments.sort().map((name) => readFile(path.join(directory, name))));
}

/** Makes a film of JPEG pictures. Fails if ffmpeg cannot, for example without x264. */
function runFfmpeg(
  ffmpegPath: string,
  directory: string,
  { pictures, signal }: { pictures: Buffer; signal: AbortSignal },
): Promise<void> {
  const period = 2 * segmentSeconds;
  const sway = `crop=1280:720:x='18*(1+sin(2*PI*t/${period}))':y='10*(1+cos(2*PI*t/${period}))'`;
  const options = [
    ["-loglevel", "error", "-threads", "1"],
    ["-f", "image2pipe", "-framerate", `1/${segmentSeconds}`, "-c:v", "mjpeg", "-i", "pipe:0"],
    ["-vf", `fps=${framesPerSecond},scale=1316:740,${sway},format=yuv420p`],
    ["-c:v", "libx264", "-preset", "ultrafast", "-threads", "1"],
    ["-g", String(segmentSeconds * framesPerSecond), "-sc_threshold", "0"],
    ["-f", "hls", "-hls_time", String(segmentSeconds), "-hls_list_size", "0"],
    ["-hls_segment_filename", path.join(directory, "%03d.ts"), path.join(directory, "film.m3u8")],
  ];
  return new Promise((resolve, reject) => {
    const ffmpeg = execFile(
      ffmpegPath,
      options.flat(),
      { timeout, killSignal: "SIGKILL", signal, env: {}, maxBuffer: 64 * 1024 },
      (error) => (error ? reject(error) : resolve()),
    );
    const end = () => void ffmpeg.kill("SIGKILL");
    process.once("exit", end);
    ffmpeg.once("close", () => process.off("exit", end));
    // Its end tells more than that it did not read.
    ffmpeg.stdin?.on("error", () => {}).end(pictures);
  });
}
