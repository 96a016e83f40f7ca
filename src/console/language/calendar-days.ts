const dayMs = 24 * 3600_000;

/** A first and a last calendar day, as the API writes them. */
export interface DayRange {
  from: string;
  to: string;
}

/** The number of a calendar day such as 2026-11-20, which has no time zone. Consecutive days count up by one. */
export const dayNumber = (day: string): number => Date.parse(`${day}T00:00:00Z`) / dayMs;

export const dayOfNumber = (number: number): string => new Date(number * dayMs).toISOString().slice(0, 10);

/** The calendar day a number of days later or, if negative, earlier. */
export const addDays = (day: string, days: number): string => dayOfNumber(dayNumber(day) + days);

/** The day of the week of a calendar day, from 0 for Sunday to 6. */
export const dayOfWeek = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay();

/** The number of the week of a calendar day, from Monday on: day 0 was a Thursday. */
export const weekNumber = (day: string): number => Math.floor((dayNumber(day) + 3) / 7);

export const mondayOf = (day: string): string => dayOfNumber(7 * weekNumber(day) - 3);

export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(dayNumber(text)) && addDays(text, 0) === text;

/** The days of a day, ISO week or month with a key such as 2026-11-20, 2026-W47 or 2026-11. */
export function daysOf(key: string): DayRange {
  const week = /^(\d{4})-W(\d\d)$/.exec(key);
  if (week) {
    // The first ISO week contains January 4th.
    const fourth = dayNumber(`${week[1]}-01-04`);
    const monday = fourth - ((dayOfWeek(dayOfNumber(fourth)) + 6) % 7) + (Number(week[2]) - 1) * 7;
    return { from: dayOfNumber(monday), to: dayOfNumber(monday + 6) };
  }
  if (key.length > 7) return { from: key, to: key };
  const [year = 0, month = 0] = key.split("-").map(Number);
  return { from: `${key}-01`, to: new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10) };
}
