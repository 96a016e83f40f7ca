import { Autovacuum } from "../database/autovacuum.js";
import { OfflineFacilities } from "../delivery/offline-facilities.js";
import { keptForMs } from "../detection/kept-frames.js";
import { WorkspaceTurns } from "../platform/queues/workspace-turns.js";
import { type StepOutcome, Worker } from "../platform/workers/worker.js";
import { ExpiredAlerts } from "../purge/expired-alerts.js";
import { purgeExpiredAuditEntries } from "../purge/expired-audit-entries.js";
import { purgeExpiredFrames } from "../purge/expired-frames.js";
import { purgeExpiredMarkChanges } from "../purge/expired-mark-changes.js";
import { purgeExpiredOutcomes } from "../purge/expired-outcomes.js";
import { purgeExpiredSessions } from "../purge/expired-sessions.js";
import { purgeLongHistories } from "../purge/long-histories.js";
import { purgeOldDeliveries } from "../purge/old-deliveries.js";
import { purgeRemovedPlace } from "../purge/removed-places.js";
import { purgeSilentConnectors } from "../purge/silent-connectors.js";
import { purgeUnusedAlertUploads } from "../purge/unused-alert-uploads.js";
import { WorkspaceRounds } from "../purge/workspace-rounds.js";
import { configuredChannels } from "./deliveries.js";
import type { Infrastructure } from "./infrastructure.js";
import type { Runtime } from "./runtime.js";

/**
 * Adds the workers that purge data and detect offline facilities. They start when woken.
 */
export function addBackgroundWorkers(
  { environment, log, now }: Runtime,
  infrastructure: Infrastructure,
): void {
  const { database, workers, objectRemoval } = infrastructure;
  const { prisma, listWorkspaces } = database;
  const purge = async (step: Promise<StepOutcome>): Promise<StepOutcome> => {
    const outcome = await step;
    // The purge has scheduled the pictures of its rows for deletion.
    if (outcome === "more") objectRemoval.wake();
    return outcome;
  };
  /** The frames taken before are no longer kept; with KEEP_DETECTIONS off, all of them. */
  const lastExpired = (time: Date) =>
    new Date(time.getTime() + (environment.KEEP_DETECTIONS === "on" ? -keptForMs : dayMs));
  const placeTurns = new WorkspaceTurns(listWorkspaces);
  workers.add(
    new Worker(
      "purging deleted cameras and facilities",
      () => purge(purgeRemovedPlace(prisma, placeTurns, now())),
      log,
    ),
  );
  const uploadTurns = new WorkspaceTurns(listWorkspaces);
  workers.add(
    new Worker(
      "purging unused alert uploads",
      () => purge(purgeUnusedAlertUploads(prisma, uploadTurns, now())),
      log,
    ),
  );
  const oldDeliveries = new WorkspaceRounds(prisma, now, (workspaceId, time) =>
    purgeOldDeliveries(prisma, workspaceId, time),
  );
  workers.add(new Worker("purging old deliveries", () => oldDeliveries.step(), log));
  const expiredOutcomes = new WorkspaceRounds(prisma, now, (workspaceId, time) =>
    purgeExpiredOutcomes(prisma, workspaceId, time),
  );
  workers.add(new Worker("purging expired outcomes of requests", () => expiredOutcomes.step(), log));
  const expiredMarkChanges = new WorkspaceRounds(prisma, now, (workspaceId, time) =>
    purgeExpiredMarkChanges(prisma, workspaceId, time),
  );
  workers.add(
    new Worker("purging changes of marks that cannot be undone", () => expiredMarkChanges.step(), log),
  );
  const expiredSessions = new WorkspaceRounds(prisma, now, (workspaceId, time) =>
    purgeExpiredSessions(prisma, workspaceId, time),
  );
  workers.add(new Worker("purging expired sessions", () => expiredSessions.step(), log));
  const longHistories = new WorkspaceRounds(prisma, now, (workspaceId) =>
    purgeLongHistories(prisma, workspaceId),
  );
  workers.add(new Worker("purging long histories of cameras", () => longHistories.step(), log));
  const silentConnectors = new WorkspaceRounds(prisma, now, (workspaceId, time) =>
    purgeSilentConnectors(prisma, workspaceId, time),
  );
  workers.add(new Worker("purging connectors that are no longer heard", () => silentConnectors.step(), log));
  const expiredFrames = new WorkspaceRounds(prisma, now, (workspaceId, time) =>
    purgeExpiredFrames(prisma, workspaceId, lastExpired(time)),
  );
  workers.add(new Worker("purging frames of detections", () => expiredFrames.step(), log));
  addRetention({ environment, log, now }, infrastructure);
  const channels = configuredChannels(environment);
  const offlineFacilities = new OfflineFacilities({
    prisma,
    channels,
    heartbeatTimeout: environment.HEARTBEAT_TIMEOUT,
    now,
  });
  workers.add(new Worker("noticing facilities that are offline", () => offlineFacilities.step(), log));
  if (database.embedded) {
    const autovacuum = new Autovacuum(prisma, now);
    workers.add(new Worker("vacuuming the embedded database", () => autovacuum.step(), log));
  }
}

const dayMs = 24 * 3_600_000;

/**
 * Adds the workers that purge data past its retention period, unless everything is kept
 * forever.
 */
function addRetention(
  { environment, log, now }: Pick<Runtime, "environment" | "log" | "now">,
  { database: { prisma }, workers, objectRemoval }: Infrastructure,
): void {
  const { ALERT_RETENTION_DAYS: alertDays, AUDIT_RETENTION_DAYS: auditDays } = environment;
  const daysBefore = (time: Date, days: number) => new Date(time.getTime() - days * dayMs);
  if (alertDays !== undefined) {
    const expiredAlerts = new ExpiredAlerts(prisma);
    const rounds = new WorkspaceRounds(prisma, now, async (workspaceId, time) => {
      const { purged, isMoreLeft } = await expiredAlerts.purgeBatch(
        workspaceId,
        daysBefore(time, alertDays),
        time,
      );
      // The purge has scheduled the pictures of its alerts for deletion.
      if (purged > 0) objectRemoval.wake();
      if (purged > 0)
        log.info({ workspaceId, alerts: purged }, "alerts older than ALERT_RETENTION_DAYS were deleted");
      return isMoreLeft;
    });
    workers.add(new Worker("purging expired alerts", () => rounds.step(), log));
  }
  if (auditDays !== undefined) {
    const purge = (workspaceId: string, time: Date) =>
      purgeExpiredAuditEntries(prisma, workspaceId, daysBefore(time, auditDays), time);
    const rounds = new WorkspaceRounds(prisma, now, purge);
    workers.add(new Worker("purging expired audit entries", () => rounds.step(), log));
  }
}
