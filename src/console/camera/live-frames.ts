/** The end of the lines before each part. */
const headEnd = new TextEncoder().encode("\r\n\r\n");
/** A longer frame is none of the gateway's. */
const maxFrameBytes = 16 * 1024 * 1024;

/** Reads the frames of a live view: the parts of a `multipart/x-mixed-replace` body, each with its length. */
export async function* readFrames(body: ReadableStream<Uint8Array>): AsyncGenerator<Blob, void> {
  const parts = new Parts();
  const reader = body.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield* parts.add(read.value);
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Takes the parts out of a body that arrives in pieces. */
class Parts {
  #unread = new Uint8Array();
  /** The length of the part whose head was read; undefined before the head. */
  #length: number | undefined;

  /** The parts that are complete with this piece. */
  *add(piece: Uint8Array): Generator<Blob, void> {
    const unread = new Uint8Array(this.#unread.length + piece.length);
    unread.set(this.#unread);
    unread.set(piece, this.#unread.length);
    this.#unread = unread;
    this.#readHead();
    while (this.#length !== undefined && this.#unread.length >= this.#length) {
      yield new Blob([this.#unread.slice(0, this.#length)], { type: "image/jpeg" });
      this.#unread = this.#unread.slice(this.#length);
      this.#length = undefined;
      this.#readHead();
    }
  }

  #readHead() {
    if (this.#length !== undefined) return;
    const end = indexOf(this.#unread, headEnd);
    if (end < 0) return;
    this.#length = lengthIn(new TextDecoder().decode(this.#unread.subarray(0, end)));
    this.#unread = this.#unread.slice(end + headEnd.length);
  }
}

function indexOf(bytes: Uint8Array, wanted: Uint8Array) {
  const last = bytes.length - wanted.length;
  for (let at = 0; at <= last; at += 1)
    if (wanted.every((byte, index) => bytes[at + index] === byte)) return at;
  return -1;
}

function lengthIn(head: string) {
  const length = Number(/^content-length: (\d{1,8})\r?$/im.exec(head)?.[1]);
  if (length <= maxFrameBytes) return length;
  throw new Error("The live view has a part without a length");
}
