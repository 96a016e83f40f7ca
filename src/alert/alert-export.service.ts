import { claimOf } from "../access/authenticate.js";
import { assertCanSomewhere, facilitiesWhere } from "../access/permissions.js";
import type { RequestContext } from "../access/request-context.js";
import { openTicket, type Ticket } from "../access/ticket.js";
import { alertRuleById } from "../alert-rule/alert-rule.loader.js";
import { areasOf, type RuleNode } from "../alert-rule/rule-tree.js";
import { type Alert, Prisma } from "../generated/prisma/client.js";
import { badRequest } from "../platform/errors.js";
import { columnsAlone } from "../platform/selection.js";
import type { AlertFilter } from "./alert.input.js";
import { conditionsOf } from "./alert-conditions.js";
import type { AlertExport } from "./alert-export.type.js";

/** Seconds for which a link to an export is good. */
const lifetime = 300;
const longestLink = 60_000;
const rowsOfPage = 1000;
const purpose = "alerts/export";

/** What a link to an export stands for. */
interface ExportTicket extends Ticket {
  filter: AlertFilter;
}

/** Makes a link to an export that opens without credentials. Needs alerts:read at some facility. */
export async function exportAlerts(context: RequestContext, filter: AlertFilter): Promise<AlertExport> {
  assertCanSomewhere(context.caller, "alerts:read");
  const { links, now } = context.services;
  const expiresAt = new Date(now().getTime() + lifetime * 1000);
  const ticket: ExportTicket = { claim: claimOf(context.caller), filter };
  const url = await links.seal(purpose, ticket, expiresAt);
  if (!url || url.length > longestLink) throw badRequest([{ path: "filter", message: "lists too much for an export" }]);
  return { url, expiresAt };
}

/** Lets in who opens an export by its ticket, and answers what is exported. NOT_FOUND when the ticket is not good, or no longer. */
export async function openExport(context: RequestContext, sealed: string): Promise<AlertFilter> {
  const { filter } = await openTicket<ExportTicket>(context, purpose, sealed);
  assertCanSomewhere(context.caller, "alerts:read");
  return { ...filter, start: new Date(filter.start), end: new Date(filter.end) };
}

const columns = ["id", "createdAt", "name", "severity", "count", "bookmark", "falsePositive", "observation", "url"] as const;

/** An alert as it is exported. */
export interface ExportedAlert extends Pick<Alert, (typeof columns)[number]> {
  /** The facility's clock at the time, as if it were UTC. */
  localTime: Date;
  facility: string;
  camera: string | null;
  /** The name of the rule that raised it; null without one, and when it is gone. */
  rule: string | null;
  /** The names of the violated areas; their ids where the rule is gone. */
  areas: string[];
}

type ReadAlert = Omit<ExportedAlert, "rule" | "areas"> & Pick<Alert, "alertRuleId" | "areaIds">;

/**
 * The alerts of a filter, newest first, page by page, from the facilities where the caller holds alerts:read. Alerts that
 * are recorded after the beginning are not among them; those whose transaction was under way at that moment may come on later
 * pages. The next page is read while the last one is worked on.
 */
export async function* exportedAlerts(context: RequestContext, filter: AlertFilter): AsyncGenerator<ExportedAlert[]> {
  // The moments of recording are kept in milliseconds: rounded, the last one may lie ahead.
  const clock = Prisma.sql`SELECT clock_timestamp() + interval '1 millisecond' AS "moment"`;
  const [{ moment }] = (await context.visible.query<{ moment: Date }>(() => clock)) as [{ moment: Date }];
  const conditions = [...conditionsOf(filter), Prisma.sql`item."recordedAt" <= ${moment}::timestamptz`];
  const facilities = facilitiesWhere(context.caller, "alerts:read");
  if (facilities !== "all") conditions.push(Prisma.sql`item."facilityId" = ANY(${facilities}::uuid[])`);
  let next: Promise<ReadAlert[]> | undefined = readPage(context, conditions);
  while (next) {
    const page: ReadAlert[] = await next;
    const last = page.length === rowsOfPage ? page.at(-1) : undefined;
    next = last && readPage(context, [...conditions, Prisma.sql`(item."createdAt", item."id") < (${last.createdAt}::timestamptz, ${last.id}::uuid)`]);
    // Whoever stops here does not wait for it.
    next?.catch(() => {});
    yield await withRules(context, page);
  }
}

function readPage(context: RequestContext, conditions: Prisma.Sql[]): Promise<ReadAlert[]> {
  return context.visible.query<ReadAlert>(
    ({ alerts }) => Prisma.sql`
      SELECT item.*, item."createdAt" AT TIME ZONE facility."timeZoneId" AT TIME ZONE 'UTC' AS "localTime", facility."name" AS "facility", camera."name" AS "camera"
      FROM (
        SELECT ${Prisma.raw([...columns, "facilityId", "cameraId", "alertRuleId", "areaIds"].map((name) => `item."${name}"`).join(", "))}
        FROM ${alerts} AS item WHERE ${Prisma.join(conditions, " AND ")}
        ORDER BY item."createdAt" DESC, item."id" DESC LIMIT ${rowsOfPage}::int
      ) AS item
      JOIN "Facility" AS facility ON facility."id" = item."facilityId" LEFT JOIN "Camera" AS camera ON camera."id" = item."cameraId"
      ORDER BY item."createdAt" DESC, item."id" DESC`,
  );
}

async function withRules(context: RequestContext, page: ReadAlert[]): Promise<ExportedAlert[]> {
  const ids = [...new Set(page.flatMap(({ alertRuleId }) => alertRuleId ?? []))];
  const rules = await alertRuleById(context, columnsAlone(["cameraId", "group", "id", "name"])).loadMany(ids);
  const known = new Map<string, { name: string; areas: Map<string, string> }>();
  for (const rule of rules) {
    if (rule instanceof Error) throw rule;
    if (!rule) continue;
    const areas = areasOf(rule.group as unknown as RuleNode).map(({ id, name }) => [id, name ?? id] as const);
    known.set(rule.id, { name: rule.name as string, areas: new Map(areas) });
  }
  return page.map(({ alertRuleId, areaIds, ...alert }) => {
    const rule = alertRuleId === null ? undefined : known.get(alertRuleId);
    return { ...alert, rule: rule?.name ?? null, areas: areaIds.map((id) => rule?.areas.get(id) ?? id) };
  });
}
