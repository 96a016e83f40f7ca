import { offsetMinutes } from "../platform/time.js";
import { SeededRandom } from "./seeded-random.js";

const day = 86_400_000;

/**
 * Random alert times in the days before `end`, ascending: frequent during local working
 * hours, rare at night and on Sundays.
 */
export function alertTimes(options: {
  count: number;
  days: number;
  end: Date;
  timeZoneId: string;
  seed: number;
}): Date[] {
  const random = new SeededRandom(options.seed);
  const times: Date[] = [];
  while (times.length < options.count) {
    const time = new Date(options.end.getTime() - 1 - Math.floor(random.next() * options.days * day));
    const local = new Date(time.getTime() + offsetMinutes(options.timeZoneId, time) * 60_000);
    const hour = local.getUTCHours();
    const likelihood = (hour >= 7 && hour < 19 ? 1 : 0.2) * (local.getUTCDay() === 0 ? 0.4 : 1);
    if (random.chance(likelihood)) times.push(time);
  }
  return times.sort((a, b) => a.getTime() - b.getTime());
}
