import { byName } from "../../engine/reading/list-order.js";
import { definePaginatedRelation } from "../../engine/reading/paginated-relation.js";
import type { VisibleSources } from "../../engine/reading/visibility.js";
import { Prisma } from "../../generated/prisma/client.js";
import { type CameraRow, cameras } from "./camera.loader.js";
import type { CameraFilter } from "./camera-search.input.js";
import { cameraState } from "./status/camera-state.js";
import { operationalDetail } from "./status/status-detail.js";

export const cameraSearch = definePaginatedRelation<CameraRow & { name: string }, CameraFilter | null>(
  cameras,
  "workspaceId",
  {
    order: byName,
    filterOf: ({ filter }) => filter ?? null,
    conditions: (filter, sources) => (filter ? conditionsOf(filter, sources) : []),
  },
);

export function conditionsOf(
  { ids, facilityIds, statusDetails, operational, states, snoozed, text }: CameraFilter,
  sources: VisibleSources,
): Prisma.Sql[] {
  const isOperational = Prisma.sql`item."statusDetail" = ${operationalDetail}`;
  const conditions: Prisma.Sql[] = [];
  if (ids != null) conditions.push(Prisma.sql`item."id" = ANY(${ids}::uuid[])`);
  if (facilityIds != null) conditions.push(Prisma.sql`item."facilityId" = ANY(${facilityIds}::uuid[])`);
  if (statusDetails != null) conditions.push(Prisma.sql`item."statusDetail" = ANY(${statusDetails}::text[])`);
  if (operational != null) conditions.push(operational ? isOperational : Prisma.sql`NOT ${isOperational}`);
  if (states != null) conditions.push(Prisma.sql`${cameraState(sources)} = ANY(${states}::text[])`);
  if (snoozed != null) conditions.push(Prisma.sql`${isSnoozed(sources)} = ${snoozed}::boolean`);
  // Fold the text once for all cameras. The database folds names when it writes them.
  if (text != null)
    conditions.push(Prisma.sql`strpos(item."foldedName", (SELECT "foldedText"(${text}::text))) > 0`);
  return conditions;
}

/** Whether the camera with the alias `item`, or one of its rules, is snoozed at this moment. */
const isSnoozed = ({ alertRules, now }: VisibleSources) => Prisma.sql`EXISTS (
  SELECT 1 FROM (
    SELECT item."snoozedAt" AS "from", item."snoozedUntil" AS "until"
    UNION ALL SELECT rule."snoozedAt", rule."snoozedUntil" FROM ${alertRules} AS rule WHERE rule."cameraId" = item."id"
  ) AS snooze WHERE ${now} >= snooze."from" AND ${now} < snooze."until")`;
