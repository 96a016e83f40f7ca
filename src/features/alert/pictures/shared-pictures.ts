import type { Transaction } from "../../../engine/database/transaction.js";
import type { WriteAccess } from "../../../engine/operation/write.js";
import { isStoredKey } from "../../../engine/storage/object-store.js";
import { Prisma } from "../../../generated/prisma/client.js";
import { defined } from "../../../platform/defined.js";

/** An alert that may use an upload. */
interface UploadUse {
  uploadId?: string | null;
}

/**
 * Counts the alerts that show the same uploaded picture, if several do. Call this in the transaction that
 * records the alerts, while there still are the uploads.
 */
export function countSharedPictures(write: WriteAccess, alerts: readonly UploadUse[]): void {
  const uses = new Map<string, number>();
  for (const { uploadId } of alerts) if (uploadId != null) uses.set(uploadId, (uses.get(uploadId) ?? 0) + 1);
  const shared = [...uses].filter(([, count]) => count > 1);
  if (shared.length === 0) return;
  const { workspaceId } = write.caller;
  const [ids, counts] = [shared.map(([id]) => id), shared.map(([, count]) => count)];
  write.send(Prisma.sql`
    INSERT INTO "SharedPicture" ("workspaceId", "key", "alerts")
    SELECT upload."workspaceId", picture."key", given."alerts"
    FROM unnest(${ids}::uuid[], ${counts}::int[]) AS given("id", "alerts")
    JOIN "AlertUpload" AS upload ON upload."workspaceId" = ${workspaceId}::uuid AND upload."id" = given."id"
    CROSS JOIN LATERAL (SELECT upload."url" AS "key" UNION ALL SELECT upload."thumbnailUrl") AS picture
    WHERE picture."key" IS NOT NULL`);
}

/** Releases the pictures of deleted alerts, and returns the keys that no other alert shows, in the same transaction. */
export async function releasePictures(
  transaction: Transaction,
  workspaceId: string,
  pictures: readonly (string | null)[],
): Promise<string[]> {
  const released = new Map<string, number>();
  for (const key of pictures)
    if (key !== null && isStoredKey(key)) released.set(key, (released.get(key) ?? 0) + 1);
  if (released.size === 0) return [];
  // Lock them in the order of their keys, so that concurrent writers cannot deadlock.
  const shared = await transaction.$queryRaw<{ key: string; alerts: number }[]>(Prisma.sql`
    SELECT shared."key", shared."alerts" FROM "SharedPicture" AS shared
    WHERE shared."workspaceId" = ${workspaceId}::uuid AND shared."key" = ANY(${[...released.keys()]}::text[])
    ORDER BY shared."key" FOR UPDATE`);
  for (const { key, alerts } of shared) {
    const remaining = alerts - defined(released.get(key));
    if (remaining > 0) {
      released.delete(key);
      await transaction.sharedPicture.update({
        where: { workspaceId_key: { workspaceId, key } },
        data: { alerts: remaining },
      });
    } else await transaction.sharedPicture.delete({ where: { workspaceId_key: { workspaceId, key } } });
  }
  return [...released.keys()];
}
