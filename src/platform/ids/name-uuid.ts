import { createHash } from "node:crypto";

/** A UUID of version 5 (RFC 9562): always the same for a name within a namespace, which is a UUID. */
export function nameUuid(namespace: string, name: string): string {
  const hash = createHash("sha1").update(namespace.replaceAll("-", ""), "hex").update(name).digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const digits = hash.toString("hex");
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
    digits.slice(20, 32),
  ].join("-");
}
