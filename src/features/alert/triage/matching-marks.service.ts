import { randomUUID } from "node:crypto";
import { can } from "../../../engine/access/permissions.js";
import type { RequestContext } from "../../../engine/operation/request-context.js";
import { changedFields, type WriteAccess } from "../../../engine/operation/write.js";
import { type Facility, Prisma } from "../../../generated/prisma/client.js";
import { badRequest, notFound, ServiceError } from "../../../platform/errors/errors.js";
import { entriesOf } from "../../../platform/record.js";
import type { AlertFilter } from "../alert.input.js";
import { conditionsOf } from "../alert-conditions.js";
import { localConditionsWithPeriod } from "../local-conditions.js";
import { countsPerParent } from "../statistics/alert-counts.js";
import type { AlertMarksInput } from "./alert-triage.input.js";
import { emitChange, type LockedAlert, lockedColumns } from "./alert-write.service.js";
import { givenMarks, keepMarks, lockChange, putMarksBack, setMarks } from "./mark-changes.js";

/** The maximum number of alerts that match the filter of one change. */
export const maxMatches = 10_000;
/** As many alerts as `markAlerts` takes: subscribers get no longer bursts of one event. */
const alertsPerEvent = 1_000;
/** The maximum number of facilities that an error names. */
const maxNamed = 20;

/** The alerts that changed, and how to undo it; null if there is nothing to undo. */
export interface ChangedMarks {
  alertIds: string[];
  changeId: string | null;
}

/** Sets or removes marks on all alerts that match a filter, all or none. Requires alerts:write at every facility. */
export function markMatchingAlerts(
  context: RequestContext,
  filter: AlertFilter,
  marks: AlertMarksInput,
): Promise<ChangedMarks> {
  const given = givenMarks(marks);
  return context.write(async (write) => {
    assertFew(await countMatches(write, filter));
    const matches = await lockMatches(write, filter);
    // More may have been recorded since they were counted.
    assertFew(matches.length);
    await assertCanMark(write, matches);
    const changed = matches.filter((alert) =>
      entriesOf(given).some(([mark, value]) => alert[mark] !== value),
    );
    if (changed.length === 0) return { alertIds: [], changeId: null };
    const alertIds = changed.map(({ id }) => id);
    const changeId = randomUUID();
    await keepMarks(write, changeId, alertIds, given);
    await setMarks(write, alertIds, given);
    const conditions = Object.entries(filter).filter(([, value]) => value != null);
    write.audit({
      targetType: "Alert",
      targetId: null,
      changes: changedFields<object>(
        {},
        { ...given, filter: Object.fromEntries(conditions), changeId, alerts: changed.length },
      ),
    });
    emitMarked(write, changed);
    return { alertIds, changeId };
  });
}

/** Puts marks back that still are as a change of the caller left them. Requires alerts:write at every facility. */
export function undoMarks(context: RequestContext, changeId: string): Promise<ChangedMarks> {
  return context.write(async (write) => {
    const ids = await lockChange(write, changeId);
    if (ids.length === 0) throw notFound();
    // Alerts that have been deleted, or are no longer visible to the caller, are left out.
    const alerts = await write.visible.query<LockedAlert>(
      (visible) => Prisma.sql`
        SELECT ${lockedColumns} FROM ${visible.alerts} AS item WHERE item."id" = ANY(${ids}::uuid[]) ORDER BY item."id" FOR UPDATE`,
    );
    await assertCanMark(write, alerts);
    const restored = new Set(
      await putMarksBack(
        write,
        changeId,
        alerts.map(({ id }) => id),
      ),
    );
    const changed = alerts.filter(({ id }) => restored.has(id));
    write.audit({
      targetType: "Alert",
      targetId: null,
      changes: changedFields<object>({ changeId }, { changeId: null, alerts: changed.length }),
    });
    emitMarked(write, changed);
    return { alertIds: changed.map(({ id }) => id), changeId: null };
  });
}

async function countMatches({ visible, caller }: WriteAccess, filter: AlertFilter): Promise<number> {
  const counted = { parentColumn: "workspaceId", parentIds: [caller.workspaceId], filter };
  const [row] = await visible.query<{ count: number }>((sources) => countsPerParent(sources, counted));
  return row?.count ?? 0;
}

function assertFew(matches: number): void {
  if (matches > maxMatches)
    throw badRequest([
      { path: "filter", message: `matches ${matches} alerts: at most ${maxMatches} can be marked at once` },
    ]);
}

/** Locks the matching alerts in the order of their IDs, as all writers do, so that they cannot deadlock. */
function lockMatches({ visible }: WriteAccess, filter: AlertFilter): Promise<LockedAlert[]> {
  return visible.query<LockedAlert>((sources) => {
    const local = localConditionsWithPeriod(sources, filter);
    const conditions = [...conditionsOf(filter), ...local.conditions];
    return Prisma.sql`
      ${local.clause}SELECT ${lockedColumns} FROM ${sources.alerts} AS item
      JOIN "Facility" AS facility ON facility."workspaceId" = item."workspaceId" AND facility."id" = item."facilityId"
      WHERE ${Prisma.join(conditions, " AND ")} ORDER BY item."id" LIMIT ${maxMatches + 1}::int FOR UPDATE OF item`;
  });
}

/** FORBIDDEN names the facilities where the caller lacks the permission. */
async function assertCanMark(write: WriteAccess, alerts: readonly LockedAlert[]): Promise<void> {
  const needed = "alerts:write";
  const refused = [...new Set(alerts.map(({ facilityId }) => facilityId))].filter(
    (facilityId) => !can(write.caller, needed, facilityId),
  );
  if (refused.length === 0) return;
  const facilities = await write.visible.query<Pick<Facility, "name">>(
    (visible) => Prisma.sql`
      SELECT item."name" FROM ${visible.facilities} AS item WHERE item."id" = ANY(${refused}::uuid[])
      ORDER BY item."name", item."id" LIMIT ${maxNamed}::int`,
  );
  const more = refused.length > maxNamed ? ` and ${refused.length - maxNamed} more` : "";
  throw new ServiceError(
    "FORBIDDEN",
    `This needs the permission ${needed} at the facilities: ${facilities.map(({ name }) => name).join(", ")}${more}`,
  );
}

function emitMarked(write: WriteAccess, alerts: readonly LockedAlert[]): void {
  for (let start = 0; start < alerts.length; start += alertsPerEvent)
    emitChange(write, "MARKED", alerts.slice(start, start + alertsPerEvent));
}
