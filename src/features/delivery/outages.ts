import { type Camera, Prisma } from "../../generated/prisma/client.js";
import { later } from "../../platform/time.js";
import { streamError } from "../camera/status/status-detail.js";
import { type ConfiguredChannels, hostOf, targetIdOf } from "./channels/delivery-channels.js";
import type { OutageNotification } from "./messages/notification.js";
import { lifetimeMs, queueIdOf } from "./outbox/delivery-queue.js";

/**
 * Queues the news that a camera's stream cannot be opened, or can be opened again, for the addresses of the camera. Any
 * status detail other than the error ends the outage, because it shows that someone saw the stream. Every outage
 * message is therefore followed by a recovery message, and nobody needs a record of sent ones.
 */
export function cameraOutage(
  { before, after }: { before: Camera; after: Camera },
  now: Date,
  channels: ConfiguredChannels,
): Prisma.Sql[] {
  const [wasLost, isLost] = [before, after].map(({ statusDetail }) => statusDetail === streamError);
  if (!channels.has("EMAIL") || wasLost === isLost || after.emailAddresses.length === 0) return [];
  const { workspaceId, id } = after;
  const isNotified = Prisma.sql`camera."id" = ${id}::uuid`;
  return queueOutages(now, {
    kind: isLost ? "CAMERA_LOST" : "CAMERA_RECOVERED",
    workspaceId,
    cameraId: Prisma.sql`${id}::uuid`,
    isNotified,
  });
}

/** Queues the news that facilities are offline or back, for the addresses of all their cameras. */
export function facilityOutages(
  now: Date,
  {
    kind,
    workspaceId,
    facilityIds,
  }: { kind: "FACILITY_OFFLINE" | "FACILITY_BACK"; workspaceId: string; facilityIds: readonly string[] },
  channels: ConfiguredChannels,
): Prisma.Sql[] {
  if (!channels.has("EMAIL")) return [];
  const isNotified = Prisma.sql`camera."facilityId" = ANY(${[...facilityIds]}::uuid[])`;
  return queueOutages(now, { kind, workspaceId, cameraId: Prisma.sql`NULL::uuid`, isNotified });
}

interface Outages {
  kind: OutageNotification["kind"];
  workspaceId: string;
  /** The camera of the deliveries; null for outages of facilities. */
  cameraId: Prisma.Sql;
  /** The condition on cameras whose addresses hear the news. */
  isNotified: Prisma.Sql;
}

/** Queues the news once per address and facility. */
function queueOutages(now: Date, { kind, workspaceId, cameraId, isNotified }: Outages): Prisma.Sql[] {
  const [channel, name] = [Prisma.sql`'EMAIL'`, Prisma.sql`recipient."name"`];
  const targetId = targetIdOf(channel, name);
  const subjectId = Prisma.sql`coalesce(${cameraId}, recipient."facilityId")`;
  return [
    Prisma.sql`
    INSERT INTO "Delivery" ("id", "workspaceId", "facilityId", "cameraId", "kind", "channel", "target", "targetId", "queueId",
      "host", "queuedAt", "createdAt", "expiresAt")
    SELECT gen_random_uuid(), ${workspaceId}::uuid, recipient."facilityId", ${cameraId}, ${kind}, ${channel}, ${name},
      ${targetId}, ${queueIdOf(Prisma.sql`${kind}::text`, subjectId, targetId)}, ${hostOf(channel, name)},
      (SELECT clock_timestamp()), ${now}::timestamptz, ${later(now, lifetimeMs)}::timestamptz
    FROM (
      SELECT DISTINCT ON (camera."facilityId", lower(address."name" COLLATE "C")) camera."facilityId", address."name"
      FROM "Camera" AS camera CROSS JOIN LATERAL unnest(camera."emailAddresses") AS address("name")
      WHERE camera."workspaceId" = ${workspaceId}::uuid AND camera."removedAt" IS NULL AND ${isNotified}
      ORDER BY camera."facilityId", lower(address."name" COLLATE "C"), address."name"
    ) AS recipient`,
  ];
}
