/** The options with which ffmpeg opens streams by a scheme. */
const optionsByScheme: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  rtsp: {
    // A camera may name the size of its pictures with the next keyframe only.
    analyzeduration: "10000000",
  },
  rtmp: { analyzeduration: "1000000" },
  http: {
    // Sound that is announced and never sent is not waited for. Segments begin with pictures.
    analyzeduration: "2000000",
    // Cameras name playlists and segments as they like. Files cannot be opened anyway.
    allowed_extensions: "ALL",
    allowed_segment_extensions: "ALL",
    extension_picky: "0",
  },
};

/** The options with which ffmpeg opens a URL fast, and gives up after some milliseconds of silence. */
export function streamOptions(url: string, silence: number): Record<string, string> {
  const scheme = url.slice(0, url.indexOf(":"));
  return {
    ...optionsByScheme[scheme],
    // The first pictures are enough where the frame rate need not be estimated.
    fpsprobesize: "0",
    [scheme === "rtsp" ? "timeout" : "rw_timeout"]: String(silence * 1000),
  };
}
