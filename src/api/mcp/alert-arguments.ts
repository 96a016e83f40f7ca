import { z } from "zod";
import type { AlertFilter } from "../../generated/operations.js";
import { badRequest } from "../../platform/errors/errors.js";
import { uuid } from "../../platform/input/scalars.js";

/** The id of an object, as another tool returned it. */
export const id = (description: string) => uuid.describe(description);

const instant = z.iso.datetime({
  offset: true,
  error: "must be a time in ISO 8601 with an offset, such as 2026-11-20T07:00:00+03:00",
});

const periods = [
  "last_24_hours",
  "last_night",
  "today",
  "yesterday",
  "this_week",
  "last_week",
  "last_7_days",
  "last_30_days",
] as const;

const list = (what: string) =>
  z
    .array(z.string("must be a string").max(200, "is too long"))
    .min(1, "must not be empty")
    .max(20, "must list at most 20")
    .optional()
    .describe(what);

export const alertArguments = {
  facility_id: id("Only alerts at this facility; find_facilities tells ids").optional(),
  camera_id: id("Only alerts of this camera; find_cameras tells ids").optional(),
  period: z
    .enum(periods, `must be one of ${periods.join(", ")}`)
    .optional()
    .describe(
      "When, by the clock of each facility; last_24_hours by default. last_night is from 18:00 yesterday to 06:00 today. Not together with start and end.",
    ),
  start: instant
    .optional()
    .describe("Instead of period: from this time on, ISO 8601 with an offset. Needs end."),
  end: instant
    .optional()
    .describe("Instead of period: before this time, ISO 8601 with an offset. Needs start."),
  types: list("Only alerts of these types, written exactly as answers tell them"),
  severities: list("Only alerts of these severities, such as HIGH, written exactly as answers tell them"),
  open: z
    .boolean("must be true or false")
    .optional()
    .describe("true: only alerts that nobody has handled yet; false: only others"),
};

type AlertArguments = z.output<z.ZodObject<typeof alertArguments>>;

const hour = 3_600_000;
const day = 24 * hour;
const lastNight = { relativeDays: { from: -1, to: -1 }, localTimes: { from: "18:00", to: "06:00" } };

const filterOf: Record<(typeof periods)[number], (now: number) => AlertFilter> = {
  last_24_hours: (now) => between(now - day, now),
  last_night: () => lastNight,
  today: () => ({ relativeDays: { from: 0, to: 0 } }),
  yesterday: () => ({ relativeDays: { from: -1, to: -1 } }),
  this_week: () => ({ relativeWeeks: { from: 0, to: 0 } }),
  last_week: () => ({ relativeWeeks: { from: -1, to: -1 } }),
  last_7_days: (now) => between(now - 7 * day, now),
  last_30_days: (now) => between(now - 30 * day, now),
};

/** The filter of a period, which ends up to an hour from now: the clocks of detectors may be ahead. */
const between = (start: number, now: number): AlertFilter => ({
  start: new Date(start).toISOString(),
  end: new Date(now + hour).toISOString(),
});

/** The filter of alerts that arguments mean. BAD_REQUEST if they contradict each other. */
export function alertFilter(given: AlertArguments, { now }: { now: Date }): AlertFilter {
  refuseContradiction(given);
  const { facility_id, camera_id, period, start, end, types, severities, open } = given;
  const chosen = start !== undefined && end !== undefined ? { start, end } : undefined;
  return {
    ...(chosen ?? filterOf[period ?? "last_24_hours"](now.getTime())),
    ...(facility_id !== undefined && { facilityId: facility_id }),
    ...(camera_id !== undefined && { cameraIds: [camera_id] }),
    ...(types && { types }),
    ...(severities && { severities }),
    ...(open !== undefined && { open }),
  };
}

function refuseContradiction({ period, start, end }: AlertArguments): void {
  if ((start === undefined) !== (end === undefined))
    throw badRequest([{ path: start === undefined ? "start" : "end", message: "must be given, too" }]);
  if (start !== undefined && period !== undefined)
    throw badRequest([{ path: "period", message: "must not be given together with start and end" }]);
}

/** What to check before believing that there are no alerts: an invisible id or a misspelt type chooses none. */
export function hintForNone(
  count: number,
  { facility_id, camera_id, types, severities }: Partial<AlertArguments>,
): { hint?: string } {
  if (count > 0) return {};
  const hints = [
    (facility_id ?? camera_id) !== undefined &&
      "An id that is not visible to the user has no alerts: check it by find_facilities or find_cameras.",
    (types ?? severities) &&
      "alert_statistics, grouped by type and severity, tells which there are and how they are written.",
  ].filter((hint) => typeof hint === "string");
  return hints.length > 0 ? { hint: hints.join(" ") } : {};
}
