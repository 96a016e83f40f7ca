import { defineEntityType, type Selected } from "../../engine/reading/entity-type.js";
import { byName } from "../../engine/reading/list-order.js";
import { defineToMany, defineToOne } from "../../engine/reading/relation.js";
import { type Camera, Prisma } from "../../generated/prisma/client.js";
import { type CameraState, cameraState } from "./status/camera-state.js";

export type CameraRow = Selected<Camera, "id"> & {
  alertRuleIds?: string[];
  openAlertCount?: number;
  state?: CameraState;
  isFed?: boolean;
  lastDetectionAt?: Date | null;
};

export const cameras = defineEntityType<Camera>({
  source: "cameras",
  keys: ["id"],
  columns: Prisma.CameraScalarFieldEnum,
  dateColumns: {
    createdAt: true,
    updatedAt: true,
    removedAt: true,
    keptUntil: true,
    pictureAt: true,
    statusDetailChangedAt: true,
    snoozedAt: true,
    snoozedUntil: true,
  },
  computedColumns: {
    state: cameraState,
    /** Whether the gateway opens the camera's stream itself. */
    isFed: ({ cameraFeeds }) =>
      Prisma.sql`EXISTS (SELECT 1 FROM ${cameraFeeds} AS feed WHERE feed."cameraId" = item."id")`,
    alertRuleIds: ({ alertRules }) => Prisma.sql`ARRAY(
      SELECT rule."id" FROM ${alertRules} AS rule WHERE rule."cameraId" = item."id" ORDER BY rule."name", rule."id")`,
    openAlertCount: ({ openAlertCounts }) =>
      Prisma.sql`(SELECT coalesce(sum(kept."count"), 0)::int FROM ${openAlertCounts} AS kept WHERE kept."cameraId" = item."id")`,
  },
  computedDateColumns: {
    /** The first number of the state, in milliseconds: see `encodeState`. */
    lastDetectionAt: ({ detectionStates }) => Prisma.sql`(
      SELECT to_timestamp(split_part(substr(seen."state", 2, 16), ',', 1)::float8 / 1000)::timestamptz(3)
      FROM ${detectionStates} AS seen WHERE seen."cameraId" = item."id")`,
  },
});

export const cameraById = defineToOne<CameraRow>(cameras, "id");

export const camerasByWorkspace = defineToMany<CameraRow>(cameras, "workspaceId", {
  orderBy: byName.forwards,
});

export const camerasByFacility = defineToMany<CameraRow>(cameras, "facilityId", { orderBy: byName.forwards });
