import { Prisma } from "../generated/prisma/client.js";
import type { VisibleSources } from "../reading/visibility.js";
import { operationalDetail, streamError } from "./status-detail.js";

/** What is wrong with a camera, worst first, and at last that nothing is. */
export enum CameraState {
  FACILITY_OFFLINE = "FACILITY_OFFLINE",
  NO_STREAM = "NO_STREAM",
  FAULT_REPORTED = "FAULT_REPORTED",
  NEVER_CONNECTED = "NEVER_CONNECTED",
  PICTURE_OLD = "PICTURE_OLD",
  WORKING = "WORKING",
}

/**
 * A picture is fresh for this time after it was taken: twice the five minutes after which
 * a feed takes the next one, so that one may be late.
 */
const freshness = Prisma.sql`interval '10 minutes'`;

/**
 * The state of the camera with the alias `item`: the worst that applies. Fields, filters
 * and counts all take it from here.
 *
 * A camera works if its facility is online, nobody reports a fault, and it has a picture
 * that is fresh. Uploaded pictures stay fresh: nothing takes a new one. While a facility
 * is offline, no more is known of its cameras.
 */
export const cameraState = ({ facilities, now, onlineSince }: VisibleSources): Prisma.Sql => Prisma.sql`(CASE
  WHEN NOT EXISTS (
    SELECT 1 FROM ${facilities} AS facility
    WHERE facility."id" = item."facilityId" AND facility."lastHeartbeatAt" >= ${onlineSince}) THEN 'FACILITY_OFFLINE'
  WHEN item."statusDetail" = ${streamError} THEN 'NO_STREAM'
  WHEN item."statusDetail" <> ${operationalDetail} THEN 'FAULT_REPORTED'
  WHEN item."imageLink" IS NULL THEN 'NEVER_CONNECTED'
  WHEN item."streamType" = 'CLIENT' OR item."pictureAt" >= ${now} - ${freshness} THEN 'WORKING'
  ELSE 'PICTURE_OLD' END)`;
