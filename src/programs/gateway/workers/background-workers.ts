import { autovacuum } from "../../../engine/database/cluster/autovacuum.js";
import { leaseStep } from "../../../engine/leases/due-rows.js";
import type { StepOutcome } from "../../../engine/leases/worker.js";
import { WorkspaceTurns } from "../../../engine/leases/workspace-turns.js";
import { configuredChannels } from "../../../features/delivery/channels/delivery-channels.js";
import { offlineFacilities } from "../../../features/delivery/offline-facilities.js";
import { expiredAlerts } from "../../../features/retention/expired-alerts.js";
import { purgeLongHistories } from "../../../features/retention/long-histories.js";
import { purgeRemovedPlace } from "../../../features/retention/removed-places.js";
import {
  auditRetention,
  clipRetention,
  frameRetention,
  purgeExpired,
  retention,
} from "../../../features/retention/retention.js";
import { unusedAlertUploads } from "../../../features/retention/unused-alert-uploads.js";
import { type PurgeBatch, workspaceRounds } from "../../../features/retention/workspace-rounds.js";
import type { Infrastructure } from "../infrastructure.js";
import type { Runtime } from "../runtime.js";

/** Adds the workers that purge data and detect offline facilities. They start when woken. */
export function addBackgroundWorkers(
  { environment, log, now }: Runtime,
  { database, workers, objectRemoval }: Infrastructure,
): void {
  const { prisma, transact } = database;
  /** Adds a worker that schedules the pictures of purged rows for deletion. */
  const addWithPictures = (name: string, step: () => Promise<StepOutcome>) =>
    workers.add(name, async () => {
      const outcome = await step();
      if (outcome === "more") objectRemoval.wake();
      return outcome;
    });
  const addRounds = (name: string, purgeBatch: PurgeBatch) =>
    workers.add(name, workspaceRounds(prisma, now, purgeBatch));
  const placeTurns = new WorkspaceTurns(database.listWorkspaces);
  addWithPictures("purging deleted cameras and facilities", () =>
    purgeRemovedPlace(database, placeTurns, now()),
  );
  addWithPictures("purging unused alert uploads", leaseStep(database, now, unusedAlertUploads(transact)));
  addRounds("purging long histories of cameras", (workspaceId) => purgeLongHistories(database, workspaceId));
  const { ALERT_RETENTION_DAYS: alertDays, AUDIT_RETENTION_DAYS: auditDays } = environment;
  const { CLIP_RETENTION_DAYS: clipDays, KEEP_DETECTIONS } = environment;
  const retentions = {
    ...retention,
    "purging frames of detections": [frameRetention(KEEP_DETECTIONS === "on")],
    ...(clipDays !== undefined && { "purging expired clips": [clipRetention(clipDays)] }),
    ...(auditDays !== undefined && { "purging expired audit entries": [auditRetention(auditDays)] }),
  };
  for (const [name, expired] of Object.entries(retentions))
    addRounds(name, async (workspaceId, time) => {
      const hasPurged = await purgeExpired(prisma, expired, workspaceId, time);
      if (hasPurged) objectRemoval.wake();
      return hasPurged;
    });
  if (alertDays !== undefined)
    addRounds(
      "purging expired alerts",
      expiredAlerts(transact, alertDays, (workspaceId, alerts) => {
        objectRemoval.wake();
        log.info({ workspaceId, alerts }, "alerts older than ALERT_RETENTION_DAYS were deleted");
      }),
    );
  workers.add(
    "noticing facilities that are offline",
    offlineFacilities({
      database,
      channels: configuredChannels(environment),
      heartbeatTimeout: environment.HEARTBEAT_TIMEOUT,
      now,
    }),
  );
  if (database.embedded) workers.add("vacuuming the embedded database", autovacuum(prisma, now));
}
