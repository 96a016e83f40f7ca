import { Prisma, type PrismaClient } from "../generated/prisma/client.js";
import { deleteBatch } from "./delete-batch.js";

const size = 2_000;
/** An instance whose clock is behind still accepts codes that have expired here. */
const clockMarginMs = 3_600_000;

/**
 * Purges a batch of a workspace's expired sessions, and of used codes of links that have
 * expired on all clocks. Returns whether there may be more.
 */
export async function purgeExpiredSessions(
  prisma: PrismaClient,
  workspaceId: string,
  now: Date,
): Promise<boolean> {
  const batch = { workspaceId, size, locked: "skip" as const };
  const expiredAt = (time: Date) => Prisma.sql`"expiresAt" <= ${time}::timestamptz`;
  const sessions = { ...batch, table: "Session", condition: expiredAt(now) } as const;
  const onAllClocks = expiredAt(new Date(now.getTime() - clockMarginMs));
  const codes = { ...batch, table: "UsedSignInCode", condition: onAllClocks } as const;
  const purged = [
    await deleteBatch(prisma, sessions, Prisma.sql`"id"`),
    await deleteBatch(prisma, codes, Prisma.sql`"expiresAt"`),
  ];
  return purged.some(({ length }) => length === size);
}
