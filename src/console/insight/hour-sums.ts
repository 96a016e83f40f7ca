import type { InsightHoursQuery } from "../../generated/console.js";

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
  const sum = (isCounted: (row: InsightHoursQuery["alertStatistics"][number]) => boolean) =>
    alertStatistics.reduce((total, row) => (isCounted(row) ? total + row.count : total), 0);
  const ofHour = (hour: number) => sum(({ hourOfDay }) => hourOfDay === hour);
  const worst = hoursOfDay.reduce((most, hour) => (ofHour(hour) > ofHour(most) ? hour : most), 0);
  return {
    of: (day, hour) => sum(({ dayOfWeek, hourOfDay }) => dayOfWeek === day && hourOfDay === hour),
    ofDay: (day) => sum(({ dayOfWeek }) => dayOfWeek === day),
    ofHour,
    most: Math.max(1, ...alertStatistics.map(({ count }) => count)),
    worst: ofHour(worst) > 0 ? worst : undefined,
  };
}
