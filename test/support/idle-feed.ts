import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** A feed that can open no stream, as its programs are empty. */
export interface IdleFeed {
  /** The settings of a gateway with this feed. */
  environment: Record<string, string>;
  remove(): Promise<void>;
}

/** Makes empty programs for the feed, so that a gateway has all that depends on it. */
export async function idleFeed(): Promise<IdleFeed> {
  const programs = await mkdtemp(path.join(tmpdir(), "gateway-programs-"));
  for (const name of ["ffmpeg", "ffprobe"]) await writeFile(path.join(programs, name), "", { mode: 0o700 });
  return {
    environment: { CAMERA_FEED: "builtin", FFMPEG_PATH: path.join(programs, "ffmpeg") },
    remove: () => rm(programs, { recursive: true }),
  };
}
