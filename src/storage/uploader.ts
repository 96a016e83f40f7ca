import type { StatementCount } from "../platform/counted-client.js";
import type { ShareHolder } from "../platform/fair-queue.js";

/** Who uploads: whose share the work takes, how long it is waited for, and where its statements are counted. */
export interface Uploader {
  readonly caller: ShareHolder;
  readonly origin: { readonly signal?: AbortSignal; readonly logEntry: StatementCount };
}
