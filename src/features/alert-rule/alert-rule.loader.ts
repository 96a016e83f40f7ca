import { defineEntityType, type Selected } from "../../engine/reading/entity-type.js";
import { defineToMany, defineToOne } from "../../engine/reading/relation.js";
import { type AlertRule, Prisma } from "../../generated/prisma/client.js";

/**
 * A rule with the columns that the operation needs, and its camera's facility if permissions decide on the
 * visible part.
 */
export type AlertRuleRow = Selected<AlertRule, "id"> & { facilityId?: string };

export const alertRules = defineEntityType<AlertRule>({
  source: "alertRules",
  keys: ["id"],
  columns: Prisma.AlertRuleScalarFieldEnum,
  dateColumns: {
    createdAt: true,
    updatedAt: true,
    timeRangeStart: true,
    timeRangeEnd: true,
    lastFiredAt: true,
    snoozedAt: true,
    snoozedUntil: true,
  },
  computedColumns: {
    facilityId: ({ cameras }) =>
      Prisma.sql`(SELECT camera."facilityId" FROM ${cameras} AS camera WHERE camera."id" = item."cameraId")`,
  },
});

export const alertRuleById = defineToOne<AlertRuleRow>(alertRules, "id");

/** The rules of a camera, by name. */
export const alertRulesByCamera = defineToMany<AlertRuleRow>(alertRules, "cameraId", {
  orderBy: Prisma.sql`item."name", item."id"`,
});
