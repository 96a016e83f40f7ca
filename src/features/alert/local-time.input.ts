import { z } from "zod";
import { inputType } from "../../platform/input/input-type.js";
import { optionalList } from "../../platform/input/list-rule.js";
import { timeOfDay } from "../../platform/input/time-rules.js";
import { keysOf } from "../../platform/record.js";

const day = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/, { error: "must be a day such as 2026-11-19", abort: true })
  .refine(isDay, "must be a day of the calendar, of the years 0001 to 9999");

function isDay(text: string): boolean {
  const midnight = new Date(`${text}T00:00:00.000Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(text) && text >= "0001";
}

const LocalDaysInput = inputType(
  "LocalDaysInput",
  "Calendar days, each from the first to the last instant of its date by the clock of the facility.",
  z
    .object({
      from: day.describe("The first day, such as 2026-11-19."),
      to: day.describe("The last day, inclusive; not before `from`."),
    })
    .refine(({ from, to }) => from <= to, { path: ["from"], error: "must not be after to" }),
);

/** A range of days or weeks that are counted back from the present one. */
const relativeRange = <const Name extends string>(
  name: Name,
  description: string,
  { unit, oldest }: { unit: string; oldest: number },
) => {
  const number = z.int().min(oldest, `must be from ${oldest} to 0`).max(0, `must be from ${oldest} to 0`);
  return inputType(
    name,
    `${description}, ${oldest} is the oldest.`,
    z
      .object({
        from: number.describe(`The first ${unit}.`),
        to: number.describe(`The last ${unit}, inclusive; not before \`from\`.`),
      })
      .refine(({ from, to }) => from <= to, { path: ["from"], error: "must not be after to" }),
  );
};

// The oldest relative days are about ten years ago.
const RelativeDaysInput = relativeRange(
  "RelativeDaysInput",
  "Days counted from today by the clock of the facility: 0 is today, -1 is yesterday",
  { unit: "day", oldest: -3650 },
);

const RelativeWeeksInput = relativeRange(
  "RelativeWeeksInput",
  "Weeks from Monday to Sunday, counted from the present one by the clock of the facility: 0 is this week, -1 is last week",
  { unit: "week", oldest: -521 },
);

const LocalTimesInput = inputType(
  "LocalTimesInput",
  "A part of the day by the clock of the facility.",
  z.object({
    from: timeOfDay.describe("The start, inclusive, such as 18:00."),
    to: timeOfDay.describe("The end, exclusive, such as 06:00; on the next day unless it is after `from`."),
  }),
);

const withinWeek = "0 is Sunday, 6 is Saturday";

const localDayRules = {
  localDays: LocalDaysInput.rules
    .nullish()
    .describe(
      "The days on which the alerts were raised, by the clocks of their facilities. Counting whole days reads daily counts instead of alerts.",
    ),
  relativeDays: RelativeDaysInput.rules
    .nullish()
    .describe(
      "As `localDays`, but counted from today: from -1 to -1 is yesterday. The time zone of each facility decides which day is today. An export counts from the creation of its link.",
    ),
  relativeWeeks: RelativeWeeksInput.rules
    .nullish()
    .describe(
      "As `relativeDays`, but in weeks: from 0 to 0 is this week, from -1 to -1 is last week. The time zone of each facility decides which week is this one.",
    ),
};

export const localTimeRules = {
  ...localDayRules,
  localTimes: LocalTimesInput.rules
    .nullish()
    .describe(
      "The time of the day at which the alerts were raised, by the clocks of their facilities. If it runs over midnight, the hours after midnight belong to the day before. This holds for `localDays`, `relativeDays`, `relativeWeeks` and `daysOfWeek`, and for counts by day, week, month or day of the week: from 18:00 to 06:00, relative day -1 is last night.",
    ),
  hoursOfDay: optionalList(
    z.int().min(0, "must be from 0 to 23").max(23, "must be from 0 to 23"),
    24,
  ).describe(
    "The hours of the day in which the alerts were raised, 0 to 23, by the clocks of their facilities.",
  ),
  daysOfWeek: optionalList(
    z.int().min(0, `must be from 0 to 6: ${withinWeek}`).max(6, `must be from 0 to 6: ${withinWeek}`),
    7,
  ).describe(
    `The days of the week on which the alerts were raised, 0 to 6, by the clocks of their facilities: ${withinWeek}. In \`AlertStatistic.dayOfWeek\`, Sunday is 7.`,
  ),
};

const localTime = z.object(localTimeRules);

export type LocalTimeFilter = z.infer<typeof localTime>;

export type LocalDayField = keyof typeof localDayRules;

export const hasLocalDays = (filter: LocalTimeFilter): boolean =>
  keysOf(localDayRules).some((name) => filter[name] != null);

/** Whether the days of a filter depend on when it is used. */
export const countsFromToday = ({ relativeDays, relativeWeeks }: LocalTimeFilter): boolean =>
  relativeDays != null || relativeWeeks != null;

/** Whether times of day span midnight. */
export const runOverMidnight = (times: LocalTimeFilter["localTimes"]): boolean =>
  times != null && times.to <= times.from;
