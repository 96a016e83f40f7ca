import { randomBytes } from "node:crypto";

let lastTime = 0;
let sequence = 0;
const maxSequence = 0xfff;

/** A UUID of version 7 (RFC 9562), later than those made before it in this process. */
export function orderedUuid(): string {
  const now = Date.now();
  if (now > lastTime) [lastTime, sequence] = [now, 0];
  else if (sequence < maxSequence) sequence += 1;
  else [lastTime, sequence] = [lastTime + 1, 0];
  const bytes = randomBytes(16);
  bytes.writeUIntBE(lastTime, 0, 6);
  bytes.writeUInt16BE(0x7000 | sequence, 6);
  bytes.writeUInt8(0x80 | ((bytes[8] as number) & 0x3f), 8);
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
