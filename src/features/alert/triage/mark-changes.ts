import type { WriteAccess } from "../../../engine/operation/write.js";
import { Prisma } from "../../../generated/prisma/client.js";
import { later } from "../../../platform/time.js";
import type { AlertMarksInput } from "./alert-triage.input.js";

/** For how long a change of marks can be undone. */
export const undoLifetimeMs = 3_600_000;

/** The marks to change, without those that stay as they are. */
type GivenMarks = { [Mark in keyof AlertMarksInput]?: boolean };

export const givenMarks = (marks: AlertMarksInput): GivenMarks =>
  Object.fromEntries(Object.entries(marks).filter(([, value]) => value != null));

/**
 * Sets or removes marks on alerts, and stores who changed them and when. A mark that an alert already has keeps who set
 * it first. One statement for all marks: its triggers lock the counts of open alerts in one order, so that writers
 * cannot deadlock.
 */
export async function setMarks(
  { transaction, caller, now }: WriteAccess,
  ids: readonly string[],
  { bookmark = null, falsePositive = null, acknowledged = null }: AlertMarksInput,
): Promise<void> {
  const by = Prisma.sql`${caller.id}::uuid`;
  const at = Prisma.sql`${now}::timestamptz`;
  await transaction.$executeRaw(Prisma.sql`
    UPDATE "Alert" SET
      "bookmark" = coalesce(${bookmark}::boolean, "bookmark"),
      "bookmarkChangedById" = CASE WHEN "bookmark" <> ${bookmark}::boolean THEN ${by} ELSE "bookmarkChangedById" END,
      "bookmarkChangedAt" = CASE WHEN "bookmark" <> ${bookmark}::boolean THEN ${at} ELSE "bookmarkChangedAt" END,
      "falsePositive" = coalesce(${falsePositive}::boolean, "falsePositive"),
      "falsePositiveChangedById" = CASE WHEN "falsePositive" <> ${falsePositive}::boolean THEN ${by} ELSE "falsePositiveChangedById" END,
      "falsePositiveChangedAt" = CASE WHEN "falsePositive" <> ${falsePositive}::boolean THEN ${at} ELSE "falsePositiveChangedAt" END,
      "acknowledgedById" = CASE WHEN ${acknowledged}::boolean AND "acknowledgedAt" IS NULL THEN ${by}
        WHEN ${acknowledged}::boolean IS NOT FALSE THEN "acknowledgedById" END,
      "acknowledgedAt" = CASE WHEN ${acknowledged}::boolean THEN coalesce("acknowledgedAt", ${at})
        WHEN ${acknowledged}::boolean IS NULL THEN "acknowledgedAt" END
    WHERE "workspaceId" = ${caller.workspaceId}::uuid AND "id" = ANY(${ids}::uuid[])`);
}

/** Keeps the marks of alerts as they are before the change: of each mark that changes. */
export async function keepMarks(
  { transaction, caller, now }: WriteAccess,
  changeId: string,
  ids: readonly string[],
  { bookmark = null, falsePositive = null, acknowledged = null }: AlertMarksInput,
): Promise<void> {
  await transaction.$executeRaw(Prisma.sql`
    INSERT INTO "AlertMarkChange" ("workspaceId", "changeId", "alertId", "callerId", "createdAt",
      "bookmark", "bookmarkChangedById", "bookmarkChangedAt", "falsePositive", "falsePositiveChangedById", "falsePositiveChangedAt",
      "acknowledged", "acknowledgedById", "acknowledgedAt")
    SELECT "workspaceId", ${changeId}::uuid, "id", ${caller.id}::uuid, ${now}::timestamptz,
      CASE WHEN "bookmark" <> ${bookmark}::boolean THEN "bookmark" END, "bookmarkChangedById", "bookmarkChangedAt",
      CASE WHEN "falsePositive" <> ${falsePositive}::boolean THEN "falsePositive" END, "falsePositiveChangedById", "falsePositiveChangedAt",
      CASE WHEN ("acknowledgedAt" IS NOT NULL) <> ${acknowledged}::boolean THEN "acknowledgedAt" IS NOT NULL END, "acknowledgedById", "acknowledgedAt"
    FROM "Alert" WHERE "workspaceId" = ${caller.workspaceId}::uuid AND "id" = ANY(${ids}::uuid[])`);
}

/** The alerts of a change that the caller made and may still undo. Locks the change, so that it is undone once. */
export async function lockChange(
  { transaction, caller, now }: WriteAccess,
  changeId: string,
): Promise<string[]> {
  const since = later(now, -undoLifetimeMs);
  const rows = await transaction.$queryRaw<{ alertId: string }[]>(Prisma.sql`
    SELECT "alertId" FROM "AlertMarkChange"
    WHERE "workspaceId" = ${caller.workspaceId}::uuid AND "changeId" = ${changeId}::uuid
      AND "callerId" = ${caller.id}::uuid AND "createdAt" > ${since}::timestamptz
    ORDER BY "alertId" FOR UPDATE`);
  return rows.map(({ alertId }) => alertId);
}

/** Puts marks back that still are as a change left them, forgets the change, and returns the changed alerts' ids. */
export async function putMarksBack(
  { transaction, caller: { workspaceId } }: WriteAccess,
  changeId: string,
  ids: readonly string[],
): Promise<string[]> {
  // Subqueries look up each alert by its key. A join, whose rows are new to the planner, may compare each with each.
  const ofAlert = Prisma.sql`
    FROM "AlertMarkChange" AS kept
    CROSS JOIN LATERAL (SELECT
      (kept."bookmark" <> alert."bookmark" AND alert."bookmarkChangedById" = kept."callerId" AND alert."bookmarkChangedAt" = kept."createdAt") AS "bookmark",
      (kept."falsePositive" <> alert."falsePositive" AND alert."falsePositiveChangedById" = kept."callerId" AND alert."falsePositiveChangedAt" = kept."createdAt") AS "falsePositive",
      (kept."acknowledged" <> (alert."acknowledgedAt" IS NOT NULL)
        AND (kept."acknowledged" OR (alert."acknowledgedById" = kept."callerId" AND alert."acknowledgedAt" = kept."createdAt"))) AS "acknowledged"
    ) AS as_left
    WHERE kept."workspaceId" = ${workspaceId}::uuid AND kept."changeId" = ${changeId}::uuid AND kept."alertId" = alert."id"`;
  const rows = await transaction.$queryRaw<{ id: string }[]>(Prisma.sql`
    UPDATE "Alert" AS alert SET (
      "bookmark", "bookmarkChangedById", "bookmarkChangedAt",
      "falsePositive", "falsePositiveChangedById", "falsePositiveChangedAt",
      "acknowledgedById", "acknowledgedAt"
    ) = (SELECT
      CASE WHEN as_left."bookmark" THEN kept."bookmark" ELSE alert."bookmark" END,
      CASE WHEN as_left."bookmark" THEN kept."bookmarkChangedById" ELSE alert."bookmarkChangedById" END,
      CASE WHEN as_left."bookmark" THEN kept."bookmarkChangedAt" ELSE alert."bookmarkChangedAt" END,
      CASE WHEN as_left."falsePositive" THEN kept."falsePositive" ELSE alert."falsePositive" END,
      CASE WHEN as_left."falsePositive" THEN kept."falsePositiveChangedById" ELSE alert."falsePositiveChangedById" END,
      CASE WHEN as_left."falsePositive" THEN kept."falsePositiveChangedAt" ELSE alert."falsePositiveChangedAt" END,
      CASE WHEN as_left."acknowledged" THEN kept."acknowledgedById" ELSE alert."acknowledgedById" END,
      CASE WHEN as_left."acknowledged" THEN kept."acknowledgedAt" ELSE alert."acknowledgedAt" END
      ${ofAlert})
    WHERE alert."workspaceId" = ${workspaceId}::uuid AND alert."id" = ANY(${ids}::uuid[])
      AND (SELECT as_left."bookmark" OR as_left."falsePositive" OR as_left."acknowledged" ${ofAlert})
    RETURNING alert."id"`);
  await transaction.alertMarkChange.deleteMany({ where: { workspaceId, changeId } });
  return rows.map(({ id }) => id);
}
