import { defineEntityType, type Selected } from "../../engine/reading/entity-type.js";
import { newestFirst } from "../../engine/reading/list-order.js";
import { definePaginatedRelation } from "../../engine/reading/paginated-relation.js";
import { defineToMany, defineToOne } from "../../engine/reading/relation.js";
import { type Delivery, Prisma } from "../../generated/prisma/client.js";
import type { DeliveryFilter } from "./delivery.input.js";

type DeliveryColumns = Delivery & { nextAttemptAt: Date | null };

export type DeliveryRow = Selected<DeliveryColumns, "id" | "createdAt">;

export const deliveries = defineEntityType<DeliveryColumns>({
  source: "deliveries",
  keys: ["id", "createdAt"],
  columns: { ...Prisma.DeliveryScalarFieldEnum, nextAttemptAt: "nextAttemptAt" },
  dateColumns: { queuedAt: true, createdAt: true, expiresAt: true, sentAt: true, nextAttemptAt: true },
  computedColumns: {
    nextAttemptAt: ({ deliveryTargets, deliveryQueues }) => Prisma.sql`
      (CASE WHEN item."state" = 'PENDING' THEN
        greatest(item."queuedAt",
          (SELECT target."retryAt" FROM ${deliveryTargets} AS target WHERE target."id" = item."targetId"),
          (SELECT queue."availableAt" FROM ${deliveryQueues} AS queue WHERE queue."id" = item."queueId"))
      END)`,
  },
});

/** Compares a single value with `=`, because then the index returns rows in the order of the list. */
const isAmong = (column: Prisma.Sql, values: readonly string[] | null | undefined): Prisma.Sql[] => {
  if (!values) return [];
  return [
    values.length === 1
      ? Prisma.sql`${column} = ${values[0]}`
      : Prisma.sql`${column} = ANY(${[...values]}::text[])`,
  ];
};

const deliveriesBy = (parentColumn: string) =>
  definePaginatedRelation<DeliveryRow, DeliveryFilter | null>(deliveries, parentColumn, {
    order: newestFirst,
    filterOf: ({ filter }) => filter ?? null,
    conditions: (filter) => [
      ...isAmong(Prisma.sql`item."state"`, filter?.states),
      ...isAmong(Prisma.sql`item."channel"`, filter?.channels),
    ],
  });

export const deliveryLists = {
  workspace: deliveriesBy("workspaceId"),
  alertRule: deliveriesBy("alertRuleId"),
};

export const deliveriesByAlert = defineToMany<DeliveryRow>(deliveries, "alertId", {
  orderBy: newestFirst.forwards,
});

export const deliveryById = defineToOne<DeliveryRow>(deliveries, "id");
