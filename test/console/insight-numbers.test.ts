// Needs no gateway.
import fc from "fast-check";
import {
  type AlertSelection,
  alertFilterOf,
  alertSelectionOf,
  quarter,
} from "../../src/console/alerts/filter/alert-filter.js";
import { matches } from "../../src/console/alerts/filter/alert-matching.js";
import { localMoment } from "../../src/console/alerts/local-time.js";
import { dayNumber, dayOfWeek, mondayOf } from "../../src/console/language/calendar-days.js";
import { wallTime } from "../../src/console/language/time-zones.js";
import type { AlertFilter, AlertItemFragment } from "../../src/generated/console.js";
import { type Dimension, type Group, numbersOfInsight } from "./insight-numbers.js";

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

/** Zones with the changes of their clocks, of whole and half hours, one over midnight. */
const changes = {
  "Europe/Berlin": ["2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z"],
  "America/Santiago": ["2026-04-05T03:00:00Z", "2026-09-06T04:00:00Z"],
  "Australia/Lord_Howe": ["2026-04-04T15:00:00Z", "2026-10-03T15:30:00Z"],
  "America/St_Johns": ["2026-03-08T05:30:00Z", "2026-11-01T04:30:00Z"],
  "Pacific/Kiritimati": ["2026-03-29T10:00:00Z", "2026-10-25T10:00:00Z"],
  "Pacific/Pago_Pago": ["2026-03-29T11:00:00Z", "2026-10-25T11:00:00Z"],
  "Asia/Kathmandu": ["2026-03-29T18:15:00Z"],
};
const zones = Object.keys(changes);
const events = Object.values(changes)
  .flat()
  .map((at) => Date.parse(at));

const distance = fc.oneof(
  fc.constantFrom(-1, 0, 1, -minute, minute, -hour, hour, -day, day),
  fc.integer({ min: -2 * day, max: 2 * day }),
  fc.integer({ min: -70 * day, max: 5 * day }),
);

/** An alert as the page knows it: its facility and camera are those of its zone. */
const alertNear = (event: number) =>
  fc
    .record({
      at: distance.map((by) => event + by),
      zone: fc.constantFrom(...zones),
      severity: fc.constantFrom("CRITICAL", "LOW", "odd", null),
      name: fc.constantFrom("PERSON", "VEHICLE", "FIRE"),
      isOpen: fc.boolean(),
    })
    .map(({ at, zone, severity, name, isOpen }) => {
      const facility = { id: zone, name: zone, timeZoneId: zone };
      return {
        ...{ name, severity, facility, facilityId: zone, cameraId: zone, camera: { id: zone, name: zone } },
        createdAt: new Date(at).toISOString(),
        localCreatedAt: wallTime(at, zone).toISOString(),
        ...{ acknowledgedAt: isOpen ? null : new Date(at).toISOString(), falsePositive: false },
        ...{ observation: false, bookmark: false, alertRuleId: null, areaIds: [] },
      } as unknown as AlertItemFragment;
    });

const time = fc.nat(47).map((halves) => new Date(halves * 30 * minute).toISOString().slice(11, 16));
const periodNear = (event: number): fc.Arbitrary<Partial<AlertSelection>> => {
  const near = distance.map((by) => event + by);
  return fc.oneof(
    fc.constant({}),
    fc.constantFrom("today", "24h", "7d", "30d").map((each) => ({ period: each }) as Partial<AlertSelection>),
    fc
      .tuple(fc.integer({ min: -40, max: 0 }), fc.nat(40))
      .map(([from, length]) => ({ relativeDays: { from, to: Math.min(0, from + length) } })),
    fc
      .tuple(fc.integer({ min: -6, max: 0 }), fc.nat(3))
      .map(([from, length]) => ({ relativeWeeks: { from, to: Math.min(0, from + length) } })),
    fc.tuple(near, fc.nat(50)).map(([at, length]) => {
      const from = new Date(at).toISOString().slice(0, 10);
      return { localDays: { from, to: new Date(at + length * day).toISOString().slice(0, 10) } };
    }),
    fc.tuple(near, near).map((instants) => {
      const [start, end] = instants.sort((one, other) => one - other).map((at) => new Date(at).toISOString());
      return { start, end };
    }),
    near.map((at) => ({ start: new Date(at).toISOString() })),
  );
};

/** Often all, else one of these. */
const sometimes = <Value>(value: fc.Arbitrary<Value>, otherwise: Value) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(otherwise) }, { weight: 1, arbitrary: value });

const selectionNear = (event: number) =>
  fc
    .tuple(
      periodNear(event),
      fc.record({
        localTimes: fc.option(fc.record({ from: time, to: time }), { nil: undefined }),
        hoursOfDay: sometimes(fc.uniqueArray(fc.nat(23), { maxLength: 12 }), []),
        daysOfWeek: sometimes(fc.uniqueArray(fc.nat(6), { maxLength: 4 }), []),
        severities: sometimes(fc.subarray(["CRITICAL", "LOW"]), []),
        hasSeverity: sometimes<boolean | undefined>(fc.boolean(), undefined),
        open: sometimes<boolean | undefined>(fc.boolean(), undefined),
      }),
    )
    .map(
      ([chosen, further]): AlertSelection => ({
        ...{
          facilityIds: [],
          cameraIds: [],
          alertRuleIds: [],
          areaIds: [],
          types: [],
          objectLabels: [],
          objectAttributes: [],
        },
        ...further,
        ...chosen,
      }),
    );

/** The ISO week of a day, by its Thursday. */
function weekOf(date: string): string {
  const thursday = new Date((dayNumber(mondayOf(date)) + 3) * day);
  const week = Math.floor((thursday.getTime() - Date.UTC(thursday.getUTCFullYear(), 0, 1)) / (7 * day)) + 1;
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, "0")}`;
}

/** Counts alerts by the words of the API. */
function groupsOf(alerts: readonly AlertItemFragment[], filter: AlertFilter, groupBy: Dimension[]): Group[] {
  const groups = new Map<string, Group>();
  for (const each of alerts) {
    const { day: date, time: clock } = localMoment(each, filter);
    const values: Record<Dimension, Partial<Group>> = {
      DAY: { period: date },
      WEEK: { period: weekOf(date) },
      MONTH: { period: date.slice(0, 7) },
      SEVERITY: { severity: each.severity },
      TYPE: { type: each.name },
      FACILITY: { facility: each.facility },
      CAMERA: { camera: each.camera },
      DAY_OF_WEEK: { dayOfWeek: dayOfWeek(date) || 7 },
      HOUR_OF_DAY: { hourOfDay: Number(clock.slice(0, 2)) },
    };
    const key = Object.assign({}, ...groupBy.map((dimension) => values[dimension])) as Group;
    const known = groups.get(JSON.stringify(key));
    groups.set(JSON.stringify(key), { ...key, count: (known?.count ?? 0) + 1 });
  }
  return [...groups.values()];
}

test("every number of Insight is that of the alerts behind its link, in every zone and around changes of clocks", async () => {
  let shown = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...events).chain((event) =>
        fc.record({
          alerts: fc.array(alertNear(event), { minLength: 1, maxLength: 60 }),
          selection: selectionNear(event),
          // While clocks are changed, and in the weeks after.
          now: fc.oneof(distance, fc.nat(30 * day)).map((by) => event + by),
          colouring: fc.constantFrom("severity" as const, "type" as const),
          unit: fc.constantFrom("DAY" as const, "WEEK" as const, "MONTH" as const, undefined),
        }),
      ),
      async ({ alerts, now, unit, ...page }) => {
        const until = Math.floor(now / quarter + 1) * quarter;
        const matching = (filter: AlertFilter) => alerts.filter((each) => matches(each, filter, now));
        const numbers = await numbersOfInsight(
          { ...page, until, timeZones: zones, ...(unit && { unit }) },
          (filter, groupBy) => groupsOf(matching(filter), filter, groupBy),
        );
        for (const { name, count, query } of numbers) {
          const listed = matching(alertFilterOf(alertSelectionOf(query), new Date(now))).length;
          expect(`${name}: ${listed} at ${query}`).toBe(`${name}: ${count} at ${query}`);
          if (count > 0) shown += 1;
        }
      },
    ),
    { numRuns: 300 },
  );
  expect(shown).toBeGreaterThan(1_000);
}, 60_000);
