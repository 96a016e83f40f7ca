import type { FairQueue } from "../../platform/queues/fair-queue.js";
import type { Logger } from "../../platform/telemetry/log.js";
import type { Tracing } from "../../platform/telemetry/tracing.js";
import type { Authenticator } from "../access/authenticator.js";
import type { RateLimits } from "../access/rate-limits.js";
import type { SignInLinks } from "../access/sign-in-links.js";
import type { Database } from "../database/client.js";
import type { EventHub } from "../events/event-hub.js";
import type { Reaction } from "../events/gateway-event.js";
import type { DerivedPictures } from "../storage/derived-pictures.js";
import type { PictureUploads } from "../storage/picture-uploads.js";
import type { RemotePictures } from "../storage/remote-pictures.js";
import type { SignedLinks } from "../storage/signed-link.js";
import type { IdempotencyKeys } from "./idempotency.js";
import type { OperationSlots } from "./operation-slots.js";

export interface GatewayServices {
  database: Database;
  events: EventHub;
  links: SignedLinks;
  signInLinks: SignInLinks;
  idempotencyKeys: IdempotencyKeys;
  pictures: PictureUploads;
  derivedPictures: DerivedPictures;
  proxiedPictures: DerivedPictures;
  remotePictures: RemotePictures | undefined;
  authenticator: Authenticator;
  rateLimits: RateLimits;
  operations: OperationSlots;
  statements: FairQueue;
  recordings: FairQueue;
  log: Logger;
  tracing: Tracing | undefined;
  now: () => Date;
  react: Reaction;
  /** If this instance reads the camera for live views. */
  newestFrame: (camera: { workspaceId: string; cameraId: string }) => LiveFrame | undefined;
  /** Receives the number of alerts that a write has recorded. */
  countAlerts: (recorded: number) => void;
  settings: FeatureSettings;
}

/** A frame of a camera's live view, and how long ago it was read. */
export interface LiveFrame {
  jpeg: Buffer;
  ageMs: number;
}

interface FeatureSettings {
  heartbeatTimeout: number;
  /** A picture of a camera is fresh for this time after it was taken. */
  pictureFreshness: number;
  streamRequestTtl: number;
  maxPageSize: number;
  maxCameras: number;
  maxQueryCost: number;
  supportHashSecret: string;
  /** Signs the tokens of sessions; undefined if users sign in at an identity provider. */
  sessionSecret: string | undefined;
  storageClass: string;
  deliveryChannels: ReadonlySet<string>;
  strictPermissions: boolean;
  hasFeedServer: boolean;
  hasBuiltinFeed: boolean;
  keepsDetections: boolean;
}
