import { createWriteStream } from "node:fs";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ServiceError } from "../errors/errors.js";
import { memberIn } from "../record.js";

/** Passes bytes on up to a limit, and fails with PAYLOAD_TOO_LARGE beyond it. `what` is the subject of the message. */
export function limitBytes(maxBytes: number, what: string): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > maxBytes)
        done(new ServiceError("PAYLOAD_TOO_LARGE", `${what} has more than ${maxBytes} bytes`));
      else done(null, chunk);
    },
  });
}

/**
 * Writes an upload to a file that must not exist yet. Fails with PAYLOAD_TOO_LARGE beyond the limit, and with
 * BAD_REQUEST if the client aborts the upload or uses one file twice.
 */
export async function receiveFile(open: () => Readable, file: string, maxBytes: number): Promise<void> {
  try {
    await pipeline(
      open(),
      limitBytes(maxBytes, "The file"),
      createWriteStream(file, { flags: "wx", mode: 0o600 }),
    );
  } catch (error) {
    throw toUploadError(
      error,
      "The file was not received: the upload was aborted, or the file was already used",
    );
  }
}

/**
 * An unreadable upload is a BAD_REQUEST with the given reason, unless an error is more specific or the server's own.
 */
export function toUploadError(error: unknown, reason: string): unknown {
  const isServerError = error instanceof ServiceError || memberIn(error, "syscall") !== undefined;
  return isServerError ? error : new ServiceError("BAD_REQUEST", reason);
}
