import path from "node:path";
import { isProgram } from "../../platform/files/program-file.js";
import {
  integer,
  networks,
  oneOf,
  onOrOff,
  textWithout,
  webUrl,
} from "../../platform/input/setting-rules.js";
import { ffprobeBeside } from "./camera-feed.js";
import { setting } from "./setting.js";

const ffmpegFile = textWithout((text) => {
  if (!isProgram(text)) return "must name a file that can be run";
  return isProgram(ffprobeBeside(text)) ? undefined : "must name a file with ffprobe in the same directory";
}).transform((text) => path.resolve(text));

export const cameras = {
  FEED_SERVER_URL: setting(
    {
      example: "https://feeds.example/streams",
      unset: "none",
      description: "Receives a POST request for each stream to open.",
    },
    webUrl({ path: true, query: true }),
  ),
  CAMERA_FEED: setting(
    {
      example: "off",
      unset: "`builtin` with ffmpeg and ffprobe, without `FEED_SERVER_URL`",
      description:
        "`builtin`: the gateway opens the streams of cameras itself, which needs ffmpeg and ffprobe. `off`: it waits for a feed server.",
    },
    oneOf(["builtin", "off"], "must be builtin or off"),
  ),
  FFMPEG_PATH: setting(
    {
      example: "/usr/bin/ffmpeg",
      unset: "found in `PATH`",
      description: "The file of ffmpeg; ffprobe must be in the same directory.",
    },
    ffmpegFile,
  ),
  MAX_CAMERAS: setting(
    {
      example: "10000",
      description: "Cameras of a workspace, at most.",
    },
    integer(1, 1_000_000).default(2_000),
  ),
  FEED_CONCURRENCY: setting(
    {
      example: "8",
      description:
        "Streams that the gateway opens at once for pictures, besides those that somebody watches.",
    },
    integer(1, 64).default(4),
  ),
  CAMERA_REFRESH: setting(
    {
      example: "60",
      description: "Seconds until the gateway takes a new picture of a camera; 0 for the first one only.",
    },
    integer(0, 86_400).default(300),
  ),
  CAMERA_LOST_AFTER: setting(
    {
      example: "120",
      description: "Seconds for which a stream must have failed, twice at least, until its camera is lost.",
    },
    integer(0, 86_400).default(60),
  ),
  FEED_RING: setting(
    {
      example: "60",
      description:
        "Seconds of a camera's stream that are kept for pictures and clips, of cameras with active rules that the gateway evaluates and of those with `keepClips`. The gateway stays connected to these. 0: none.",
    },
    integer(0, 300).default(20),
  ),
  FEED_RINGS: setting(
    {
      example: "100",
      description: "Cameras that an instance stays connected to, at most.",
    },
    integer(1, 1_000).default(40),
  ),
  CAMERA_ALLOWED_NETWORKS: setting(
    {
      example: "192.168.0.0/16,fd00::/8",
      unset: "none",
      description:
        "Networks in which the gateway opens streams besides public addresses, separated by commas. Names are resolved by the system.",
    },
    networks,
  ),
  CAMERA_TLS_VERIFY: setting(
    {
      example: "on",
      description:
        "`on`: cameras opened by rtsps, rtmps and https need a certificate that the gateway trusts (`NODE_EXTRA_CA_CERTS` names further ones). `off`: most signed theirs themselves.",
    },
    onOrOff.default("off"),
  ),
  STREAM_REQUEST_TTL: setting(
    { example: "3600", description: "Seconds until a stream request expires." },
    integer(1, 31_536_000).default(86_400),
  ),
  HEARTBEAT_TIMEOUT: setting(
    {
      example: "60",
      description: "Seconds without a heartbeat until a facility is offline.",
    },
    integer(1, 31_536_000).default(300),
  ),
};
