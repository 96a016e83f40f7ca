import { z } from "zod";
import type { Transaction } from "../../engine/database/transaction.js";
import { Prisma } from "../../generated/prisma/client.js";
import { defined } from "../../platform/defined.js";
import { badRequest } from "../../platform/errors/errors.js";

/** When access ends: null for never. */
type End = Date | null;

export const untilField = z
  .date()
  .nullish()
  .describe("When the access ends, a time in the future by the database's clock; null for never.");

export const untilDescription =
  "When the access ends, by the database's clock; from then on, it is as if removed, and only callers with users:write still see it and can prolong it. Null for never, and for callers without users:write, except of themselves.";

/** The time of the database's clock, by which access ends. */
export async function databaseTime(transaction: Transaction): Promise<Date> {
  const [row] = await transaction.$queryRaw<{ now: Date }[]>(Prisma.sql`SELECT clock_timestamp() AS "now"`);
  return defined(row).now;
}

export const hasEndedAt = (now: Date, until: End | undefined): boolean => until != null && until <= now;

export const isLater = (until: End, other: End): boolean =>
  other !== null && (until === null || until > other);

/** Whether access has ended by now. */
export const hasEnded = async (transaction: Transaction, until: End | undefined): Promise<boolean> =>
  until != null && hasEndedAt(await databaseTime(transaction), until);

/** BAD_REQUEST if a given end has passed. */
export async function assertIsAhead(
  transaction: Transaction,
  until: End | undefined,
  path: string,
): Promise<void> {
  if (await hasEnded(transaction, until)) throw badRequest([{ path, message: "must be in the future" }]);
}
