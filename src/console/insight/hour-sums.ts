import type { InsightHoursQuery } from "../../generated/console.js";
import { defined } from "../../platform/defined.js";

export const daysOfWeek: readonly number[] = [1, 2, 3, 4, 5, 6, 7];
export const hoursOfDay: readonly number[] = Array.from({ length: 24 }, (_, hour) => hour);

export interface HourSums {
  of: (day: number, hour: number) => number;
  ofDay: (day: number) => number;
  ofHour: (hour: number) => number;
  most: number;
  /** The hour of the day with the most alerts; undefined without any. */
  worst: number | undefined;
}

export function hourSumsOf({ alertStatistics }: InsightHoursQuery): HourSums {
  const counts = new Map<string, number>();
  const byDay = new Map<number, number>();
  const byHour = new Map<number, number>();
  const add = <Key>(sums: Map<Key, number>, key: Key, count: number) =>
    sums.set(key, (sums.get(key) ?? 0) + count);
  for (const { dayOfWeek, hourOfDay, count } of alertStatistics) {
    add(counts, `${dayOfWeek} ${hourOfDay}`, count);
    add(byDay, defined(dayOfWeek), count);
    add(byHour, defined(hourOfDay), count);
  }
  const ofHour = (hour: number) => byHour.get(hour) ?? 0;
  const worst = hoursOfDay.reduce((most, hour) => (ofHour(hour) > ofHour(most) ? hour : most), 0);
  return {
    of: (day, hour) => counts.get(`${day} ${hour}`) ?? 0,
    ofDay: (day) => byDay.get(day) ?? 0,
    ofHour,
    most: Math.max(1, ...counts.values()),
    worst: ofHour(worst) > 0 ? worst : undefined,
  };
}
