import { identifier } from "../../engine/reading/identifier.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { AlertFilter } from "./alert.input.js";
import { type AlertColumn, givenFields } from "./alert-filter-fields.js";

/**
 * The SQL conditions of a filter on the alias `item`, except those on local time. {@link alertsInLocalTime}
 * applies the latter.
 */
export const conditionsOf = (filter: AlertFilter): Prisma.Sql[] => [
  ...givenFields(filter).flatMap(([field, value]) =>
    "period" in field ? [field.period(ofItem("createdAt"), value)] : [],
  ),
  ...columnConditionsOf(filter),
];

/**
 * The conditions on columns of the alias `item`: an alert, or a row of counts that have all {@link
 * columnsOf} the filter.
 */
export const columnConditionsOf = (filter: AlertFilter): Prisma.Sql[] =>
  givenFields(filter).flatMap(([field, value]) => {
    if ("column" in field) return [field.is(ofItem(field.column), value)];
    return "columns" in field ? [field.are(field.columns.map(ofItem), value)] : [];
  });

export const columnsOf = (filter: AlertFilter): AlertColumn[] =>
  givenFields(filter).flatMap(([field]) => {
    if ("column" in field) return [field.column];
    return "columns" in field ? field.columns : [];
  });

export const facilityConditionsOf = (filter: AlertFilter, id: Prisma.Sql): Prisma.Sql[] =>
  givenFields(filter).flatMap(([field, value]) =>
    "column" in field && field.column === "facilityId" ? [field.is(id, value)] : [],
  );

const ofItem = (column: AlertColumn) => Prisma.sql`item.${identifier(column)}`;
