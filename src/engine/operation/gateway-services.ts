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

/** The services that live as long as the gateway. All requests share them. */
export interface GatewayServices {
  /** Tells this instance from others that share the database. */
  instanceId: string;
  database: Database;
  events: EventHub;
  links: SignedLinks;
  signInLinks: SignInLinks;
  idempotencyKeys: IdempotencyKeys;
  pictures: PictureUploads;
  derivedPictures: DerivedPictures;
  /** What is made of pictures that are elsewhere, which may take long to arrive. */
  proxiedPictures: DerivedPictures;
  /** Fetches pictures that are elsewhere; undefined if the gateway fetches none. */
  remotePictures: RemotePictures | undefined;
  authenticator: Authenticator;
  rateLimits: RateLimits;
  operations: OperationSlots;
  /** The slots for a caller's reading statements. */
  statements: FairQueue;
  recordings: FairQueue;
  log: Logger;
  /** Records traces; undefined if the gateway exports none. */
  tracing: Tracing | undefined;
  now: () => Date;
  /** What events add to their transactions. */
  react: Reaction;
  /** The newest frame of a camera that this instance reads for live views; undefined if there is none. */
  newestFrame: (camera: { workspaceId: string; cameraId: string }) => LiveFrame | undefined;
  /** Receives the number of alerts that a write has recorded. */
  countAlerts: (recorded: number) => void;
  settings: FeatureSettings;
}

/** A frame of a camera's live view, and how long ago it was read. */
export interface LiveFrame {
  jpeg: Buffer;
  ageMs: number;
  /** Whether this instance keeps the camera's last seconds as well. */
  hasRing: boolean;
}

/** The settings that features read. Times are in seconds. */
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
  /** The value of `Alert.storageClass` for pictures in the object store. */
  storageClass: string;
  deliveryChannels: ReadonlySet<string>;
  strictPermissions: boolean;
  /** Whether a feed server is configured to receive stream requests. */
  hasFeedServer: boolean;
  /** Whether the gateway opens the streams of cameras itself. */
  hasBuiltinFeed: boolean;
  /** Whether instances keep the last seconds of streams. */
  hasRings: boolean;
  keepsDetections: boolean;
}
