import { deliverStreamRequests } from "../camera/stream-request-delivery.js";
import { type StepOutcome, Worker } from "../platform/worker.js";
import { WorkspaceTurns } from "../platform/workspace-turns.js";
import { purgeRemovedCamera } from "../purge/removed-cameras.js";
import { purgeUnusedAlertUploads } from "../purge/unused-alert-uploads.js";
import type { Infrastructure } from "./infrastructure.js";
import type { Runtime } from "./runtime.js";

/** Adds the workers that purge and deliver stream requests; they start when they are woken. */
export function addBackgroundWorkers({ environment, log, now, shutdown }: Runtime, infrastructure: Infrastructure, publicUrl: () => string): void {
  const { database, workers, objectRemoval } = infrastructure;
  const { prisma } = database;
  const purge = async (step: Promise<StepOutcome>): Promise<StepOutcome> => {
    const outcome = await step;
    // The pictures of purged rows are scheduled for deletion.
    if (outcome === "more") objectRemoval.wake();
    return outcome;
  };
  const cameraTurns = new WorkspaceTurns();
  workers.add(new Worker("purging deleted cameras", () => purge(purgeRemovedCamera(prisma, cameraTurns, now())), log));
  const uploadTurns = new WorkspaceTurns();
  workers.add(new Worker("purging unused alert uploads", () => purge(purgeUnusedAlertUploads(prisma, uploadTurns, now())), log));
  const url = environment.FEED_SERVER_URL;
  if (!url) return;
  const server = { url, publicUrl, shutdownSignal: shutdown.signal, log };
  const delivery = { prisma, server, turns: new WorkspaceTurns(), now };
  workers.add(new Worker("delivering stream requests", () => deliverStreamRequests(delivery), log));
}
