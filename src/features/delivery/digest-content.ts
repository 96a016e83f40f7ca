import { loadUser } from "../../engine/access/caller.js";
import { limitedTo } from "../../engine/access/permissions.js";
import type { ReadStatement } from "../../engine/database/statement-text.js";
import { VisibleRecords } from "../../engine/reading/visibility.js";
import { type Digest, Prisma } from "../../generated/prisma/client.js";
import { defined } from "../../platform/defined.js";
import { later } from "../../platform/time.js";
import { streamError } from "../camera/status/status-detail.js";

const hourMs = 3_600_000;
const periodHours = 24;
/** A digest that was due longer ago is not sent any more. */
export const maxDigestDelayMs = hourMs;
const maxListed = 20;

/** The severities that a digest lists, the gravest first. All others, which may be any text, count as one. */
const listedSeverities = ["CRITICAL", "HIGH", "MEDIUM", "LOW"] as const;

export type SeverityGroup = (typeof listedSeverities)[number] | "OTHER" | "NONE";

export type SeverityCounts = readonly { severity: SeverityGroup; count: number }[];

export interface ShortList<Item> {
  items: readonly Item[];
  total: number;
}

export interface AwayPlace {
  id: string;
  name: string;
  /** Since when it is away; null if that is not known. */
  since: Date | null;
}

/** The content of a digest: the alerts of 24 hours, and the places that are away now. */
export interface DigestContent {
  start: Date;
  end: Date;
  timeZoneId: string;
  /** The alerts of the period that are neither false positives nor observations. */
  raised: number;
  /** The raised alerts that are not acknowledged. */
  open: number;
  openBySeverity: SeverityCounts;
  /** The facilities with open alerts of the period, those with most first. */
  openByFacility: ShortList<{ id: string; name: string; open: number; bySeverity: SeverityCounts }>;
  /** The start of the hour with the most alerts of the period; null if there were none. */
  worstHour: { start: Date; raised: number } | null;
  /** All open alerts, whenever they were raised. */
  openInAll: number;
  awayFacilities: ShortList<AwayPlace>;
  awayCameras: ShortList<AwayPlace & { facilityName: string }>;
}

/**
 * Reads the content of a digest: what its user may see now, at some facilities only if the digest is limited to them.
 * Null if the user has been removed, or if nothing happened in the 24 hours before `end` and nothing is away.
 */
export async function digestContent(
  read: ReadStatement,
  { workspaceId, userId, timeZoneId, facilityIds }: Digest,
  { end, now, heartbeatTimeout }: { end: Date; now: Date; heartbeatTimeout: number },
): Promise<DigestContent | null> {
  const stored = await loadUser({ read }, { workspaceId, id: userId });
  if (!stored) return null;
  const caller = facilityIds.length > 0 ? limitedTo(stored.caller, facilityIds) : stored.caller;
  const visible = new VisibleRecords({ read, now: () => now, heartbeatTimeout }, caller);
  const start = later(end, -periodHours * hourMs);
  const alerts = await alertsOf(visible, start, end);
  const awayFacilities = await readAwayFacilities(visible);
  const awayCameras = await readAwayCameras(visible);
  if (alerts.raised === 0 && awayFacilities.total === 0 && awayCameras.total === 0) return null;
  const openInAll = await readOpenInAll(visible);
  return { start, end, timeZoneId, ...alerts, openInAll, awayFacilities, awayCameras };
}

type AlertGroup = Record<SeverityGroup, number> & {
  facilityId: string | null;
  facilityName: string | null;
  /** The number of whole hours from the alerts to the end of the period. */
  hoursBefore: number | null;
  raised: number;
  open: number;
};

/**
 * Counts the alerts of a period in one scan of it: counts by days cannot tell which alerts are open, nor
 * their hours.
 */
async function alertsOf(visible: VisibleRecords, start: Date, end: Date) {
  const groups = await visible.query<AlertGroup>(({ alerts, facilities }) => {
    const isOpen = Prisma.sql`alert."acknowledgedAt" IS NULL`;
    const listed = Prisma.sql`${[...listedSeverities]}::text[]`;
    const openOf = (severity: SeverityGroup, condition: Prisma.Sql) =>
      Prisma.sql`(count(*) FILTER (WHERE ${isOpen} AND ${condition}))::int AS ${Prisma.raw(`"${severity}"`)}`;
    const bySeverity = Prisma.join([
      ...listedSeverities.map((each) => openOf(each, Prisma.sql`upper(alert."severity") = ${each}`)),
      openOf("OTHER", Prisma.sql`upper(alert."severity") <> ALL(${listed})`),
      openOf("NONE", Prisma.sql`alert."severity" IS NULL`),
    ]);
    return Prisma.sql`
      SELECT counted.*, facility."name" AS "facilityName"
      FROM (
        SELECT alert."facilityId", alert."hoursBefore", count(*)::int AS "raised", (count(*) FILTER (WHERE ${isOpen}))::int AS "open", ${bySeverity}
        FROM (
          SELECT item."facilityId", item."severity", item."acknowledgedAt",
            ceil(extract(epoch FROM ${end}::timestamptz - item."createdAt") / 3600)::int - 1 AS "hoursBefore"
          FROM ${alerts} AS item
          WHERE item."createdAt" >= ${start}::timestamptz AND item."createdAt" < ${end}::timestamptz
            AND NOT item."falsePositive" AND NOT item."observation"
        ) AS alert
        GROUP BY GROUPING SETS ((), (alert."facilityId"), (alert."hoursBefore"))
      ) AS counted
      LEFT JOIN ${facilities} AS facility ON facility."id" = counted."facilityId"
      WHERE counted."facilityId" IS NULL OR counted."open" > 0
      ORDER BY counted."open" DESC, facility."name", counted."facilityId"`;
  });
  const hours = groups.filter(({ hoursBefore }) => hoursBefore !== null);
  const byFacility = groups.filter(({ facilityId }) => facilityId !== null);
  const all = groups.find(({ facilityId, hoursBefore }) => facilityId === null && hoursBefore === null);
  return {
    raised: all?.raised ?? 0,
    open: all?.open ?? 0,
    openBySeverity: all ? severityCounts(all) : [],
    openByFacility: {
      items: byFacility.slice(0, maxListed).map((group) => ({
        id: defined(group.facilityId),
        name: group.facilityName ?? "",
        open: group.open,
        bySeverity: severityCounts(group),
      })),
      total: byFacility.length,
    },
    worstHour: worstOf(hours, end),
  };
}

const severityCounts = (group: AlertGroup): SeverityCounts =>
  ([...listedSeverities, "OTHER", "NONE"] as const)
    .map((severity) => ({ severity, count: group[severity] }))
    .filter(({ count }) => count > 0);

/** The hour with the most alerts; the first of several. */
function worstOf(hours: readonly AlertGroup[], end: Date): DigestContent["worstHour"] {
  const [worst] = hours.toSorted(
    (one, other) => other.raised - one.raised || Number(other.hoursBefore) - Number(one.hoursBefore),
  );
  if (!worst) return null;
  return { start: later(end, -(Number(worst.hoursBefore) + 1) * hourMs), raised: worst.raised };
}

async function readOpenInAll(visible: VisibleRecords): Promise<number> {
  const [row] = await visible.query<{ open: number }>(
    ({ openAlertCounts }) =>
      Prisma.sql`SELECT coalesce(sum(kept."count"), 0)::int AS "open" FROM ${openAlertCounts} AS kept`,
  );
  return row?.open ?? 0;
}

type Counted<Item> = Item & { total: number };

const shortList = <Item>(rows: readonly Counted<Item>[]): ShortList<Item> => ({
  items: rows,
  total: rows[0]?.total ?? 0,
});

/**
 * The facilities that people were told of as offline, the longest silent first. The fleet shows them earlier, and those
 * that never sent a heartbeat, which would be away in every digest.
 */
async function readAwayFacilities(visible: VisibleRecords): Promise<DigestContent["awayFacilities"]> {
  return shortList(
    await visible.query<Counted<AwayPlace>>(
      ({ facilities }) => Prisma.sql`
        SELECT item."id", item."name", item."lastHeartbeatAt" AS "since", (count(*) OVER ())::int AS "total" FROM ${facilities} AS item
        WHERE item."offlineToldAt" IS NOT NULL ORDER BY item."lastHeartbeatAt", item."id" LIMIT ${maxListed}::int`,
    ),
  );
}

/**
 * The cameras whose stream cannot be opened, by the names of their facilities. Excludes cameras at
 * facilities that are away, because nothing is known about these. A camera is away since the first such
 * report after the last different one.
 */
async function readAwayCameras(visible: VisibleRecords): Promise<DigestContent["awayCameras"]> {
  return shortList(
    await visible.query<Counted<AwayPlace & { facilityName: string }>>(
      ({ cameras, facilities, statusChanges }) => Prisma.sql`
        SELECT camera.*, (
          SELECT min(change."createdAt") FROM ${statusChanges} AS change
          WHERE change."cameraId" = camera."id" AND change."createdAt" > coalesce((
            SELECT max(other."createdAt") FROM ${statusChanges} AS other
            WHERE other."cameraId" = camera."id" AND other."statusDetail" <> ${streamError}), '-infinity')
        ) AS "since"
        FROM (
          SELECT item."id", item."name", facility."name" AS "facilityName", (count(*) OVER ())::int AS "total"
          FROM ${cameras} AS item JOIN ${facilities} AS facility ON facility."id" = item."facilityId"
          WHERE item."statusDetail" = ${streamError} AND facility."offlineToldAt" IS NULL ORDER BY facility."name", item."name", item."id" LIMIT ${maxListed}::int
        ) AS camera
        ORDER BY camera."facilityName", camera."name", camera."id"`,
    ),
  );
}
