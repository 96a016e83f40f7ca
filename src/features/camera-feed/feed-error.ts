/** Why a camera's stream shows nothing, in the words of the API. */
export const feedErrorCodes = [
  "UNAUTHORIZED",
  "NOT_FOUND",
  "REFUSED",
  "TIMEOUT",
  "NAME_NOT_FOUND",
  "ADDRESS_NOT_ALLOWED",
  "BUSY",
  "CAMERA_ERROR",
  "TOO_LARGE",
  "NO_VIDEO",
  "UNSUPPORTED",
  "UNKNOWN",
] as const;

export type FeedErrorCode = (typeof feedErrorCodes)[number];

/** What a camera that allows one session tells the second. While its live view is open, it is not lost. */
export const isOccupied: ReadonlySet<FeedErrorCode> = new Set(["BUSY", "CAMERA_ERROR", "REFUSED", "TIMEOUT"]);

/**
 * A sentence for each code, for the people who look after a camera. None contains text that a camera or ffmpeg wrote,
 * so none can contain a password.
 */
export const feedErrorSentences: Readonly<Record<FeedErrorCode, string>> = {
  UNAUTHORIZED: "The camera refuses the user name or the password in its URL.",
  NOT_FOUND: "The camera answers, but has no stream at the path in its URL.",
  REFUSED: "Nothing accepts connections at the address and port in the camera's URL.",
  TIMEOUT: "The camera did not send a picture in time.",
  NAME_NOT_FOUND: "The host name in the camera's URL is unknown.",
  ADDRESS_NOT_ALLOWED: "The camera's address is in a network that this gateway may not connect to.",
  BUSY: "The camera already serves as many viewers as it can.",
  CAMERA_ERROR: "The camera reports an error of its own.",
  TOO_LARGE: "The camera's picture is larger than the gateway accepts.",
  NO_VIDEO: "What the camera sends contains no video.",
  UNSUPPORTED: "The gateway cannot open a stream of this kind.",
  UNKNOWN: "The camera's stream cannot be read.",
};

/** A failure to read a stream. Its message is the code's sentence. */
export class FeedError extends Error {
  constructor(readonly code: FeedErrorCode) {
    super(feedErrorSentences[code]);
  }
}
