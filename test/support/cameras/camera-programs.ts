import { existsSync, readdirSync } from "node:fs";
import path from "node:path";

/** The ffmpeg of Debian's package `ffmpeg`. Its ffprobe lies beside it. */
export const ffmpegPath = process.env.FFMPEG_PATH ?? "/usr/bin/ffmpeg";

/** Debian's own Python: another one does not find the packages of GStreamer. */
export const pythonPath = "/usr/bin/python3";

/** A file of a Debian package whose directory is named after the architecture. */
const isInstalled = (file: string) =>
  readdirSync("/usr/lib").some((directory) => existsSync(path.join("/usr/lib", directory, file)));

const packages = {
  ffmpeg: existsSync(ffmpegPath),
  python3: existsSync(pythonPath),
  "python3-gi": existsSync("/usr/lib/python3/dist-packages/gi"),
  "gir1.2-gst-rtsp-server-1.0": isInstalled("girepository-1.0/GstRtspServer-1.0.typelib"),
  "gstreamer1.0-plugins-base": isInstalled("gstreamer-1.0/libgstvideotestsrc.so"),
  "gstreamer1.0-plugins-good": isInstalled("gstreamer-1.0/libgstrtp.so"),
  "gstreamer1.0-plugins-bad": isInstalled("gstreamer-1.0/libgstx265.so"),
  "gstreamer1.0-plugins-ugly": isInstalled("gstreamer-1.0/libgstx264.so"),
};

/** Debian packages that the test cameras need, and that are not installed. */
export const missingCameraPackages: readonly string[] = Object.entries(packages)
  .filter(([, isPresent]) => !isPresent)
  .map(([name]) => name);
