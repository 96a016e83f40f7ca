/** The status detail of a new camera, and of a camera whose stream works again. */
export const operationalDetail = "OPERATIONAL";

/** The status detail of a camera whose stream cannot be opened. */
export const streamError = "STREAM_ERROR";
