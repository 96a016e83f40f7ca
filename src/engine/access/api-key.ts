import { createHash, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";

const keyShape = /^cmk_([0-9a-f]{32})_([0-9a-f]{64})$/;

export interface PresentedKey {
  id: string;
  secretHash: Buffer;
}

/** The API key in the credentials of a Basic header: as user name, as password, or the whole, in Base64 or plain. */
export function presentedKey(credentials: string): PresentedKey | undefined {
  const decoded = Buffer.from(credentials, "base64").toString("latin1");
  const colon = decoded.indexOf(":");
  const candidates = [credentials, decoded, decoded.slice(0, Math.max(colon, 0)), decoded.slice(colon + 1)];
  for (const candidate of candidates) {
    const [, id, secret] = keyShape.exec(candidate.trim()) ?? [];
    if (id && secret)
      return { id: id.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"), secretHash: hashSecret(secret) };
  }
  return undefined;
}

/** Compares in constant time: the response time must not reveal the length of a correct prefix. */
export function isSameSecret(presented: Buffer, stored: Uint8Array): boolean {
  return presented.length === stored.length && timingSafeEqual(presented, stored);
}

/**
 * Creates an API key, or a new secret for the key with the id. `key` is shown to its holder once, the rest is stored.
 */
export function createKey(id: string = randomUUID()): { key: string; id: string; secretHash: Buffer } {
  const secret = randomBytes(32).toString("hex");
  return { key: `cmk_${id.replaceAll("-", "")}_${secret}`, id, secretHash: hashSecret(secret) };
}

function hashSecret(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
