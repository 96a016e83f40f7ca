import { z } from "zod";
import { onOrOff } from "../../platform/input/setting-rules.js";
import { setting } from "./setting.js";

/** A number of days; undefined for `off`. */
const retentionDays = z
  .string()
  .regex(/^(?:off|\d{1,5})$/, "must be off or a number of days")
  .transform((text) => (text === "off" ? undefined : Number(text)))
  .pipe(z.number().min(1, "must be at least 1").max(36_500, "must be at most 36500").optional());

export const retention = {
  ALERT_RETENTION_DAYS: setting(
    {
      example: "365",
      unset: "off",
      description:
        "Days after which alerts are deleted in small batches, with comments, notifications and pictures, unless they are bookmarked. Subscribers are not told.",
    },
    retentionDays,
  ),
  CLIP_RETENTION_DAYS: setting(
    {
      example: "90",
      description:
        "Days after which the clips of alerts are deleted, unless the alerts are bookmarked; or `off`.",
    },
    retentionDays.default(30),
  ),
  AUDIT_RETENTION_DAYS: setting(
    {
      example: "730",
      unset: "off",
      description:
        "Days after which audit entries are deleted; those of permissions that were taken from a user, after 30 days at the earliest.",
    },
    retentionDays,
  ),
  KEEP_DETECTIONS: setting(
    {
      example: "on",
      description:
        "`on` keeps the newest 1000 frames of each camera that detectors send by `recordDetections` for 24 hours, in the database. Rules can then be tried on what was seen. When it is turned off, they are deleted.",
    },
    onOrOff.default("off"),
  ),
};
