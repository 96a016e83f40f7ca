import path from "node:path";
import { findProgram, isProgram } from "../../platform/files/program-file.js";
import type { CombinationIssue } from "./setting.js";

/** ffprobe is always installed in the directory of ffmpeg. */
export const ffprobeBeside = (ffmpeg: string) => path.join(path.dirname(path.resolve(ffmpeg)), "ffprobe");

/** The file of ffmpeg, or the reason why the gateway opens no streams itself. */
type CameraFeed = { ffmpegPath: string } | { reason: string };

export function cameraFeedOf(
  {
    CAMERA_FEED,
    FFMPEG_PATH,
    FEED_SERVER_URL,
  }: Partial<Record<"CAMERA_FEED" | "FFMPEG_PATH" | "FEED_SERVER_URL", string | undefined>>,
  searchPath = process.env.PATH,
): CameraFeed {
  if (CAMERA_FEED === "off") return { reason: "CAMERA_FEED is off" };
  if (FEED_SERVER_URL !== undefined) return { reason: "FEED_SERVER_URL is set" };
  const ffmpegPath = FFMPEG_PATH ?? findProgram("ffmpeg", searchPath);
  return ffmpegPath !== undefined && isProgram(ffprobeBeside(ffmpegPath))
    ? { ffmpegPath }
    : { reason: "ffmpeg and ffprobe were not found in PATH" };
}

/** The variables that the process that opens streams needs. */
const feedVariableNames = ["PATH", "TMPDIR", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"];

/** The variables for the process that opens streams: none of the settings, which hold secrets. */
export const feedVariables = (variables: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => feedVariableNames.includes(name)));

/** What keeps the gateway from opening streams, though it is told to. */
export function cameraFeedIssues(variables: Record<string, string | undefined>): CombinationIssue[] {
  if (variables.CAMERA_FEED !== "builtin") return [];
  if (variables.FEED_SERVER_URL !== undefined)
    return [
      {
        message:
          "CAMERA_FEED=builtin and FEED_SERVER_URL are mutually exclusive: either the gateway opens streams or the feed server",
        mendedBy: [],
      },
    ];
  // The rule of FFMPEG_PATH looks for both programs.
  if (variables.FFMPEG_PATH !== undefined || "ffmpegPath" in cameraFeedOf(variables, variables.PATH ?? ""))
    return [];
  return [
    {
      message:
        "CAMERA_FEED=builtin needs ffmpeg and ffprobe, which were not found in PATH: install them, or set FFMPEG_PATH",
      mendedBy: ["FFMPEG_PATH"],
    },
  ];
}
