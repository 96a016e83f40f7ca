import { isInTransaction } from "../database/statement-text.js";
import { Prisma } from "../generated/prisma/client.js";
import { binaryArray, type ElementOf, type ElementType } from "../platform/binary-array.js";
import { isDivisionByZero, isUniqueViolation } from "../platform/database-errors.js";
import type { VisibleSources } from "../reading/visibility.js";
import type { RawWriteAccess } from "../request/write.js";
import { isPictureOf } from "./alert-upload.service.js";
import type { RecordAlertInput } from "./record-alerts.input.js";

/** Alerts to be inserted: how many, and a source of rows with the fields of the input. */
export interface GivenAlerts {
  count: number;
  rows: Prisma.Sql;
}

/** Writes alerts as statements take them; those without a class of storage get the default one. */
export function givenAlerts(alerts: readonly RecordAlertInput[], defaultStorageClass: string): GivenAlerts {
  const column = <Type extends ElementType>(type: Type, read: (alert: RecordAlertInput) => ElementOf<Type> | null | undefined) =>
    Prisma.sql`${binaryArray(type, alerts.map(read))}::${Prisma.raw(type)}[]`;
  // Arrays of different lengths do not make an array of arrays.
  const areaIds = column("text", ({ areaIds }) => areaIds && `{${areaIds.join(",")}}`);
  const rows = Prisma.sql`(
    SELECT "id", "cameraId", "alertRuleId", "name", coalesce("count", 1) AS "count", "createdAt", "uploadId", "url", "thumbnailUrl", "imageDimensions",
      "canvasDimensions", "violatingCoordinates", "area", coalesce("areaIds"::uuid[], '{}') AS "areaIds", "info", "storageClass"
    FROM unnest(${column("uuid", ({ id }) => id)}, ${column("uuid", ({ cameraId }) => cameraId)}, ${column("uuid", ({ alertRuleId }) => alertRuleId)},
      ${column("text", ({ name }) => name)}, ${column("int", ({ count }) => count)}, ${column("timestamptz", ({ createdAt }) => createdAt)},
      ${column("uuid", ({ uploadId }) => uploadId)}, ${column("text", ({ url }) => url)}, ${column("text", ({ thumbnailUrl }) => thumbnailUrl)},
      ${column("jsonb", ({ imageDimensions }) => imageDimensions)}, ${column("jsonb", ({ canvasDimensions }) => canvasDimensions)},
      ${column("jsonb", ({ violatingCoordinates }) => violatingCoordinates)}, ${column("jsonb", ({ area }) => area)}, ${areaIds},
      ${column("jsonb", ({ info }) => info)}, ${column("text", ({ storageClass }) => storageClass ?? defaultStorageClass)})
      AS each("id", "cameraId", "alertRuleId", "name", "count", "createdAt", "uploadId", "url", "thumbnailUrl", "imageDimensions", "canvasDimensions",
        "violatingCoordinates", "area", "areaIds", "info", "storageClass"))`;
  return { count: alerts.length, rows };
}

/** Joins the alerts with their rules and uploads, if any. */
const withOrigins = (visible: VisibleSources) => Prisma.sql`
  JOIN ${visible.cameras} AS camera ON camera."id" = given."cameraId"
  LEFT JOIN "AlertRule" AS rule ON rule."workspaceId" = camera."workspaceId" AND rule."id" = given."alertRuleId" AND rule."cameraId" = camera."id"
  LEFT JOIN ${visible.alertUploads} AS upload ON upload."id" = given."uploadId" AND upload."facilityId" = camera."facilityId" AND upload."url" IS NOT NULL`;

const hasRule = Prisma.sql`(given."alertRuleId" IS NULL OR rule."id" IS NOT NULL)`;
const hasUpload = Prisma.sql`(given."uploadId" IS NULL OR upload."id" IS NOT NULL)`;

/**
 * Has the database insert alerts in one statement. The write fails unless all can be: see {@link isIncompleteInsertion}. Since BEGIN may be on
 * its way, none are inserted where no transaction was begun.
 */
export function insertAllAlerts(write: RawWriteAccess, { count, rows }: GivenAlerts): Promise<void> {
  const result = Prisma.sql`1 / (count(*) = ${count})::int`;
  return write.sendVisible((sources) => insertion(sources, rows, { onUsedId: Prisma.empty, result, condition: Prisma.raw(isInTransaction) }));
}

/** Whether an insertion of all alerts failed because IDs are used already, because rules or uploads do not exist, or for want of a transaction. */
export const isIncompleteInsertion = (error: unknown): boolean => isUniqueViolation(error) || isDivisionByZero(error);

/**
 * Inserts those alerts whose IDs are not used and whose rules and uploads exist, and returns their IDs. Takes longer than to insert all, since
 * the database has to look up each ID before it writes.
 */
export async function insertNewAlerts({ visible }: RawWriteAccess, { rows }: GivenAlerts): Promise<string[]> {
  const onUsedId = Prisma.sql`ON CONFLICT ("workspaceId", "id") DO NOTHING`;
  const result = Prisma.sql`coalesce(array_agg("id"), '{}') AS "ids"`;
  const inserted = await visible.query<{ ids: string[] }>((sources) => insertion(sources, rows, { onUsedId, result, condition: Prisma.sql`true` }));
  return inserted.flatMap(({ ids }) => ids);
}

/** Inserts alerts of cameras that were locked before. It waits for concurrent insertions of the same IDs. */
function insertion(
  sources: VisibleSources,
  rows: Prisma.Sql,
  { onUsedId, result, condition }: { onUsedId: Prisma.Sql; result: Prisma.Sql; condition: Prisma.Sql },
): Prisma.Sql {
  // Ordered by ID, so that concurrent writers cannot deadlock. Citus would write the name of the table in RETURNING, which shards do not
  // have, unless it has an alias.
  return Prisma.sql`
      WITH inserted AS (
        INSERT INTO "Alert" AS recorded ("id", "workspaceId", "facilityId", "cameraId", "alertRuleId", "name", "severity", "observation", "count", "createdAt",
          "url", "thumbnailUrl", "imageDimensions", "canvasDimensions", "violatingCoordinates", "area", "areaIds", "storageClass", "info")
        SELECT given."id", camera."workspaceId", camera."facilityId", camera."id", given."alertRuleId", given."name",
          rule."severity", coalesce(rule."observation", false), given."count", given."createdAt",
          coalesce(upload."url", given."url"), coalesce(upload."thumbnailUrl", given."thumbnailUrl"),
          coalesce(given."imageDimensions", upload."imageDimensions"), given."canvasDimensions", given."violatingCoordinates", given."area",
          given."areaIds", given."storageClass", given."info"
        FROM ${rows} AS given ${withOrigins(sources)}
        WHERE ${hasRule} AND ${hasUpload} AND ${condition} ORDER BY given."id" ${onUsedId}
        RETURNING recorded."id"
      )
      SELECT ${result} FROM inserted`;
}

/** Why an alert was not inserted. */
export interface UnrecordedAlert {
  id: string;
  /** Whether the stored alert with its ID has the same content; null if there is none. */
  isSame: boolean | null;
  hasRule: boolean;
  hasUpload: boolean;
}

/** Determines why alerts were not inserted: all given ones except `insertedIds`. */
export function unrecordedAlerts(
  { visible, caller }: RawWriteAccess,
  { rows }: GivenAlerts,
  insertedIds: readonly string[],
): Promise<UnrecordedAlert[]> {
  return visible.query<UnrecordedAlert>(
    (sources) => Prisma.sql`
      SELECT given."id", ${hasRule} AS "hasRule", ${hasUpload} AS "hasUpload",
        CASE WHEN kept."id" IS NOT NULL THEN
          (kept."cameraId", kept."alertRuleId", kept."name", kept."count", kept."createdAt", kept."canvasDimensions", kept."violatingCoordinates", kept."area",
            kept."areaIds", kept."info", kept."storageClass")
          IS NOT DISTINCT FROM
          (given."cameraId", given."alertRuleId", given."name", given."count", given."createdAt", given."canvasDimensions",
            given."violatingCoordinates", given."area", given."areaIds", given."info", given."storageClass")
          AND CASE WHEN given."uploadId" IS NULL THEN
            (kept."url", kept."thumbnailUrl", kept."imageDimensions") IS NOT DISTINCT FROM (given."url", given."thumbnailUrl", given."imageDimensions")
          ELSE ${isPictureOf(Prisma.sql`kept."url"`, Prisma.sql`given."uploadId"`)}
            AND (given."imageDimensions" IS NULL OR given."imageDimensions" IS NOT DISTINCT FROM kept."imageDimensions")
          END
        END AS "isSame"
      FROM ${rows} AS given ${withOrigins(sources)}
      LEFT JOIN "Alert" AS kept ON kept."workspaceId" = ${caller.workspaceId}::uuid AND kept."id" = given."id"
      WHERE given."id" <> ALL(${insertedIds}::uuid[])`,
  );
}
