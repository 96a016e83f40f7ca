/** A longer frame is none of the gateway's. */
const maxFrameBytes = 16 * 1024 * 1024;

/** Reads the frames of a live view: the parts of a `multipart/x-mixed-replace` body, each with its length. */
export async function* readFrames(body: ReadableStream<Uint8Array>): AsyncGenerator<Blob, void> {
  const reader = body.getReader();
  let unread = new Uint8Array();
  /** The length of the part whose head was read; undefined before the head. */
  let length: number | undefined;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      unread = joined(unread, read.value);
      for (;;) {
        if (length === undefined) {
          const head = headOf(unread);
          if (head === undefined) break;
          length = lengthIn(head);
          unread = unread.slice(head.length);
        }
        if (unread.length < length) break;
        yield new Blob([unread.slice(0, length)], { type: "image/jpeg" });
        unread = unread.slice(length);
        length = undefined;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function joined(one: Uint8Array, other: Uint8Array) {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

/** The head of the next part, a character for each byte; undefined before its end. */
const headOf = (bytes: Uint8Array) => /^.*?\r\n\r\n/s.exec(new TextDecoder("latin1").decode(bytes))?.[0];

function lengthIn(head: string) {
  const length = Number(/^content-length: (\d{1,8})\r?$/im.exec(head)?.[1]);
  if (length <= maxFrameBytes) return length;
  throw new Error("The live view has a part without a length");
}
