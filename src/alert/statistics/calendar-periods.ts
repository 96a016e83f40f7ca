import { CountAggregate } from "./alert-count.type.js";

const dayMs = 86_400_000;

/**
 * The keys of the days, ISO weeks or months from one local day to another, such as
 * 2026-11-20, 2026-W47 or 2026-11, ascending.
 */
export function* periodsBetween(
  aggregate: CountAggregate,
  firstDay: string,
  lastDay: string,
): Generator<string> {
  const last = new Date(`${lastDay}T00:00:00Z`);
  for (let day = new Date(`${firstDay}T00:00:00Z`); day <= last; ) {
    yield keyOf[aggregate](day);
    day = nextPeriod[aggregate](day);
  }
}

/** Monday is 0. */
const weekday = (day: Date) => (day.getUTCDay() + 6) % 7;

const keyOf: Record<CountAggregate, (day: Date) => string> = {
  [CountAggregate.DAY]: (day) => day.toISOString().slice(0, 10),
  [CountAggregate.WEEK]: (day) => {
    // A week belongs to the year of its Thursday.
    const thursday = new Date(day.getTime() + (3 - weekday(day)) * dayMs);
    const newYear = new Date(thursday);
    newYear.setUTCMonth(0, 1);
    const week = Math.floor((thursday.getTime() - newYear.getTime()) / (7 * dayMs)) + 1;
    return `${thursday.toISOString().slice(0, 4)}-W${String(week).padStart(2, "0")}`;
  },
  [CountAggregate.MONTH]: (day) => day.toISOString().slice(0, 7),
};

/** The first day of the next period. */
const nextPeriod: Record<CountAggregate, (day: Date) => Date> = {
  [CountAggregate.DAY]: (day) => new Date(day.getTime() + dayMs),
  [CountAggregate.WEEK]: (day) => new Date(day.getTime() + (7 - weekday(day)) * dayMs),
  [CountAggregate.MONTH]: (day) => {
    const next = new Date(day);
    next.setUTCMonth(day.getUTCMonth() + 1, 1);
    return next;
  },
};
