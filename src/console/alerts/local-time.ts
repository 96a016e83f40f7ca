import type { AlertFilter, AlertItemFragment } from "../../generated/console.js";
import { addDays } from "../language/calendar-days.js";

/** The night, from the evening to the morning. */
export const nightTimes = { from: "18:00", to: "06:00" };

/** Whether times of the day run over midnight, as 18:00 to 06:00: later hours then belong to the day before. */
export const runOverMidnight = (times: AlertFilter["localTimes"]): boolean =>
  times != null && times.to <= times.from;

/**
 * When an alert was raised, by the clock of its facility: the time such as 12:30, and the day to which a
 * filter counts it.
 */
export function localMoment(
  { localCreatedAt }: Pick<AlertItemFragment, "localCreatedAt">,
  { localTimes }: AlertFilter,
): { day: string; time: string } {
  const [date, time] = [localCreatedAt.slice(0, 10), localCreatedAt.slice(11, 16)];
  const isAfterMidnight = localTimes && runOverMidnight(localTimes) && time < localTimes.to;
  return { day: isAfterMidnight ? addDays(date, -1) : date, time };
}
