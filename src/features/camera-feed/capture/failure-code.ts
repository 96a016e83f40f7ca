import type { FeedErrorCode } from "../feed-error.js";

/** What ffmpeg and the C library say of failures. The first match counts, as details come before the summary. */
const signs: readonly [RegExp, FeedErrorCode][] = [
  [/exceeds specified max pixel count|Cannot allocate memory/, "TOO_LARGE"],
  [/(?:failed:|Server returned) 40[13]/, "UNAUTHORIZED"],
  [/(?:failed:|Server returned) 404/, "NOT_FOUND"],
  [/failed: 453/, "BUSY"],
  [/failed: 461/, "UNSUPPORTED"],
  [/failed: 5\d\d|Server returned 5XX/, "CAMERA_ERROR"],
  [/Connection refused/, "REFUSED"],
  [/Connection timed out/, "TIMEOUT"],
  // "Nonmatching": a camera of RTSP that sends by UDP, although it was asked not to.
  [/ not on whitelist|Protocol not found|[Dd]ecoder .*not found|Nonmatching transport/, "UNSUPPORTED"],
  [/not currently supported in container/, "UNSUPPORTED"],
  [/matches no streams/, "NO_VIDEO"],
];

/** What ffmpeg says of a stream that begins otherwise than any that it knows. */
const unknownData = "Invalid data found";

/**
 * The code of a failure to read a stream, by what ffmpeg wrote. Of a camera that was silent, ffmpeg may say
 * nothing, or that its data is invalid.
 */
export function failureCode(errors: string, wasSilent: boolean): FeedErrorCode {
  const code = signs.find(([sign]) => sign.test(errors))?.[1];
  if (code) return code;
  if (wasSilent || errors === "") return "TIMEOUT";
  return errors.includes(unknownData) ? "NO_VIDEO" : "UNKNOWN";
}
