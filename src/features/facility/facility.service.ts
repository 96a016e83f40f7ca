import type { RequestContext } from "../../engine/operation/request-context.js";
import type { WriteAccess } from "../../engine/operation/write.js";
import { Prisma } from "../../generated/prisma/client.js";
import { notFound } from "../../platform/errors/errors.js";
import type { FacilityRow } from "./facility.loader.js";

export function locationOf({
  latitude,
  longitude,
}: Pick<FacilityRow, "latitude" | "longitude">): { lat: number; lng: number } | null {
  return latitude == null || longitude == null ? null : { lat: latitude, lng: longitude };
}

/** Whether the facility's device sent a heartbeat within HEARTBEAT_TIMEOUT. */
export function isOnline(context: RequestContext, lastHeartbeatAt: Date | null | undefined): boolean {
  if (!lastHeartbeatAt) return false;
  const { now, settings } = context.services;
  // A clock that was ahead may have left a time to come.
  return Math.abs(now().getTime() - lastHeartbeatAt.getTime()) <= settings.heartbeatTimeout * 1000;
}

/** Whether silence of the facility's device means that it is offline: it sent a heartbeat once, and nobody said otherwise. */
export const isMonitored = ({
  lastHeartbeatAt,
  heartbeatsIgnored,
}: Pick<FacilityRow, "lastHeartbeatAt" | "heartbeatsIgnored">): boolean =>
  lastHeartbeatAt != null && !heartbeatsIgnored;

/** Locks facilities, each named once, against deletion. NOT_FOUND if one is not visible. */
export async function assertFacilitiesVisible(write: WriteAccess, ids: readonly string[]): Promise<void> {
  const visible = await write.visible.query(
    ({ facilities }) =>
      Prisma.sql`SELECT item."id" FROM ${facilities} AS item WHERE item."id" = ANY(${[...ids]}::uuid[]) ORDER BY item."id" FOR KEY SHARE`,
  );
  if (visible.length !== ids.length) throw notFound();
}
