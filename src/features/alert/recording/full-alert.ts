import type { SignedLinks } from "../../../engine/storage/signed-link.js";
import type { Alert, Prisma } from "../../../generated/prisma/client.js";
import type { Point, Size } from "../../../platform/geometry.js";
import { localTime } from "../../../platform/time.js";

export const fullAlertColumns = [
  "id",
  "cameraId",
  "name",
  "count",
  "createdAt",
  "url",
  "thumbnailUrl",
  "imageDimensions",
  "canvasDimensions",
  "violatingCoordinates",
  "area",
  "storageClass",
  "info",
  "bookmark",
  "falsePositive",
  "alertRuleId",
  "workspaceId",
  "areaIds",
] as const satisfies (keyof Alert)[];

export type FullAlertRow = Pick<Alert, (typeof fullAlertColumns)[number]>;

/** The full alert with the names and values of REST, for files and messages. Its links stay valid for a week. */
export function fullAlert(alert: FullAlertRow, timeZoneId: string, links: SignedLinks) {
  return {
    id: alert.id,
    cameraId: alert.cameraId,
    name: alert.name,
    count: alert.count,
    createdAt: alert.createdAt,
    localCreatedAt: localTime(alert.createdAt, timeZoneId),
    url: links.urlFor(alert.url, "week"),
    thumbnailUrl: links.urlFor(alert.thumbnailUrl, "week"),
    imageDimensions: dimensionsOf(alert.imageDimensions),
    canvasDimensions: dimensionsOf(alert.canvasDimensions),
    violatingCoordinates: pointsOf(alert.violatingCoordinates),
    area: pointsOf(alert.area),
    storageClass: alert.storageClass,
    info: alert.info,
    bookmark: alert.bookmark,
    falsePositive: alert.falsePositive,
    alertRuleId: alert.alertRuleId,
    workspaceId: alert.workspaceId,
    areaIds: alert.areaIds,
  };
}

function dimensionsOf(stored: Prisma.JsonValue) {
  const dimensions = stored as Size | null;
  return dimensions && { width: dimensions.width, height: dimensions.height };
}

function pointsOf(stored: Prisma.JsonValue) {
  const points = stored as Point[] | null;
  return points?.map(({ x, y }) => ({ x, y })) ?? null;
}
