import type { AlertFilter, AlertItemFragment } from "../../../generated/console.js";
import { entriesOf } from "../../../platform/record.js";
import { dayNumber, dayOfWeek, weekNumber } from "../../language/calendar-days.js";
import { localDay } from "../../language/time-zones.js";
import { localMoment, runOverMidnight } from "../local-time.js";
import type { Range } from "./alert-filter-fields.js";

/** Whether the API would list an alert with a value in a filter at a moment. */
type Matching<Wanted> = (
  alert: AlertItemFragment,
  wanted: Wanted,
  request: { filter: AlertFilter; now: number },
) => boolean;

const isBetween = <Value extends number | string>(value: Value, { from, to }: Range<Value>) =>
  value >= from && value <= to;

/** Matches alerts by the number of days or weeks from each facility's present one. */
const isBetweenRelative =
  (numberOf: (day: string) => number): Matching<Range<number>> =>
  (alert, wanted, { filter, now }) =>
    isBetween(
      numberOf(localMoment(alert, filter).day) - numberOf(localDay(now, alert.facility.timeZoneId)),
      wanted,
    );

const matching = {
  facilityIds: ({ facilityId }, ids) => ids.includes(facilityId),
  cameraIds: ({ cameraId }, ids) => ids.includes(cameraId),
  alertRuleIds: ({ alertRuleId }, ids) => alertRuleId !== null && ids.includes(alertRuleId),
  areaIds: ({ areaIds }, ids) => areaIds.some((id) => ids.includes(id)),
  types: ({ name }, types) => types.includes(name),
  severities: ({ severity }, severities) => severity !== null && severities.includes(severity),
  hasSeverity: ({ severity }, wanted) => (severity !== null) === wanted,
  // What is in objects and comments, only the API knows.
  text: ({ name, alertRuleName }, text) =>
    text
      .toLowerCase()
      .split(/\s+/)
      .every((word) => `${name}\n${alertRuleName ?? ""}`.toLowerCase().includes(word)),
  objectLabels: () => false,
  objectAttributes: () => false,
  box: ({ violatingCoordinates, canvasDimensions, imageDimensions }, { x1, y1, x2, y2 }) => {
    const canvas = canvasDimensions ?? imageDimensions;
    if (!canvas) return false;
    const isIn = (value: number, length: number, from: number, to: number) =>
      value >= from * length && value <= to * length;
    return (violatingCoordinates ?? []).some(
      ({ x, y }) => isIn(x, canvas.width, x1, x2) && isIn(y, canvas.height, y1, y2),
    );
  },
  daysOfWeek: (alert, days, { filter }) => days.includes(dayOfWeek(localMoment(alert, filter).day)),
  hoursOfDay: (alert, hours, { filter }) =>
    hours.includes(Number(localMoment(alert, filter).time.slice(0, 2))),
  localDays: (alert, days, { filter }) => isBetween(localMoment(alert, filter).day, days),
  localTimes: (alert, times, { filter }) => {
    const { time } = localMoment(alert, filter);
    const [isFrom, isUntil] = [time >= times.from, time < times.to];
    return runOverMidnight(times) ? isFrom || isUntil : isFrom && isUntil;
  },
  open: ({ acknowledgedAt, falsePositive, observation }, wanted) =>
    (acknowledgedAt === null && !falsePositive && !observation) === wanted,
  acknowledged: ({ acknowledgedAt }, wanted) => (acknowledgedAt !== null) === wanted,
  bookmark: ({ bookmark }, wanted) => bookmark === wanted,
  falsePositive: ({ falsePositive }, wanted) => wanted.includes(falsePositive),
  observation: ({ observation }, wanted) => observation === wanted,
  hasClip: ({ clip }, wanted) => (clip?.state === "READY") === wanted,
  start: ({ createdAt }, start) => Date.parse(createdAt) >= Date.parse(start),
  end: ({ createdAt }, end) => Date.parse(createdAt) < Date.parse(end),
  relativeDays: isBetweenRelative(dayNumber),
  relativeWeeks: isBetweenRelative(weekNumber),
  facilityId: ({ facilityId }, id) => facilityId === id,
  areaId: ({ areaIds }, id) => areaIds.includes(id),
} satisfies { [Field in keyof AlertFilter]-?: Matching<NonNullable<AlertFilter[Field]>> };

export const isOpen = (alert: AlertItemFragment): boolean => matching.open(alert, true);

/** Whether the API would list an alert with a filter at a moment. */
export const matches = (alert: AlertItemFragment, filter: AlertFilter, now: number): boolean =>
  entriesOf(filter).every(
    ([name, wanted]) => wanted == null || matching[name](alert, wanted as never, { filter, now }),
  );
