import type { ShareHolder } from "../platform/queues/fair-queue.js";
import type { StatementCount } from "../platform/telemetry/counted-client.js";

/**
 * Who uploads: whose share the work takes, how long it is waited for, where its
 * statements are counted, and which request the file belongs to if that has an
 * idempotency key.
 */
export interface Uploader {
  readonly caller: ShareHolder;
  readonly origin: { readonly signal?: AbortSignal; readonly logEntry: StatementCount };
  readonly keyedRequest?: { addFile(path: string): Promise<void> } | undefined;
}
