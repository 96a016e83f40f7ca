import type { VisibleSources } from "../../../engine/reading/visibility.js";
import { Prisma } from "../../../generated/prisma/client.js";
import { operationalDetail, streamError } from "./status-detail.js";

/** The states of a camera, worst first. */
export enum CameraState {
  FACILITY_OFFLINE = "FACILITY_OFFLINE",
  NO_STREAM = "NO_STREAM",
  FAULT_REPORTED = "FAULT_REPORTED",
  NEVER_CONNECTED = "NEVER_CONNECTED",
  PICTURE_OLD = "PICTURE_OLD",
  WORKING = "WORKING",
}

/**
 * The state of the camera with the alias `item`: the worst that applies. Fields, filters and counts all take it from
 * here. A camera works if its facility is online or not monitored, nobody reports a fault, and it has a fresh picture, not
 * one of the future: a clock was ahead then. Uploaded pictures stay fresh, because nothing takes new ones. While a
 * facility is offline, nothing else is known about its cameras.
 */
export const cameraState = ({
  facilities,
  now,
  onlineSince,
  freshSince,
}: VisibleSources): Prisma.Sql => Prisma.sql`(CASE
  WHEN EXISTS (
    SELECT 1 FROM ${facilities} AS facility
    WHERE facility."id" = item."facilityId" AND NOT facility."heartbeatsIgnored"
      AND facility."lastHeartbeatAt" NOT BETWEEN ${onlineSince} AND ${now} + (${now} - ${onlineSince})) THEN 'FACILITY_OFFLINE'
  WHEN item."statusDetail" = ${streamError} THEN 'NO_STREAM'
  WHEN item."statusDetail" <> ${operationalDetail} THEN 'FAULT_REPORTED'
  WHEN item."imageLink" IS NULL THEN 'NEVER_CONNECTED'
  WHEN item."streamType" = 'CLIENT' OR item."pictureAt" BETWEEN ${freshSince} AND ${now} THEN 'WORKING'
  ELSE 'PICTURE_OLD' END)`;
