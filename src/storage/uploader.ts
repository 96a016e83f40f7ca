import type { ShareHolder } from "../platform/fair-queue.js";

/** Who uploads: whose share the work takes, and how long it is waited for. */
export interface Uploader {
  readonly caller: ShareHolder;
  readonly origin: { readonly signal?: AbortSignal };
}
