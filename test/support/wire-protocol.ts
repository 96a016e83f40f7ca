import type { Socket } from "node:net";

export const startupCode = 196_608;
/** Requests for encryption, by TLS and by GSSAPI. */
export const encryptionCodes = [80_877_103, 80_877_104];

/**
 * Reads messages of the wire protocol from a connection, however they are cut into
 * chunks.
 */
export class MessageReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #received = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.#chunks = socket.iterator({ destroyOnReturn: false });
  }

  /**
   * The next message; undefined at the end. Begins with its type, except at the startup.
   */
  async next(kind: "startup" | "typed"): Promise<Buffer | undefined> {
    const start = kind === "typed" ? 1 : 0;
    for (;;) {
      if (this.#received.length >= start + 4) {
        const length = start + this.#received.readInt32BE(start);
        if (this.#received.length >= length) {
          const next = this.#received.subarray(0, length);
          this.#received = this.#received.subarray(length);
          return next;
        }
      }
      const { done, value } = await this.#chunks.next();
      if (done) return undefined;
      this.#received = Buffer.concat([this.#received, value]);
    }
  }
}

export const typeOf = (received: Buffer): string => String.fromCharCode(received[0] as number);

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** A message without a type, as at the startup. */
export const packet = (...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([int32(body.length + 4), body]);
};

export const message = (type: string, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(type), packet(body)]);

export function errorResponse(code: string, text: string): Buffer {
  return message("E", Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${text}\0\0`));
}
