import { Prisma } from "../generated/prisma/client.js";
import type { AlertFilter } from "./alert.input.js";

/**
 * The SQL conditions of a filter on the alias `item`, except those on local time.
 * {@link alertsInLocalTime} applies the latter.
 */
export function conditionsOf(filter: AlertFilter): Prisma.Sql[] {
  return [
    ...periodConditionsOf(filter),
    ...placeConditionsOf(filter),
    ...kindConditionsOf(filter),
    ...markConditionsOf(filter),
  ];
}

function periodConditionsOf({ start, end }: AlertFilter): Prisma.Sql[] {
  const conditions: Prisma.Sql[] = [];
  if (start != null) conditions.push(Prisma.sql`item."createdAt" >= ${start}::timestamptz`);
  if (end != null) conditions.push(Prisma.sql`item."createdAt" < ${end}::timestamptz`);
  return conditions;
}

/** The conditions on facility and camera. */
export function placeConditionsOf(filter: AlertFilter): Prisma.Sql[] {
  const conditions = facilityConditionsOf(filter, Prisma.sql`item."facilityId"`);
  if (filter.cameraIds != null)
    conditions.push(isAmong(Prisma.sql`item."cameraId"`, filter.cameraIds, "uuid"));
  return conditions;
}

/** The conditions on the ID of a facility. */
export function facilityConditionsOf({ facilityId, facilityIds }: AlertFilter, id: Prisma.Sql): Prisma.Sql[] {
  const conditions: Prisma.Sql[] = [];
  if (facilityId != null) conditions.push(Prisma.sql`${id} = ${facilityId}::uuid`);
  if (facilityIds != null) conditions.push(isAmong(id, facilityIds, "uuid"));
  return conditions;
}

/** The types and severities of alerts; null for all. */
export type AlertKinds = Pick<AlertFilter, "types" | "severities">;

/** The conditions on type and severity. */
export function kindConditionsOf(filter: AlertKinds): Prisma.Sql[] {
  const conditions: Prisma.Sql[] = [];
  if (filter.types != null) conditions.push(isAmong(Prisma.sql`item."name"`, filter.types, "text"));
  if (filter.severities != null)
    conditions.push(isAmong(Prisma.sql`item."severity"`, filter.severities, "text"));
  return conditions;
}

/** The conditions on all other columns. */
export function markConditionsOf(filter: AlertFilter): Prisma.Sql[] {
  const conditions: Prisma.Sql[] = [];
  if (filter.bookmark != null) conditions.push(is(filter.bookmark, Prisma.sql`item."bookmark"`));
  if (filter.falsePositive != null) {
    const [value, ...others] = filter.falsePositive;
    const column = Prisma.sql`item."falsePositive"`;
    conditions.push(
      value !== undefined && others.length === 0
        ? is(value, column)
        : Prisma.sql`${column} = ANY(${filter.falsePositive}::boolean[])`,
    );
  }
  if (filter.observation != null)
    conditions.push(Prisma.sql`item."observation" = ${filter.observation}::boolean`);
  if (filter.acknowledged != null)
    conditions.push(is(filter.acknowledged, Prisma.sql`item."acknowledgedAt" IS NOT NULL`));
  if (filter.areaId != null) conditions.push(Prisma.sql`${filter.areaId}::uuid = ANY(item."areaIds")`);
  if (filter.areaIds != null) conditions.push(Prisma.sql`item."areaIds" && ${filter.areaIds}::uuid[]`);
  if (filter.alertRuleIds != null)
    conditions.push(isAmong(Prisma.sql`item."alertRuleId"`, filter.alertRuleIds, "uuid"));
  return conditions;
}

/**
 * The condition that a mark is or is not set. Avoid a parameter, so that generic plans
 * may use the index of marked alerts.
 */
const is = (value: boolean, mark: Prisma.Sql): Prisma.Sql => (value ? mark : Prisma.sql`NOT (${mark})`);

/**
 * The condition that a column has one of the values. Compare a single value with `=`. For
 * a list, the index does not return the rows in the order of the query, so PostgreSQL
 * would read all of them for the first page.
 */
function isAmong(column: Prisma.Sql, values: readonly string[], type: "uuid" | "text"): Prisma.Sql {
  const [value] = values;
  return values.length === 1
    ? Prisma.sql`${column} = ${value}::${Prisma.raw(type)}`
    : Prisma.sql`${column} = ANY(${values}::${Prisma.raw(type)}[])`;
}
