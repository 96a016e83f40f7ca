import { Prisma } from "../../generated/prisma/client.js";
import type { WriteAccess } from "../../operation/write.js";
import type { AlertMarksInput } from "./alert-marks.input.js";

/** For how long a change of marks can be undone. */
export const undoLifetimeMs = 3_600_000;

/** The marks to change, without those that stay as they are. */
export type GivenMarks = { [Mark in keyof AlertMarksInput]?: boolean };

export const givenMarks = (marks: AlertMarksInput): GivenMarks =>
  Object.fromEntries(Object.entries(marks).filter(([, value]) => value != null));

/**
 * Sets or removes marks on alerts, and stores who changed them and when. A mark that an
 * alert already has keeps who set it first. One statement for all marks: its triggers
 * lock the counts of open alerts in one order, so that writers cannot deadlock.
 */
export async function setMarks(
  { transaction, caller, now }: WriteAccess,
  ids: readonly string[],
  { bookmark, falsePositive, acknowledged }: GivenMarks,
): Promise<void> {
  const by = Prisma.sql`${caller.id}::uuid`;
  const at = Prisma.sql`${now}::timestamptz`;
  const flag = (mark: "bookmark" | "falsePositive", value: boolean) => {
    const [name, changedById, changedAt] = [mark, `${mark}ChangedById`, `${mark}ChangedAt`].map((column) =>
      Prisma.raw(`"${column}"`),
    );
    return [
      Prisma.sql`${name} = ${value}::boolean`,
      Prisma.sql`${changedById} = CASE WHEN ${name} = ${value}::boolean THEN ${changedById} ELSE ${by} END`,
      Prisma.sql`${changedAt} = CASE WHEN ${name} = ${value}::boolean THEN ${changedAt} ELSE ${at} END`,
    ];
  };
  const acknowledgement = acknowledged
    ? [
        Prisma.sql`"acknowledgedById" = CASE WHEN "acknowledgedAt" IS NULL THEN ${by} ELSE "acknowledgedById" END`,
        Prisma.sql`"acknowledgedAt" = coalesce("acknowledgedAt", ${at})`,
      ]
    : [Prisma.sql`"acknowledgedById" = NULL`, Prisma.sql`"acknowledgedAt" = NULL`];
  const values = [
    ...(bookmark === undefined ? [] : flag("bookmark", bookmark)),
    ...(falsePositive === undefined ? [] : flag("falsePositive", falsePositive)),
    ...(acknowledged === undefined ? [] : acknowledgement),
  ];
  await transaction.$executeRaw(Prisma.sql`
    UPDATE "Alert" SET ${Prisma.join(values, ", ")}
    WHERE "workspaceId" = ${caller.workspaceId}::uuid AND "id" = ANY(${ids}::uuid[])`);
}

/** Keeps the marks of alerts as they are before the change: of each mark that changes. */
export async function keepMarks(
  { transaction, caller, now }: WriteAccess,
  changeId: string,
  ids: readonly string[],
  { bookmark, falsePositive, acknowledged }: GivenMarks,
): Promise<void> {
  const before = (current: Prisma.Sql, value: boolean | undefined) =>
    value === undefined
      ? Prisma.sql`NULL::boolean`
      : Prisma.sql`CASE WHEN ${current} <> ${value}::boolean THEN ${current} END`;
  await transaction.$executeRaw(Prisma.sql`
    INSERT INTO "AlertMarkChange" ("workspaceId", "changeId", "alertId", "callerId", "createdAt",
      "bookmark", "bookmarkChangedById", "bookmarkChangedAt", "falsePositive", "falsePositiveChangedById", "falsePositiveChangedAt",
      "acknowledged", "acknowledgedById", "acknowledgedAt")
    SELECT "workspaceId", ${changeId}::uuid, "id", ${caller.id}::uuid, ${now}::timestamptz,
      ${before(Prisma.sql`"bookmark"`, bookmark)}, "bookmarkChangedById", "bookmarkChangedAt",
      ${before(Prisma.sql`"falsePositive"`, falsePositive)}, "falsePositiveChangedById", "falsePositiveChangedAt",
      ${before(Prisma.sql`("acknowledgedAt" IS NOT NULL)`, acknowledged)}, "acknowledgedById", "acknowledgedAt"
    FROM "Alert" WHERE "workspaceId" = ${caller.workspaceId}::uuid AND "id" = ANY(${ids}::uuid[])`);
}

/**
 * The alerts of a change that the caller made and may still undo. Locks the change, so
 * that it is undone once.
 */
export async function lockChange(
  { transaction, caller, now }: WriteAccess,
  changeId: string,
): Promise<string[]> {
  const since = new Date(now.getTime() - undoLifetimeMs);
  const rows = await transaction.$queryRaw<{ alertId: string }[]>(Prisma.sql`
    SELECT "alertId" FROM "AlertMarkChange"
    WHERE "workspaceId" = ${caller.workspaceId}::uuid AND "changeId" = ${changeId}::uuid
      AND "callerId" = ${caller.id}::uuid AND "createdAt" > ${since}::timestamptz
    ORDER BY "alertId" FOR UPDATE`);
  return rows.map(({ alertId }) => alertId);
}

/**
 * Puts the marks of alerts back that still are as a change left them, and forgets the
 * change. Returns the ids of the alerts that changed.
 */
export async function putMarksBack(
  { transaction, caller: { workspaceId } }: WriteAccess,
  changeId: string,
  ids: readonly string[],
): Promise<string[]> {
  const isAsLeft = {
    bookmark: Prisma.sql`(kept."bookmark" <> alert."bookmark" AND alert."bookmarkChangedById" = kept."callerId" AND alert."bookmarkChangedAt" = kept."createdAt")`,
    falsePositive: Prisma.sql`(kept."falsePositive" <> alert."falsePositive" AND alert."falsePositiveChangedById" = kept."callerId" AND alert."falsePositiveChangedAt" = kept."createdAt")`,
    acknowledged: Prisma.sql`(kept."acknowledged" <> (alert."acknowledgedAt" IS NOT NULL)
      AND (kept."acknowledged" OR (alert."acknowledgedById" = kept."callerId" AND alert."acknowledgedAt" = kept."createdAt")))`,
  };
  const columns: [keyof GivenMarks, string][] = [
    ["bookmark", "bookmark"],
    ["bookmark", "bookmarkChangedById"],
    ["bookmark", "bookmarkChangedAt"],
    ["falsePositive", "falsePositive"],
    ["falsePositive", "falsePositiveChangedById"],
    ["falsePositive", "falsePositiveChangedAt"],
    ["acknowledged", "acknowledgedById"],
    ["acknowledged", "acknowledgedAt"],
  ];
  const named = columns.map(([mark, name]) => ({ mark, column: Prisma.raw(`"${name}"`) }));
  const values = named.map(
    ({ mark, column }) =>
      Prisma.sql`CASE WHEN ${isAsLeft[mark]} THEN kept.${column} ELSE alert.${column} END`,
  );
  // Subqueries look up each alert by its key. For a join, the planner knows nothing of
  // the rows that were just added, and may compare each with each.
  const ofAlert = Prisma.sql`
    FROM "AlertMarkChange" AS kept
    WHERE kept."workspaceId" = ${workspaceId}::uuid AND kept."changeId" = ${changeId}::uuid AND kept."alertId" = alert."id"`;
  const rows = await transaction.$queryRaw<{ id: string }[]>(Prisma.sql`
    UPDATE "Alert" AS alert SET (${Prisma.join(named.map(({ column }) => column))}) = (SELECT ${Prisma.join(values)} ${ofAlert})
    WHERE alert."workspaceId" = ${workspaceId}::uuid AND alert."id" = ANY(${ids}::uuid[])
      AND (SELECT ${Prisma.join(Object.values(isAsLeft), " OR ")} ${ofAlert})
    RETURNING alert."id"`);
  await transaction.alertMarkChange.deleteMany({ where: { workspaceId, changeId } });
  return rows.map(({ id }) => id);
}
