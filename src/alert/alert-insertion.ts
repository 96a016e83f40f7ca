import { Prisma } from "../generated/prisma/client.js";
import type { VisibleSources } from "../reading/visibility.js";
import type { WriteAccess } from "../request/write.js";
import { isPictureOf } from "./alert-upload.service.js";
import type { RecordAlertInput } from "./record-alerts.input.js";

/** The fields of the input, with their types in the database. */
const given = Prisma.sql`
  given("id" uuid, "cameraId" uuid, "alertRuleId" uuid, "name" text, "count" int, "createdAt" timestamptz, "uploadId" uuid, "url" text, "thumbnailUrl" text,
    "imageDimensions" jsonb, "canvasDimensions" jsonb, "violatingCoordinates" jsonb, "area" jsonb, "areaIds" uuid[], "info" jsonb, "storageClass" text)`;

const alertsOf = (json: string) => Prisma.sql`jsonb_to_recordset(${json}::jsonb) AS ${given}`;

/** Joins the alerts with their rules and uploads, if any. */
const withOrigins = (visible: VisibleSources) => Prisma.sql`
  JOIN ${visible.cameras} AS camera ON camera."id" = given."cameraId"
  LEFT JOIN "AlertRule" AS rule ON rule."workspaceId" = camera."workspaceId" AND rule."id" = given."alertRuleId" AND rule."cameraId" = camera."id"
  LEFT JOIN ${visible.alertUploads} AS upload ON upload."id" = given."uploadId" AND upload."facilityId" = camera."facilityId" AND upload."url" IS NOT NULL`;

const hasRule = Prisma.sql`(given."alertRuleId" IS NULL OR rule."id" IS NOT NULL)`;
const hasUpload = Prisma.sql`(given."uploadId" IS NULL OR upload."id" IS NOT NULL)`;

/** The alerts that were inserted for a camera. */
export interface AlertsOfCamera {
  cameraId: string;
  facilityId: string;
  ids: string[];
}

/**
 * Inserts those alerts, given as JSON, whose rules and uploads exist, in one statement. If an ID is used already, it fails with a unique
 * violation, or leaves out the alert with `skipUsedIds`, for which the database has to look up each ID before it writes. It waits for
 * concurrent insertions of the same IDs. The caller has locked the cameras, which are visible.
 */
export function insertAlerts(
  { visible }: WriteAccess,
  json: string,
  { storageClass, skipUsedIds }: { storageClass: string; skipUsedIds: boolean },
): Promise<AlertsOfCamera[]> {
  const onUsedId = skipUsedIds ? Prisma.sql`ON CONFLICT ("workspaceId", "id") DO NOTHING` : Prisma.empty;
  // Ordered by ID, so that concurrent writers cannot deadlock. Citus would write the name of the table in RETURNING, which shards do not
  // have, unless it has an alias.
  return visible.query<AlertsOfCamera>(
    (sources) => Prisma.sql`
      WITH inserted AS (
        INSERT INTO "Alert" AS recorded ("id", "workspaceId", "facilityId", "cameraId", "alertRuleId", "name", "severity", "observation", "count", "createdAt",
          "url", "thumbnailUrl", "imageDimensions", "canvasDimensions", "violatingCoordinates", "area", "areaIds", "storageClass", "info")
        SELECT given."id", camera."workspaceId", camera."facilityId", camera."id", given."alertRuleId", given."name",
          rule."severity", coalesce(rule."observation", false), coalesce(given."count", 1), given."createdAt",
          coalesce(upload."url", given."url"), coalesce(upload."thumbnailUrl", given."thumbnailUrl"),
          coalesce(given."imageDimensions", upload."imageDimensions"), given."canvasDimensions", given."violatingCoordinates", given."area",
          coalesce(given."areaIds", '{}'), coalesce(given."storageClass", ${storageClass}), given."info"
        FROM ${alertsOf(json)} ${withOrigins(sources)}
        WHERE ${hasRule} AND ${hasUpload} ORDER BY given."id" ${onUsedId}
        RETURNING recorded."id", recorded."cameraId", recorded."facilityId"
      )
      SELECT "cameraId", "facilityId", array_agg("id") AS "ids" FROM inserted GROUP BY "cameraId", "facilityId" ORDER BY "cameraId"`,
  );
}

/** Why an alert was not inserted. */
export interface UnrecordedAlert {
  id: string;
  /** Whether the stored alert with its ID has the same content; null if there is none. */
  isSame: boolean | null;
  hasRule: boolean;
  hasUpload: boolean;
}

/** Determines why alerts were not inserted. */
export function unrecordedAlerts(
  { visible, caller }: WriteAccess,
  alerts: readonly RecordAlertInput[],
  storageClass: string,
): Promise<UnrecordedAlert[]> {
  return visible.query<UnrecordedAlert>(
    (sources) => Prisma.sql`
      SELECT given."id", ${hasRule} AS "hasRule", ${hasUpload} AS "hasUpload",
        CASE WHEN kept."id" IS NOT NULL THEN
          (kept."cameraId", kept."alertRuleId", kept."name", kept."count", kept."createdAt", kept."canvasDimensions", kept."violatingCoordinates", kept."area",
            kept."areaIds", kept."info", kept."storageClass")
          IS NOT DISTINCT FROM
          (given."cameraId", given."alertRuleId", given."name", coalesce(given."count", 1), given."createdAt", given."canvasDimensions",
            given."violatingCoordinates", given."area", coalesce(given."areaIds", '{}'), given."info",
            coalesce(given."storageClass", ${storageClass}))
          AND CASE WHEN given."uploadId" IS NULL THEN
            (kept."url", kept."thumbnailUrl", kept."imageDimensions") IS NOT DISTINCT FROM (given."url", given."thumbnailUrl", given."imageDimensions")
          ELSE ${isPictureOf(Prisma.sql`kept."url"`, Prisma.sql`given."uploadId"`)}
            AND (given."imageDimensions" IS NULL OR given."imageDimensions" IS NOT DISTINCT FROM kept."imageDimensions")
          END
        END AS "isSame"
      FROM ${alertsOf(JSON.stringify(alerts))} ${withOrigins(sources)}
      LEFT JOIN "Alert" AS kept ON kept."workspaceId" = ${caller.workspaceId}::uuid AND kept."id" = given."id"`,
  );
}
