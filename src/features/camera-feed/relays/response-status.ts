import type { FeedErrorCode } from "../feed-error.js";

/**
 * What a status of RTSP or HTTP says about a stream; undefined if it says nothing. 401 is also the first response to
 * whoever does not say who they are, so only the last one counts.
 */
export function statusFailure(status: number): FeedErrorCode | undefined {
  if (status === 401 || status === 403) return "UNAUTHORIZED";
  if (status === 404 || status === 410) return "NOT_FOUND";
  if (status === 429 || status === 453) return "BUSY";
  // A camera that cannot send this kind of stream, or not over TCP.
  if (status === 415 || status === 461) return "UNSUPPORTED";
  return status >= 500 ? "CAMERA_ERROR" : undefined;
}
