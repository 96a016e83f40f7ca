import { identityOf } from "../access/credentials.js";
import { assertCanSomewhere, facilitiesWithPermission } from "../access/permissions.js";
import { alertRuleById } from "../alert-rule/alert-rule.loader.js";
import { areasOf, type RuleNode } from "../alert-rule/rule-tree.js";
import { type Alert, Prisma } from "../generated/prisma/client.js";
import { badRequest } from "../platform/errors.js";
import { columnsOnly } from "../reading/selection.js";
import type { AnonymousRequest, RequestContext } from "../request/request-context.js";
import { authenticateByPayload, type SignedPayload } from "../request/signed-payload.js";
import type { AlertFilter } from "./alert.input.js";
import { conditionsOf } from "./alert-conditions.js";
import type { AlertExport } from "./alert-export.type.js";

/** How long a link to an export is valid. */
const linkLifetimeMs = 5 * 60_000;
const maxLinkLength = 60_000;
const rowsPerPage = 1000;
const purpose = "alerts/export";

/** The payload of a link to an export. */
interface ExportTicket extends SignedPayload {
  filter: AlertFilter;
}

/** Creates a link to an export that needs no credentials. Requires alerts:read at some facility. */
export async function exportAlerts(context: RequestContext, filter: AlertFilter): Promise<AlertExport> {
  assertCanSomewhere(context.caller, "alerts:read");
  const { links, now } = context.services;
  const expiresAt = new Date(now().getTime() + linkLifetimeMs);
  const ticket: ExportTicket = { identity: identityOf(context.caller), filter };
  const url = await links.signPayload(purpose, ticket, expiresAt);
  if (!url || url.length > maxLinkLength) throw badRequest([{ path: "filter", message: "has too many values for an export" }]);
  return { url, expiresAt };
}

/** Opens an export by its signed link and returns what to export. NOT_FOUND if the link is invalid or has expired. */
export async function openExport(
  request: AnonymousRequest | RequestContext,
  signed: string,
): Promise<{ context: RequestContext; filter: AlertFilter }> {
  const { context, payload } = await authenticateByPayload<ExportTicket>(request, purpose, signed);
  assertCanSomewhere(context.caller, "alerts:read");
  const { filter } = payload;
  return { context, filter: { ...filter, start: new Date(filter.start), end: new Date(filter.end) } };
}

const columns = ["id", "createdAt", "name", "severity", "count", "bookmark", "falsePositive", "observation", "url"] as const;

/** A row of the export. */
export interface ExportedAlert extends Pick<Alert, (typeof columns)[number]> {
  /** The facility's local time, as if it were UTC. */
  localTime: Date;
  facility: string;
  camera: string | null;
  /** The name of the rule that raised it; null if there is none or it has been deleted. */
  rule: string | null;
  /** The names of the violated areas; their IDs if the rule has been deleted. */
  areas: string[];
}

type ReadAlert = Omit<ExportedAlert, "rule" | "areas"> & Pick<Alert, "alertRuleId" | "areaIds">;

/**
 * The alerts that match a filter, newest first, in pages, of all facilities where the caller holds alerts:read. Alerts that are
 * recorded after the start are not included, except that those of transactions in progress may appear on later pages. The next
 * page is read while the current one is processed.
 */
export async function* exportedAlerts(context: RequestContext, filter: AlertFilter): AsyncGenerator<ExportedAlert[]> {
  context.answerSize.removeLimit();
  // `recordedAt` is rounded to milliseconds, so that the latest value may be slightly in the future.
  const clock = Prisma.sql`SELECT clock_timestamp() + interval '1 millisecond' AS "now"`;
  const [{ now: startedAt }] = (await context.visible.query<{ now: Date }>(() => clock)) as [{ now: Date }];
  const conditions = [...conditionsOf(filter), Prisma.sql`item."recordedAt" <= ${startedAt}::timestamptz`];
  const facilities = facilitiesWithPermission(context.caller, "alerts:read");
  if (facilities !== "all") conditions.push(Prisma.sql`item."facilityId" = ANY(${facilities}::uuid[])`);
  let next: Promise<ReadAlert[]> | undefined = readPage(context, conditions);
  while (next) {
    const page: ReadAlert[] = await next;
    const last = page.length === rowsPerPage ? page.at(-1) : undefined;
    next = last && readPage(context, [...conditions, Prisma.sql`(item."createdAt", item."id") < (${last.createdAt}::timestamptz, ${last.id}::uuid)`]);
    // If the consumer stops here, nobody awaits this page.
    next?.catch(() => {});
    yield await withRules(context, page);
  }
}

function readPage(context: RequestContext, conditions: Prisma.Sql[]): Promise<ReadAlert[]> {
  return context.visible.query<ReadAlert>(
    ({ alerts, facilities }) => Prisma.sql`
      SELECT item.*, item."createdAt" AT TIME ZONE facility."timeZoneId" AT TIME ZONE 'UTC' AS "localTime", facility."name" AS "facility", camera."name" AS "camera"
      FROM (
        SELECT ${Prisma.raw([...columns, "facilityId", "cameraId", "alertRuleId", "areaIds"].map((name) => `item."${name}"`).join(", "))}
        FROM ${alerts} AS item WHERE ${Prisma.join(conditions, " AND ")}
        ORDER BY item."createdAt" DESC, item."id" DESC LIMIT ${rowsPerPage}::int
      ) AS item
      JOIN ${facilities} AS facility ON facility."id" = item."facilityId"
      LEFT JOIN "Camera" AS camera ON camera."workspaceId" = ${context.caller.workspaceId}::uuid AND camera."id" = item."cameraId"
      ORDER BY item."createdAt" DESC, item."id" DESC`,
  );
}

async function withRules(context: RequestContext, page: ReadAlert[]): Promise<ExportedAlert[]> {
  const ids = [...new Set(page.flatMap(({ alertRuleId }) => alertRuleId ?? []))];
  const rules = await alertRuleById(context, columnsOnly(["cameraId", "group", "id", "name"])).loadMany(ids);
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
