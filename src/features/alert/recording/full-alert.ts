import type { SignedLinks } from "../../../engine/storage/signed-link.js";
import type { Alert } from "../../../generated/prisma/client.js";
import { localTime } from "../../../platform/time.js";
import { pointsIn, sizeIn } from "../stored-geometry.js";

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
    imageDimensions: sizeIn(alert.imageDimensions),
    canvasDimensions: sizeIn(alert.canvasDimensions),
    violatingCoordinates: pointsIn(alert.violatingCoordinates),
    area: pointsIn(alert.area),
    storageClass: alert.storageClass,
    info: alert.info,
    bookmark: alert.bookmark,
    falsePositive: alert.falsePositive,
    alertRuleId: alert.alertRuleId,
    workspaceId: alert.workspaceId,
    areaIds: alert.areaIds,
  };
}
