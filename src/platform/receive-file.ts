import { createWriteStream } from "node:fs";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ServiceError } from "./errors.js";

/** Passes so many bytes on and refuses more with PAYLOAD_TOO_LARGE; `what` names what has too many. */
export function byteLimit(most: number, what: string): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > most) done(new ServiceError("PAYLOAD_TOO_LARGE", `${what} has more than ${most} bytes`));
      else done(null, chunk);
    },
  });
}

/**
 * Writes what arrives to a file that is not there yet; PAYLOAD_TOO_LARGE beyond the limit, BAD_REQUEST when the client breaks
 * off or asks for one file twice.
 */
export async function receiveFile(open: () => Readable, file: string, most: number): Promise<void> {
  try {
    await pipeline(open(), byteLimit(most, "The file"), createWriteStream(file, { flags: "wx", mode: 0o600 }));
  } catch (error) {
    throw uploadFault(error, "The file did not arrive: the upload broke off, or the file was used before");
  }
}

/** What is wrong with an upload whose reading failed: BAD_REQUEST for that reason, unless the error says more or is a fault of ours. */
export function uploadFault(error: unknown, reason: string): unknown {
  const isOurs = error instanceof ServiceError || (error as NodeJS.ErrnoException).syscall !== undefined;
  return isOurs ? error : new ServiceError("BAD_REQUEST", reason);
}
