import type { Transact } from "../../engine/database/transaction.js";
import { type DueRows, type Leases, lockedDueRows } from "../../engine/leases/due-rows.js";
import { scheduleRemoval } from "../../engine/storage/object-removal.js";
import { Prisma } from "../../generated/prisma/client.js";

const batchSize = 500;

/** Uploads last a day, also those of clocks that differ a little. */
const rows: DueRows = { table: "AlertUpload", key: "id", dueAt: "dueAt", maxAheadMs: 26 * 3_600_000 };

interface UnusedUpload {
  url: string | null;
  thumbnailUrl: string | null;
}

export const unusedAlertUploads = (transact: Transact): Leases<UnusedUpload> => ({
  rows,
  claim: (workspaceId, now) =>
    transact(async (transaction) => {
      const uploads = await transaction.$queryRaw<UnusedUpload[]>(Prisma.sql`
        DELETE FROM "AlertUpload" WHERE ${lockedDueRows(rows, { workspaceId, now, limit: batchSize })}
        RETURNING "url", "thumbnailUrl"`);
      const pictures = uploads.flatMap(({ url, thumbnailUrl }) => [url, thumbnailUrl]);
      await scheduleRemoval(transaction, workspaceId, pictures, now);
      return uploads;
    }),
});
