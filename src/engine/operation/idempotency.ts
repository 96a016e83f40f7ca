import { createCipheriv, createDecipheriv, createHash, type Hash, hkdfSync, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { deserialize, serialize } from "node:v8";
import { Prisma } from "../../generated/prisma/client.js";
import { defined } from "../../platform/defined.js";
import { ServiceError } from "../../platform/errors/errors.js";
import { type Caller, type HeldPermissions, holdsAllOf } from "../access/permissions.js";
import type { ReadStatement } from "../database/statement-text.js";
import { Due } from "../leases/due.js";

/** The header that marks a request as the repetition of an earlier one. */
export const idempotencyHeader = "Idempotency-Key";
export const maxKeyLength = 200;
/** For how long the outcome of a request with a key is kept. */
export const outcomeLifetimeMs = 24 * 3_600_000;

const cipher = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;

/** The outcome of a mutation, with the caller's permissions at that time. */
interface Outcome extends HeldPermissions {
  result: unknown;
}

/** Tracks the running requests with keys, and seals the outcomes of finished ones, which may contain secrets. */
export class IdempotencyKeys {
  readonly #running = new Set<string>();
  readonly #sealingKeys: readonly Buffer[];

  /** The first secret seals. All secrets can open. */
  constructor(secrets: readonly string[]) {
    this.#sealingKeys = secrets.map((secret) =>
      Buffer.from(hkdfSync("sha256", secret, "", "outcomes of requests", 32)),
    );
  }

  /** Runs a request with a key. CONFLICT while another with it runs here; writes detect those on other instances. */
  async run<Result>(caller: Caller, key: string, work: () => Promise<Result>): Promise<Result> {
    const name = nameOf(caller, key);
    if (this.#running.has(name)) throw isRunning();
    this.#running.add(name);
    try {
      return await work();
    } finally {
      this.#running.delete(name);
    }
  }

  seal(outcome: Outcome): Buffer {
    const iv = randomBytes(ivBytes);
    const sealing = createCipheriv(cipher, defined(this.#sealingKeys[0]), iv);
    const sealed = Buffer.concat([sealing.update(serialize(outcome)), sealing.final()]);
    return Buffer.concat([iv, sealing.getAuthTag(), sealed]);
  }

  /** Opens a stored outcome. Throws CONFLICT if the secret that sealed it is no longer configured. */
  open(sealed: Uint8Array): Outcome {
    const [iv, tag, content] = [
      sealed.subarray(0, ivBytes),
      sealed.subarray(ivBytes, ivBytes + tagBytes),
      sealed.subarray(ivBytes + tagBytes),
    ];
    for (const sealingKey of this.#sealingKeys) {
      try {
        const opening = createDecipheriv(cipher, sealingKey, iv).setAuthTag(tag);
        return deserialize(Buffer.concat([opening.update(content), opening.final()]));
      } catch {
        // Another secret sealed the outcome.
      }
    }
    throw new ServiceError(
      "CONFLICT",
      `The request with this ${idempotencyHeader} was carried out, but its outcome cannot be read any more`,
    );
  }
}

/** A request with a key. Its mutations store their outcomes with their writes, under their positions in the request. */
export class KeyedRequest {
  readonly #keys: IdempotencyKeys;
  readonly #hash: Hash;

  /** BAD_REQUEST if the key is invalid. Equal requests have equal descriptions, and others do not. Files extend it. */
  constructor(
    keys: IdempotencyKeys,
    readonly key: string,
    description: string,
  ) {
    if (!/^[ -~]+$/.test(key) || key.length > maxKeyLength)
      throw new ServiceError(
        "BAD_REQUEST",
        `${idempotencyHeader}: must have 1 to ${maxKeyLength} printable ASCII characters`,
      );
    this.#keys = keys;
    this.#hash = createHash("sha256").update(description);
  }

  /** Adds the content of a file that belongs to the request, so that another file makes another request. */
  async addFile(path: string): Promise<void> {
    for await (const chunk of createReadStream(path)) this.#hash.update(chunk);
  }

  /**
   * Finds the result of a mutation that was already carried out. Must run in the transaction that otherwise carries out
   * the mutation. CONFLICT if the key belongs to another request, or if its request is still running. FORBIDDEN if the
   * caller has lost permissions since.
   */
  async find(
    read: ReadStatement,
    caller: Caller,
    position: number,
    now: Date,
  ): Promise<{ result: unknown } | undefined> {
    const request = this.#request;
    const isExpired = Due.ofAge(outcomeLifetimeMs, now).of(Prisma.sql`"createdAt"`);
    // Both statements are sent together. The second sees everything committed before the first got the lock.
    const [[lock], [found]] = await Promise.all([
      read<{ isFree: boolean }>(
        Prisma.sql`SELECT pg_try_advisory_xact_lock(hashtextextended(${nameOf(caller, this.key)}, 0)) AS "isFree"`,
      ),
      read<{ isSame: boolean; outcome: Uint8Array }>(Prisma.sql`
        SELECT "request" = ${request}::bytea AS "isSame", "outcome" FROM "KeyedOutcome"
        WHERE "workspaceId" = ${caller.workspaceId}::uuid AND "callerId" = ${caller.id}::uuid AND "key" = ${this.key} AND NOT ${isExpired}
          AND ("position" = ${position}::int OR "request" <> ${request}::bytea)
        ORDER BY "isSame" LIMIT 1`),
    ]);
    if (!lock?.isFree) throw isRunning();
    if (!found) return undefined;
    if (!found.isSame)
      throw new ServiceError(
        "CONFLICT",
        `This ${idempotencyHeader} was used for another request: use a new one`,
      );
    const outcome = this.#keys.open(found.outcome);
    if (!holdsAllOf(caller, outcome))
      throw new ServiceError(
        "FORBIDDEN",
        `The request with this ${idempotencyHeader} was carried out; its outcome is not shown again, because you have fewer permissions now`,
      );
    return outcome;
  }

  keep(result: unknown, caller: Caller, position: number, now: Date): Prisma.Sql {
    const { workspaceId, id, permissions, facilityPermissions } = caller;
    return Prisma.sql`
      INSERT INTO "KeyedOutcome" ("workspaceId", "callerId", "key", "position", "request", "outcome", "createdAt")
      VALUES (${workspaceId}::uuid, ${id}::uuid, ${this.key}, ${position}::int, ${this.#request}::bytea,
        ${this.#keys.seal({ result, permissions, facilityPermissions })}::bytea, ${now}::timestamptz)
      ON CONFLICT ("workspaceId", "callerId", "key", "position") DO UPDATE
        SET "request" = EXCLUDED."request", "outcome" = EXCLUDED."outcome", "createdAt" = EXCLUDED."createdAt"`;
  }

  get #request(): Buffer {
    return this.#hash.copy().digest();
  }
}

const nameOf = ({ workspaceId, id }: Caller, key: string): string => `${workspaceId} ${id} ${key}`;

const isRunning = () =>
  new ServiceError(
    "CONFLICT",
    `A request with this ${idempotencyHeader} is being carried out; it is safe to retry`,
    { retryAfter: 1 },
  );
