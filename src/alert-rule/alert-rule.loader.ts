import type { RequestContext } from "../access/request-context.js";
import type { AlertRule } from "../generated/prisma/client.js";
import { defineLoader, groupBy } from "../platform/loader.js";
import { type Selected, selectOf } from "../platform/selection.js";

/** What is read of a rule whatever was asked. */
export const alertRuleKeys = ["id", "cameraId"] as const;

export type AlertRuleRow = Selected<AlertRule, (typeof alertRuleKeys)[number]>;

/** Rules by id, with the columns that the variant names. */
export const alertRuleById = defineLoader<RequestContext, AlertRuleRow | null, string[]>(
  async (context, ids, columns) => {
    const rows = await context.visible.alertRule.findMany({ where: { id: { in: [...ids] } }, select: selectOf(columns) });
    return new Map((rows as unknown as AlertRuleRow[]).map((row) => [row.id, row]));
  },
  () => null,
);

/** The rules of cameras, by name. */
export const alertRulesByCamera = defineLoader<RequestContext, AlertRuleRow[], string[]>(
  async (context, cameraIds, columns) => {
    const rows = await context.visible.alertRule.findMany({
      where: { cameraId: { in: [...cameraIds] } },
      select: selectOf(columns),
      orderBy: [{ name: "asc" }, { id: "asc" }],
    });
    return groupBy(rows as unknown as AlertRuleRow[], (rule) => rule.cameraId);
  },
  () => [],
);
