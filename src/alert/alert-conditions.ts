import { Prisma } from "../generated/prisma/client.js";
import type { AlertFilter } from "./alert.input.js";

/** The SQL conditions of a filter, each on the alias `item`. */
export function conditionsOf(filter: AlertFilter): Prisma.Sql[] {
  const period = [Prisma.sql`item."createdAt" >= ${filter.start}::timestamptz`, Prisma.sql`item."createdAt" < ${filter.end}::timestamptz`];
  return [...period, ...placeConditionsOf(filter), ...kindConditionsOf(filter), ...markConditionsOf(filter)];
}

/** The conditions on facility and camera. */
export function placeConditionsOf(filter: AlertFilter): Prisma.Sql[] {
  const conditions: Prisma.Sql[] = [];
  if (filter.facilityId != null) conditions.push(Prisma.sql`item."facilityId" = ${filter.facilityId}::uuid`);
  if (filter.facilityIds != null) conditions.push(Prisma.sql`item."facilityId" = ANY(${filter.facilityIds}::uuid[])`);
  if (filter.cameraIds != null) conditions.push(Prisma.sql`item."cameraId" = ANY(${filter.cameraIds}::uuid[])`);
  return conditions;
}

/** The types and severities of alerts; null for all. */
export type AlertKinds = Pick<AlertFilter, "types" | "severities">;

/** The conditions on type and severity. */
export function kindConditionsOf(filter: AlertKinds): Prisma.Sql[] {
  const conditions: Prisma.Sql[] = [];
  if (filter.types != null) conditions.push(Prisma.sql`item."name" = ANY(${filter.types}::text[])`);
  if (filter.severities != null) conditions.push(Prisma.sql`item."severity" = ANY(${filter.severities}::text[])`);
  return conditions;
}

/** The conditions on all other columns. */
export function markConditionsOf(filter: AlertFilter): Prisma.Sql[] {
  const conditions: Prisma.Sql[] = [];
  if (filter.bookmark != null) conditions.push(Prisma.sql`item."bookmark" = ${filter.bookmark}::boolean`);
  if (filter.falsePositive != null) conditions.push(Prisma.sql`item."falsePositive" = ANY(${filter.falsePositive}::boolean[])`);
  if (filter.observation != null) conditions.push(Prisma.sql`item."observation" = ${filter.observation}::boolean`);
  if (filter.acknowledged != null) conditions.push(Prisma.sql`(item."acknowledgedAt" IS NOT NULL) = ${filter.acknowledged}::boolean`);
  if (filter.areaId != null) conditions.push(Prisma.sql`${filter.areaId}::uuid = ANY(item."areaIds")`);
  if (filter.areaIds != null) conditions.push(Prisma.sql`item."areaIds" && ${filter.areaIds}::uuid[]`);
  if (filter.alertRuleIds != null) conditions.push(Prisma.sql`item."alertRuleId" = ANY(${filter.alertRuleIds}::uuid[])`);
  return conditions;
}
