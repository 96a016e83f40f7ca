import { randomUUID } from "node:crypto";

let lastTime = 0;
let sequence = 0;
const maxSequence = 0xfff;

/** A UUID of version 7 (RFC 9562), greater than all earlier ones of this process. */
export function orderedUuid(): string {
  const now = Date.now();
  if (now > lastTime) [lastTime, sequence] = [now, 0];
  else if (sequence < maxSequence) sequence += 1;
  else [lastTime, sequence] = [lastTime + 1, 0];
  const time = lastTime.toString(16).padStart(12, "0");
  // The variant and the random bits come from version 4: Node.js draws random bits for many of those at a time.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence.toString(16).padStart(3, "0")}${randomUUID().slice(18)}`;
}
