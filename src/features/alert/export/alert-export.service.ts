import { identityOf } from "../../../engine/access/credentials.js";
import { assertCanSomewhere, facilitiesWithPermission } from "../../../engine/access/permissions.js";
import type { GatewayRequest, RequestContext } from "../../../engine/operation/request-context.js";
import { authenticateByPayload, type SignedPayload } from "../../../engine/operation/signed-payload.js";
import { newestFirst } from "../../../engine/reading/list-order.js";
import { columnsOnly } from "../../../engine/reading/selection/selection.js";
import type { VisibleSources } from "../../../engine/reading/visibility.js";
import { type Alert, Prisma } from "../../../generated/prisma/client.js";
import { defined } from "../../../platform/defined.js";
import { badRequest } from "../../../platform/errors/errors.js";
import type { CsvSeparator } from "../../../platform/spreadsheet/csv.js";
import type { LanguageCode } from "../../../platform/text/language.js";
import { later } from "../../../platform/time.js";
import { alertRuleById } from "../../alert-rule/alert-rule.loader.js";
import { areasOf, ruleNode } from "../../alert-rule/rule-tree.js";
import { facilityTimeZone } from "../../facility/facility.loader.js";
import { actingUser, nameOf } from "../../user/user.service.js";
import type { AlertFilter } from "../alert.input.js";
import { conditionsOf } from "../alert-conditions.js";
import { alertsInLocalTime } from "../local-conditions.js";
import { countsFromToday } from "../local-time.input.js";
import { type FullAlertRow, fullAlertColumns } from "../recording/full-alert.js";
import { type AlertExport, AlertExportFormat } from "./alert-export.type.js";

const linkLifetimeMs = 5 * 60_000;
const maxLinkLength = 60_000;
const rowsPerPage = 1000;
const purpose = "alerts/export";

interface ExportTicket extends SignedPayload {
  filter: AlertFilter;
  /** The creation time of the link in milliseconds. Relative days and weeks of the filter refer to this time. */
  askedAt?: number;
  /** Missing in links that an earlier version signed. Those expire within minutes. */
  format?: AlertExportFormat;
  separator?: CsvSeparator;
  /** Missing in such links, too. */
  language?: LanguageCode;
}

/** The payload as it arrives: JSON has texts instead of dates. */
interface OpenedTicket extends Omit<ExportTicket, "filter"> {
  filter: {
    [Field in keyof AlertFilter]: AlertFilter[Field] extends Date | null | undefined
      ? string | null
      : AlertFilter[Field];
  };
}

type RequestedExport = Pick<OpenedExport, "filter" | "format" | "separator" | "language">;

/** Creates a link to an export, which needs no credentials. Requires alerts:read at some facility. */
export async function exportAlerts(
  context: RequestContext,
  requested: RequestedExport,
): Promise<AlertExport> {
  assertCanSomewhere(context.caller, "alerts:read");
  const { links, now } = context.services;
  const expiresAt = later(now(), linkLifetimeMs);
  const askedAt = context.visible.now.getTime();
  const ticket: ExportTicket = {
    identity: identityOf(context.session),
    ...requested,
    ...(countsFromToday(requested.filter) && { askedAt }),
  };
  const url = await links.signPayload(purpose, ticket, expiresAt);
  if (!url || url.length > maxLinkLength)
    throw badRequest([{ path: "filter", message: "has too many values for an export" }]);
  return { url, expiresAt };
}

export interface OpenedExport {
  context: RequestContext;
  filter: AlertFilter;
  askedAt: Date;
  format: AlertExportFormat;
  separator: CsvSeparator;
  /** The language of headers and of types in words. */
  language: LanguageCode;
}

/** Opens an export by its signed link. NOT_FOUND if the link is invalid or has expired. */
export async function openExport(request: GatewayRequest, signed: string): Promise<OpenedExport> {
  const { context, payload } = await authenticateByPayload<OpenedTicket>(request, purpose, signed);
  assertCanSomewhere(context.caller, "alerts:read");
  const { filter, askedAt, format = AlertExportFormat.XLSX, separator = ",", language = "en" } = payload;
  const { start, end, ...conditions } = filter;
  return {
    context,
    filter: {
      ...conditions,
      ...(start != null && { start: new Date(start) }),
      ...(end != null && { end: new Date(end) }),
    },
    askedAt: askedAt === undefined ? context.visible.now : new Date(askedAt),
    format,
    separator,
    language,
  };
}

interface Page<Row> {
  rows: Row[];
  /** The last matching alert that was read for the page; undefined if there are no more. */
  last: Pick<Alert, "createdAt" | "id"> | undefined;
}

type PageReader<Row> = (opened: OpenedExport, conditions: Prisma.Sql[]) => Promise<Page<Row>>;

/**
 * Pages of the alerts that match a filter, newest first, of all facilities where the caller holds alerts:read. Excludes
 * alerts recorded after the start, except by transactions then in progress. Reads the next page while the current one
 * is processed.
 */
async function* pagesOf<Row>(opened: OpenedExport, read: PageReader<Row>): AsyncGenerator<Row[]> {
  const { context, filter } = opened;
  context.answerSize.removeLimit();
  // The database rounds `recordedAt` to milliseconds, so the latest value may be slightly in the future.
  const clock = Prisma.sql`SELECT clock_timestamp() + interval '1 millisecond' AS "now"`;
  const { now: startedAt } = defined((await context.visible.query<{ now: Date }>(() => clock))[0]);
  const conditions = [...conditionsOf(filter), Prisma.sql`item."recordedAt" <= ${startedAt}::timestamptz`];
  const facilities = facilitiesWithPermission(context.caller, "alerts:read");
  if (facilities !== "all") conditions.push(Prisma.sql`item."facilityId" = ANY(${facilities}::uuid[])`);
  let next: Promise<Page<Row>> | undefined = read(opened, conditions);
  while (next) {
    const { rows, last }: Page<Row> = await next;
    next =
      last &&
      read(opened, [
        ...conditions,
        Prisma.sql`(item."createdAt", item."id") < (${last.createdAt}::timestamptz, ${last.id}::uuid)`,
      ]);
    // Nobody awaits this page if the consumer stops here.
    next?.catch(() => {});
    yield rows;
  }
}

/** Selects the newest matching alerts as `item`, with these columns and the time zone of their facility. */
function newestAlerts(
  sources: VisibleSources,
  { filter, askedAt }: OpenedExport,
  columns: readonly string[],
  conditions: Prisma.Sql[],
): Prisma.Sql {
  const { clause, rows } = alertsInLocalTime(
    { ...sources, now: Prisma.sql`${askedAt}::timestamptz` },
    filter,
    newestFirst.forwards,
  );
  return Prisma.sql`
    ${clause}SELECT ${Prisma.raw([...columns, "facilityId"].map((name) => `item."${name}"`).join(", "))}
    FROM ${rows} AS item WHERE ${Prisma.join(conditions, " AND ")}
    ORDER BY ${newestFirst.forwards} LIMIT ${rowsPerPage}::int`;
}

/**
 * Include the alerts of a facility that someone removed by SQL. Without them, a page would not be full, and
 * would look like the last one.
 */
const timeZone = Prisma.sql`coalesce(${facilityTimeZone}, 'UTC')`;

interface ExportedTriage {
  acknowledgedAt: Date | null;
  /** The name of the user who acknowledged the alert; null also if the caller may not see it. */
  acknowledgedBy: string | null;
  comments: number;
  newestComment: string | null;
}

const triageColumns = ["acknowledgedAt", "acknowledgedById"] as const;

type ReadTriage = Pick<Alert, (typeof triageColumns)[number]> &
  Pick<ExportedTriage, "comments" | "newestComment">;

/** The number of comments on `item`, and the newest one. */
function commentColumns({ alertComments }: VisibleSources): Prisma.Sql {
  const comments = Prisma.sql`${alertComments} AS comment WHERE comment."alertId" = item."id"`;
  return Prisma.sql`(SELECT count(*)::int FROM ${comments}) AS "comments",
    (SELECT comment."text" FROM ${comments} ORDER BY comment."createdAt" DESC, comment."id" DESC LIMIT 1) AS "newestComment"`;
}

/**
 * The names of the users who acknowledged these alerts, by their ids. Callers without users:read get none,
 * not even their own.
 */
async function acknowledgerNames(
  context: RequestContext,
  alerts: readonly ReadTriage[],
): Promise<Map<string, string>> {
  if (facilitiesWithPermission(context.caller, "users:read").length === 0) return new Map();
  const ids = [...new Set(alerts.flatMap(({ acknowledgedById }) => acknowledgedById ?? []))];
  const users = await Promise.all(ids.map((id) => actingUser(context, userColumns, id)));
  return new Map(users.flatMap((user) => (user ? [[user.id, nameOf(user)]] : [])));
}

const userColumns = columnsOnly(["email", "firstName", "id", "lastName"]);

/** Replaces the ids of users in a page of alerts by their names. */
async function withAcknowledgers<Row extends ReadTriage>(
  context: RequestContext,
  page: readonly Row[],
): Promise<(Omit<Row, "acknowledgedById"> & ExportedTriage)[]> {
  const names = await acknowledgerNames(context, page);
  return page.map(({ acknowledgedById, ...alert }) => ({
    ...alert,
    acknowledgedBy: (acknowledgedById && names.get(acknowledgedById)) ?? null,
  }));
}

const columns = [
  "id",
  "createdAt",
  "alertRuleName",
  "name",
  "severity",
  "count",
  "bookmark",
  "falsePositive",
  "observation",
  "url",
] as const;

export interface ExportedAlert extends Pick<Alert, (typeof columns)[number]>, ExportedTriage {
  /** The local time of the facility, as if it were UTC. */
  localTime: Date;
  timeZoneId: string;
  facility: string | null;
  camera: string | null;
  /** The type of the rule that raised the alert; null if there is none or it was deleted. */
  rule: string | null;
  ruleInWords: string | null;
  /** The names of the violated areas, or their IDs if the rule was deleted. */
  areas: string[];
}

type ReadAlert = Omit<ExportedAlert, "rule" | "ruleInWords" | "areas" | "acknowledgedBy"> &
  ReadTriage &
  Pick<Alert, "alertRuleId" | "areaIds">;

export async function* exportedAlerts(opened: OpenedExport): AsyncGenerator<ExportedAlert[]> {
  const { context } = opened;
  for await (const page of pagesOf(opened, readRows))
    yield await withAcknowledgers(context, await withRules(context, page));
}

async function readRows(opened: OpenedExport, conditions: Prisma.Sql[]): Promise<Page<ReadAlert>> {
  const { caller, visible } = opened.context;
  const rows = await visible.query<ReadAlert>(
    (sources) => Prisma.sql`
      SELECT item.*, item."createdAt" AT TIME ZONE ${timeZone} AT TIME ZONE 'UTC' AS "localTime", ${timeZone} AS "timeZoneId",
        facility."name" AS "facility", camera."name" AS "camera", ${commentColumns(sources)}
      FROM (${newestAlerts(sources, opened, [...columns, ...triageColumns, "cameraId", "alertRuleId", "areaIds"], conditions)}) AS item
      LEFT JOIN ${sources.facilities} AS facility ON facility."id" = item."facilityId"
      LEFT JOIN "Camera" AS camera ON camera."workspaceId" = ${caller.workspaceId}::uuid AND camera."id" = item."cameraId"
      ORDER BY item."createdAt" DESC, item."id" DESC`,
  );
  return { rows, last: rows.length === rowsPerPage ? rows.at(-1) : undefined };
}

async function withRules(context: RequestContext, page: readonly ReadAlert[]) {
  const ids = [...new Set(page.flatMap(({ alertRuleId }) => alertRuleId ?? []))];
  const rules = await alertRuleById(
    context,
    columnsOnly(["cameraId", "group", "id", "name", "pretty"]),
  ).loadMany(ids);
  const known = new Map<string, { name: string; inWords: string | null; areas: Map<string, string> }>();
  for (const rule of rules) {
    if (rule instanceof Error) throw rule;
    if (!rule) continue;
    const areas = areasOf(ruleNode(rule.group)).map(({ id, name }) => [id, name ?? id] as const);
    known.set(rule.id, {
      name: defined(rule.name),
      inWords: rule.pretty ?? null,
      areas: new Map(areas),
    });
  }
  return page.map(({ alertRuleId, areaIds, ...alert }) => {
    const rule = alertRuleId === null ? undefined : known.get(alertRuleId);
    const areas = areaIds.map((id) => rule?.areas.get(id) ?? id);
    return { ...alert, rule: rule?.name ?? null, ruleInWords: rule?.inWords ?? null, areas };
  });
}

export type ExportedFullAlert = FullAlertRow &
  Pick<Alert, "alertRuleName"> &
  ExportedTriage & { timeZoneId: string };

type ReadFullAlert = Omit<ExportedFullAlert, "acknowledgedBy"> & ReadTriage;

export async function* exportedFullAlerts(opened: OpenedExport): AsyncGenerator<ExportedFullAlert[]> {
  for await (const page of pagesOf(opened, readFullAlerts))
    yield await withAcknowledgers(opened.context, page);
}

/** The bytes that end a page with the alert that reaches them: a single alert may take hundreds of kilobytes. */
const maxPageBytes = 4 * 1024 * 1024;
const largeColumns = ["violatingCoordinates", "area", "info"] as const;

async function readFullAlerts(opened: OpenedExport, conditions: Prisma.Sql[]): Promise<Page<ReadFullAlert>> {
  const bytes = Prisma.raw(
    largeColumns.map((name) => `coalesce(octet_length(item."${name}"::text), 0)`).join(" + "),
  );
  const rows = await opened.context.visible.query<ReadFullAlert & { found: number }>(
    (sources) => Prisma.sql`
      SELECT item.*, ${timeZone} AS "timeZoneId", ${commentColumns(sources)}
      FROM (
        SELECT item.*, (count(*) OVER ())::int AS "found",
          sum(${bytes}) OVER (ORDER BY item."createdAt" DESC, item."id" DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS "bytesBefore"
        FROM (${newestAlerts(sources, opened, [...fullAlertColumns, "alertRuleName", ...triageColumns], conditions)}) AS item
      ) AS item
      LEFT JOIN ${sources.facilities} AS facility ON facility."id" = item."facilityId"
      WHERE item."bytesBefore" IS NULL OR item."bytesBefore" < ${maxPageBytes}::int
      ORDER BY item."createdAt" DESC, item."id" DESC`,
  );
  const isLast = rows.length < rowsPerPage && rows.length === (rows[0]?.found ?? 0);
  return { rows, last: isLast ? undefined : rows.at(-1) };
}
