import type { ShareHolder } from "../../platform/queues/fair-queue.js";
import type { StatementCount } from "../../platform/telemetry/counted-client.js";

/**
 * The uploading client: the holder of the share that the work takes, the cancellation of the wait, the counter of the
 * statements, and the request of the file if it has an idempotency key.
 */
export interface Uploader {
  readonly caller: ShareHolder;
  readonly origin: { readonly signal?: AbortSignal; readonly logEntry: StatementCount };
  readonly keyedRequest?: { addFile(path: string): Promise<void> } | undefined;
}

/** Whoever uploads what the gateway itself has taken: each workspace has its turn for the few decoders. */
export const ownUploader = (workspaceId: string): Uploader => ({
  caller: { id: workspaceId, workspaceId },
  origin: { logEntry: { statements: 0 } },
});
