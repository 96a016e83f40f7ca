import { offsetMinutes } from "../../platform/time.js";
import { SeededRandom } from "./random.js";

const day = 86_400_000;

/** Moments of alerts over the days before `end`, ascending: busy in the facility's working hours, quiet at night and on Sundays. */
export function alertMoments(options: { count: number; days: number; end: Date; timeZoneId: string; seed: number }): Date[] {
  const random = new SeededRandom(options.seed);
  const moments: Date[] = [];
  while (moments.length < options.count) {
    const moment = new Date(options.end.getTime() - 1 - Math.floor(random.next() * options.days * day));
    const local = new Date(moment.getTime() + offsetMinutes(options.timeZoneId, moment) * 60_000);
    const hour = local.getUTCHours();
    const busy = (hour >= 7 && hour < 19 ? 1 : 0.2) * (local.getUTCDay() === 0 ? 0.4 : 1);
    if (random.chance(busy)) moments.push(moment);
  }
  return moments.sort((one, other) => one.getTime() - other.getTime());
}
