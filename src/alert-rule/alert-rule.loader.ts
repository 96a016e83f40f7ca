import { defineRecord, defineRecordList, momentsOf, type RecordKind } from "../access/records.js";
import { type AlertRule, Prisma } from "../generated/prisma/client.js";
import type { Selected } from "../platform/selection.js";

/** What is read of a rule whatever was asked. */
export const alertRuleKeys = ["id"] as const;

export type AlertRuleRow = Selected<AlertRule, (typeof alertRuleKeys)[number]>;

const alertRules: RecordKind = {
  source: "alertRules",
  keys: alertRuleKeys,
  moments: momentsOf<AlertRule>({ createdAt: true, updatedAt: true, timeRangeStart: true, timeRangeEnd: true }),
};

/** Rules by id. */
export const alertRuleById = defineRecord<AlertRuleRow>({
  kind: alertRules,
  conditions: (id) => [Prisma.sql`item."id" = ${id}`],
  order: () => Prisma.empty,
});

/** The rules of cameras, by name. */
export const alertRulesByCamera = defineRecordList<AlertRuleRow>({
  kind: alertRules,
  conditions: (cameraId) => [Prisma.sql`item."cameraId" = ${cameraId}`],
  order: () => Prisma.sql`ORDER BY item."name", item."id"`,
});
