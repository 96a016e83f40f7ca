import type { Transaction } from "../../../engine/database/transaction.js";
import { type DueRows, type Leases, lockedDueRows } from "../../../engine/leases/due-rows.js";
import type { GatewayServices } from "../../../engine/operation/gateway-services.js";
import { runInTransaction } from "../../../engine/operation/transaction.js";
import { ownUploader } from "../../../engine/storage/uploader.js";
import { type AlertClip, Prisma } from "../../../generated/prisma/client.js";

/** What is known of a clip that is ready. */
type ClipFacts = Pick<AlertClip, "duration" | "width" | "height" | "size" | "startsAt">;

/** Pending clips, which are due unless the instance with their ring has said lately that it makes them. */
const pendingClips: DueRows = {
  table: "AlertClip",
  key: "alertId",
  dueAt: "dueAt",
  maxAheadMs: 10 * 60_000,
};
/** How long a clip is due until nobody will make it, in milliseconds: another instance may take over its camera. */
export const abandonedMs = 30_000;
const abandonedAtOnce = 100;

/** A clip is not pending any more: its alert was deleted, or another instance has settled it. */
export class ClipUnwantedError extends Error {}

/** Stores a clip that is on disk as that of its alert. Nothing of it remains unless it still is pending. */
export function storeClip(
  services: GatewayServices,
  { workspaceId, alertId }: AlertClip,
  file: string,
  { duration, width, height, size, startsAt }: ClipFacts,
): Promise<unknown> {
  return services.pictures.storeClip(ownUploader(workspaceId), file, ({ key, keep }) => {
    const facts = Prisma.sql`"state" = 'READY', "key" = ${key}, "contentType" = 'video/mp4', "duration" = ${duration}::float8,
      "width" = ${width}::int, "height" = ${height}::int, "size" = ${size}::int, "startsAt" = ${startsAt}::timestamptz`;
    return settle(services, workspaceId, facts, isOf(alertId), async (transaction, clips) => {
      if (clips.length === 0) throw new ClipUnwantedError("The clip is not wanted any more");
      await keep(transaction);
    });
  });
}

/** The condition on the clip of an alert. */
export const isOf = (alertId: string) => Prisma.sql`"alertId" = ${alertId}::uuid`;

/** Lets the pending clips of a condition fail, and returns them. */
export const failClips = (services: GatewayServices, workspaceId: string, areMeant: Prisma.Sql) =>
  settle(services, workspaceId, Prisma.sql`"state" = 'FAILED'`, areMeant);

/** Clips that nobody makes. Their due times are compared with a clock that is {@link abandonedMs} late. */
export const abandonedClips = (services: GatewayServices): Leases<SettledClip> => ({
  rows: pendingClips,
  claim: (workspaceId, now) =>
    failClips(
      services,
      workspaceId,
      lockedDueRows(pendingClips, { workspaceId, now, limit: abandonedAtOnce }),
    ),
  pollMs: 10_000,
});

type SettledClip = Pick<AlertClip, "alertId" | "facilityId" | "cameraId">;

const settle = (
  services: GatewayServices,
  workspaceId: string,
  outcome: Prisma.Sql,
  areMeant: Prisma.Sql,
  then = async (_transaction: Transaction, _clips: SettledClip[]) => {},
): Promise<SettledClip[]> =>
  runInTransaction(services, async (transaction, effects) => {
    const clips = await transaction.$queryRaw<SettledClip[]>(Prisma.sql`
      UPDATE "AlertClip" SET ${outcome}, "dueAt" = NULL
      WHERE "workspaceId" = ${workspaceId}::uuid AND "state" = 'PENDING' AND ${areMeant}
      RETURNING "alertId", "facilityId", "cameraId"`);
    await then(transaction, clips);
    if (clips.length > 0)
      effects.emit(
        { topic: "alertChanged", ids: clips.map(({ alertId }) => alertId), places: clips, change: "CLIP" },
        { workspaceId, now: services.now() },
      );
    return clips;
  });
