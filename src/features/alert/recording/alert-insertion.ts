import { isInTransaction } from "../../../engine/database/statement-text.js";
import type { RequestContext } from "../../../engine/operation/request-context.js";
import type { WriteAccess } from "../../../engine/operation/write.js";
import type { VisibleSources } from "../../../engine/reading/visibility.js";
import { Prisma } from "../../../generated/prisma/client.js";
import { binaryArray, type ElementOf, type ElementType } from "../../../platform/binary-array.js";
import { isUniqueViolation } from "../../../platform/errors/database-errors.js";
import { ServiceError } from "../../../platform/errors/errors.js";
import { later } from "../../../platform/time.js";
import { isFileOf } from "./alert-upload.service.js";
import { awaitableFeed, awaitedUntil, hasOwnPicture } from "./awaited-pictures.js";
import type { RecordAlertInput } from "./record-alerts.input.js";

const dayMs = 24 * 3_600_000;

export interface GivenAlerts {
  count: number;
  rows: Prisma.Sql;
  /** Whether some may get pictures that the feeds of their cameras take. */
  awaitsPictures: boolean;
  /** Whether some have clips. */
  hasClips: boolean;
}

/** The input fields as columns: the PostgreSQL type of each, and its value for an alert. */
const givenColumns = {
  id: column("uuid", ({ id }) => id),
  cameraId: column("uuid", ({ cameraId }) => cameraId),
  alertRuleId: column("uuid", ({ alertRuleId }) => alertRuleId),
  name: column("text", ({ name }) => name),
  count: column("int", ({ count }) => count ?? 1),
  createdAt: column("timestamptz", ({ createdAt }) => createdAt),
  uploadId: column("uuid", ({ uploadId }) => uploadId),
  clipUploadId: column("uuid", ({ clipUploadId }) => clipUploadId),
  url: column("text", ({ url }) => url),
  thumbnailUrl: column("text", ({ thumbnailUrl }) => thumbnailUrl),
  imageDimensions: column("jsonb", ({ imageDimensions }) => imageDimensions),
  canvasDimensions: column("jsonb", ({ canvasDimensions }) => canvasDimensions),
  violatingCoordinates: column("jsonb", ({ violatingCoordinates }) => violatingCoordinates),
  area: column("jsonb", ({ area }) => area),
  // Write text: arrays of different lengths do not form an array of arrays.
  areaIds: column("text", ({ areaIds }) => `{${areaIds?.join(",") ?? ""}}`, "uuid[]"),
  info: column("jsonb", ({ info }) => info),
  storageClass: column(
    "text",
    ({ storageClass }, defaultStorageClass) => storageClass ?? defaultStorageClass,
  ),
} satisfies Record<keyof RecordAlertInput, object>;

function column<Type extends ElementType>(
  type: Type,
  read: (alert: RecordAlertInput, defaultStorageClass: string) => ElementOf<Type> | null | undefined,
  storedType: string = type,
) {
  return {
    storedType,
    array: (alerts: readonly RecordAlertInput[], defaultStorageClass: string) =>
      Prisma.sql`${binaryArray(
        type,
        alerts.map((alert) => read(alert, defaultStorageClass)),
      )}::${Prisma.raw(type)}[]`,
  };
}

const givenNames = Object.keys(givenColumns);
/** The uploads of an alert, which are gone once it is recorded. */
const uploadNames = ["uploadId", "clipUploadId"];
/**
 * The columns that a stored alert keeps as given. Excludes those that an upload fills, because the upload is
 * gone by then.
 */
const contentNames = givenNames.filter(
  (name) => !["id", ...uploadNames, "url", "thumbnailUrl", "imageDimensions"].includes(name),
);
const quoted = (names: readonly string[], source = "") =>
  Prisma.raw(names.map((name) => `${source}"${name}"`).join(", "));
const readColumns = Prisma.raw(
  Object.entries(givenColumns)
    .map(([name, { storedType }]) => `"${name}"::${storedType}`)
    .join(", "),
);

/** Prepares alerts for statements. Alerts without a storage class get the default one. */
export function givenAlerts(
  { services: { settings } }: RequestContext,
  alerts: readonly RecordAlertInput[],
): GivenAlerts {
  const arrays = Object.values(givenColumns).map(({ array }) => array(alerts, settings.storageClass));
  const rows = Prisma.sql`(SELECT ${readColumns} FROM unnest(${Prisma.join(arrays)}) AS each(${quoted(givenNames)}))`;
  const awaitsPictures = settings.hasBuiltinFeed && !alerts.every(hasOwnPicture);
  const hasClips = alerts.some(({ clipUploadId }) => clipUploadId);
  return { count: alerts.length, rows, awaitsPictures, hasClips };
}

/** Joins the alerts with their rules and uploads, if any. */
const withOrigins = (visible: VisibleSources) => Prisma.sql`
  JOIN ${visible.cameras} AS camera ON camera."id" = given."cameraId"
  LEFT JOIN "AlertRule" AS rule ON rule."workspaceId" = camera."workspaceId" AND rule."id" = given."alertRuleId" AND rule."cameraId" = camera."id"
  LEFT JOIN ${visible.alertUploads} AS upload ON upload."id" = given."uploadId" AND upload."facilityId" = camera."facilityId" AND upload."url" IS NOT NULL AND upload."kind" = 'PICTURE'`;

const hasRule = Prisma.sql`(given."alertRuleId" IS NULL OR rule."id" IS NOT NULL)`;
const hasUpload = Prisma.sql`(given."uploadId" IS NULL OR upload."id" IS NOT NULL)`;

const hasClip = (visible: VisibleSources) => Prisma.sql`
  (given."clipUploadId" IS NULL OR EXISTS (SELECT FROM ${visible.alertUploads} AS film
    WHERE film."id" = given."clipUploadId" AND film."facilityId" = camera."facilityId" AND film."url" IS NOT NULL AND film."kind" = 'CLIP'))`;

/** The IDs of alerts are in use, or their rules or uploads do not exist. */
export class IncompleteInsertionError extends Error {}

/**
 * Inserts alerts of cameras that are already locked, and returns those that were not inserted, with the reasons. Waits
 * for concurrent insertions of the same IDs. With `insertsAll`, fails with {@link IncompleteInsertionError} if there
 * are any. Without it, the database looks up each ID before it writes, which is slower.
 */
export async function insertAlerts(
  write: WriteAccess,
  given: GivenAlerts,
  insertsAll: boolean,
): Promise<UnrecordedAlert[]> {
  const [inserted] = await write.visible
    .query<{ count: number; ids: string[] | null }>((sources) =>
      insertion(sources, given, { insertsAll, now: write.now }),
    )
    .catch((error) => {
      throw isUniqueViolation(error)
        ? new IncompleteInsertionError("An ID is used", { cause: error })
        : error;
    });
  if (inserted?.count === given.count) return [];
  if (insertsAll) throw new IncompleteInsertionError("A rule or an upload does not exist");
  return unrecordedAlerts(write, given, inserted?.ids ?? []);
}

/** Fails if somebody has since deleted the alerts that prevented the insertion of others. */
export function assertNotDeleted(others: readonly UnrecordedAlert[]): void {
  if (others.some(({ isSame }) => isSame === null))
    throw new ServiceError("UNAVAILABLE", "Alerts are being deleted; it is safe to retry", { retryAfter: 1 });
}

const storedColumns: Record<string, string> = {
  ...Object.fromEntries(
    givenNames.filter((name) => !uploadNames.includes(name)).map((name) => [name, `given."${name}"`]),
  ),
  workspaceId: `camera."workspaceId"`,
  facilityId: `camera."facilityId"`,
  severity: `rule."severity"`,
  alertRuleName: `rule."group"->>'name'`,
  observation: `coalesce(rule."observation", false)`,
  url: `coalesce(upload."url", given."url")`,
  thumbnailUrl: `coalesce(upload."thumbnailUrl", given."thumbnailUrl")`,
  imageDimensions: `coalesce(given."imageDimensions", upload."imageDimensions")`,
  pictureAt: `upload."takenAt"`,
};
const storedNames = quoted(Object.keys(storedColumns));
const storedValues = Prisma.raw(Object.values(storedColumns).join(", "));

/** Inserts all alerts, or those with new IDs; outside of a transaction none, as BEGIN may still be on its way. */
function insertion(
  sources: VisibleSources,
  { rows, awaitsPictures, hasClips }: GivenAlerts,
  { insertsAll, now }: { insertsAll: boolean; now: Date },
): Prisma.Sql {
  const condition = insertsAll ? Prisma.raw(isInTransaction) : Prisma.sql`true`;
  const onUsedId = insertsAll ? Prisma.empty : Prisma.sql`ON CONFLICT ("workspaceId", "id") DO NOTHING`;
  const ids = insertsAll ? Prisma.sql`NULL` : Prisma.sql`array_agg("id")`;
  // The order by ID keeps concurrent writers from deadlocking. Keep the alias: without one, Citus writes the table's
  // name in RETURNING, but shards have another name.
  return Prisma.sql`
      WITH inserted AS (
        INSERT INTO "Alert" AS recorded (${storedNames}, "pictureAwaitedUntil")
        SELECT ${storedValues}, ${awaitsPictures ? awaitedUntil(now) : Prisma.sql`NULL::timestamptz`}
        FROM ${rows} AS given ${withOrigins(sources)} ${awaitsPictures ? awaitableFeed : Prisma.empty}
        WHERE ${hasRule} AND ${hasUpload} AND ${hasClips ? hasClip(sources) : Prisma.sql`true`} AND ${condition} ORDER BY given."id" ${onUsedId}
        RETURNING recorded."id"
      )
      SELECT count(*)::int AS "count", ${ids} AS "ids" FROM inserted`;
}

export interface UnrecordedAlert {
  id: string;
  /** Whether the stored alert with this ID has the same content; null if there is none. */
  isSame: boolean | null;
  hasRule: boolean;
  hasUpload: boolean;
  hasClip: boolean;
}

/** Whether the stored alert has no picture that the gateway took: such a picture is no content. */
const isSent = Prisma.sql`(kept."pictureAt" IS NULL)`;

/** Whether the clip of a stored alert may have been there: no clip is kept for less than a day. */
const isClipPurged = (now: Date) =>
  Prisma.sql`(clip."alertId" IS NULL AND kept."createdAt" < ${later(now, -dayMs)}::timestamptz)`;

/** Determines why alerts were not inserted, of all given alerts except `insertedIds`. */
function unrecordedAlerts(
  { visible, caller, now }: WriteAccess,
  { rows }: GivenAlerts,
  insertedIds: readonly string[],
): Promise<UnrecordedAlert[]> {
  return visible.query<UnrecordedAlert>(
    (sources) => Prisma.sql`
      SELECT given."id", ${hasRule} AS "hasRule", ${hasUpload} AS "hasUpload", ${hasClip(sources)} AS "hasClip",
        CASE WHEN kept."id" IS NOT NULL THEN
          (${quoted(contentNames, "kept.")}) IS NOT DISTINCT FROM (${quoted(contentNames, "given.")})
          AND CASE WHEN given."uploadId" IS NULL OR upload."takenAt" IS NOT NULL THEN
            (given."url", given."thumbnailUrl") IS NOT DISTINCT FROM (CASE WHEN ${isSent} THEN kept."url" END, CASE WHEN ${isSent} THEN kept."thumbnailUrl" END)
            AND (given."imageDimensions" IS NOT DISTINCT FROM kept."imageDimensions" OR (given."imageDimensions" IS NULL AND NOT ${isSent}))
          ELSE ${isFileOf(Prisma.sql`kept."url"`, Prisma.sql`given."uploadId"`)}
            AND (given."imageDimensions" IS NULL OR given."imageDimensions" IS NOT DISTINCT FROM kept."imageDimensions")
          END
          AND (given."clipUploadId" IS NULL OR ${isFileOf(Prisma.sql`clip."key"`, Prisma.sql`given."clipUploadId"`)} OR ${isClipPurged(now)})
        END AS "isSame"
      FROM ${rows} AS given ${withOrigins(sources)}
      LEFT JOIN "Alert" AS kept ON kept."workspaceId" = ${caller.workspaceId}::uuid AND kept."id" = given."id"
      LEFT JOIN "AlertClip" AS clip ON clip."workspaceId" = kept."workspaceId" AND clip."alertId" = kept."id"
      WHERE given."id" <> ALL(${insertedIds}::uuid[])`,
  );
}
