import { later, offsetMinutes } from "../../platform/time.js";
import type { DayTime } from "./camera-pictures.js";
import { SeededRandom } from "./seeded-random.js";

const day = 86_400_000;

/** How likely an alert is in each hour of a working day: most when shifts change, few at night. */
const likelihoodByHour = [
  0.1, 0.08, 0.08, 0.08, 0.1, 0.15, 0.5, 1, 0.75, 0.5, 0.5, 0.45, 0.3, 0.45, 0.5, 0.5, 0.65, 1, 0.5, 0.3, 0.2,
  0.18, 0.15, 0.12,
];

/** How likely an alert is on each day of the week, Sunday first. */
const likelihoodByDay = [0.3, 1, 1, 1, 1, 1, 0.55];

const localTime = (timeZoneId: string, time: Date): Date =>
  later(time, offsetMinutes(timeZoneId, time) * 60_000);

/**
 * Random alert times from `start` to `end`, ascending: as frequent as people and vehicles are at a site on
 * its local clock, and the later the more if it is getting worse.
 */
export function alertTimes(options: {
  count: number;
  start: Date;
  end: Date;
  timeZoneId: string;
  isGettingWorse: boolean;
  seed: number;
}): Date[] {
  const { count, timeZoneId, isGettingWorse } = options;
  const [start, end] = [options.start.getTime(), options.end.getTime()];
  const random = new SeededRandom(options.seed);
  const times: Date[] = [];
  while (times.length < count) {
    const progress = random.next();
    const time = new Date(end - 1 - Math.floor((1 - progress) * (end - start)));
    const local = localTime(timeZoneId, time);
    const likelihood =
      (likelihoodByHour[local.getUTCHours()] ?? 0) * (likelihoodByDay[local.getUTCDay()] ?? 0);
    if (random.chance(likelihood * (isGettingWorse ? 0.15 + 0.85 * progress ** 3 : 1))) times.push(time);
  }
  return times.sort((a, b) => a.getTime() - b.getTime());
}

export function dayTimeAt(timeZoneId: string, time: Date): DayTime {
  const hour = localTime(timeZoneId, time).getUTCHours();
  return hour < 6 || hour >= 19 ? "night" : "day";
}

/** When it was 02:40 last night on the clock of a time zone, at least three hours ago. */
export function lastNight(timeZoneId: string, now: Date): Date {
  const offset = offsetMinutes(timeZoneId, now) * 60_000;
  const latest = now.getTime() + offset - 3 * 3_600_000;
  const sinceMidnight = (2 * 60 + 40) * 60_000;
  const midnight = Math.floor((latest - sinceMidnight) / day) * day;
  return new Date(midnight + sinceMidnight - offset);
}
