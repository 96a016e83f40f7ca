// Needs no gateway.
import fc from "fast-check";
import {
  type AlertSelection,
  alertFilterOf,
  alertParametersOf,
  alertSelectionOf,
  quarter,
} from "../../src/console/alerts/filter/alert-filter.js";
import {
  countedSelection,
  lastDayOver,
  periodBefore,
  periodOfBar,
} from "../../src/console/insight/insight-period.js";
import { addDays, daysOf } from "../../src/console/language/calendar-days.js";
import { choiceOf, presetNames, presetOf } from "../../src/console/period/period-presets.js";

const queryOf = (selection: AlertSelection) => {
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries(alertParametersOf(selection)))
    for (const value of [values ?? []].flat()) query.append(name, value);
  return query;
};

const day = fc.integer({ min: -10_000, max: 40_000 }).map((days) => addDays("2000-01-01", days));
const time = fc.nat(1439).map((minutes) => new Date(minutes * 60_000).toISOString().slice(11, 16));
const instant = fc
  .date({ min: new Date("1970-01-01T00:00:00Z"), max: new Date("9998-01-01T00:00:00Z"), noInvalidDate: true })
  .map((at) => at.toISOString());
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

const selections: fc.Arbitrary<AlertSelection> = fc
  .record({
    facilityIds: fc.uniqueArray(fc.uuid(), { maxLength: 3 }),
    types: fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 3 }),
    localDays: optional(
      fc
        .tuple(day, day)
        .map((days) => days.sort())
        .map(([from, to]) => ({ from: from as string, to: to as string })),
    ),
    relativeDays: optional(
      fc
        .tuple(fc.integer({ min: -3650, max: 0 }), fc.integer({ min: -3650, max: 0 }))
        .map(([one, other]) => ({ from: Math.min(one, other), to: Math.max(one, other) })),
    ),
    relativeWeeks: optional(
      fc
        .tuple(fc.integer({ min: -521, max: 0 }), fc.integer({ min: -521, max: 0 }))
        .map(([one, other]) => ({ from: Math.min(one, other), to: Math.max(one, other) })),
    ),
    localTimes: optional(fc.record({ from: time, to: time })),
    hoursOfDay: fc.uniqueArray(fc.nat(23)),
    daysOfWeek: fc.uniqueArray(fc.nat(6)),
    hasSeverity: optional(fc.boolean()),
    text: fc.constantFrom("forklift", undefined),
    objectLabels: fc.subarray(["person", "dog"]),
    objectAttributes: fc.subarray([
      { name: "helmet", value: "false" },
      { name: "link", value: "a:b" },
    ]),
    box: fc.constantFrom({ x1: 0, y1: 0.25, x2: 0.5, y2: 1 }, undefined),
    bookmark: optional(fc.boolean()),
    period: optional(fc.constantFrom("today" as const, "24h" as const, "7d" as const, "30d" as const)),
    instants: fc.record({ start: optional(instant), end: optional(instant) }),
  })
  .map(({ instants, ...selection }) => ({
    ...{ cameraIds: [], alertRuleIds: [], areaIds: [], severities: [] },
    ...selection,
    ...(selection.period ? { relativeDays: undefined, relativeWeeks: undefined } : instants),
  }));

test("an address says all that is selected", () => {
  fc.assert(
    fc.property(selections, (selection) => {
      expect(alertSelectionOf(queryOf(selection))).toEqual(selection);
    }),
  );
});

test("invalid days and times in an address select nothing", () => {
  const wrong =
    "days=2026-02-30&times=24:00..06:00&hour=24&hour=-1&hour=x&weekday=7&weekday=1.5&period=constructor&from=soon";
  expect(queryOf(alertSelectionOf(new URLSearchParams(wrong))).toString()).toBe("");
  for (const days of [
    "2026-11-20..2026-11-19",
    "2026-13-01",
    "..",
    "20261120",
    "2026-11-20..2026-11-21T00:00:00Z",
  ])
    expect(alertSelectionOf(new URLSearchParams({ days })).localDays).toBeUndefined();
  for (const relative of ["1", "-0", "-1..-2", "-3651..0", "x", "-1.5", ""])
    expect(alertSelectionOf(new URLSearchParams({ relative })).relativeDays).toBeUndefined();
});

test("a period of days has no instant, so that each facility has its own days, and an export of it no end", () => {
  const now = new Date("2026-11-25T15:00:00Z");
  const filterOf = (period: string) => alertFilterOf(alertSelectionOf(new URLSearchParams({ period })), now);
  expect(filterOf("7d")).toEqual({ relativeDays: { from: -6, to: 0 } });
  expect(filterOf("today")).toEqual({ relativeDays: { from: 0, to: 0 } });
  expect(filterOf("24h")).toMatchObject({ start: "2026-11-24T15:00:00.000Z" });
});

test("each period to choose is recognized, and takes the times of the night away with the night", () => {
  const times = { from: "08:00", to: "12:00" };
  fc.assert(
    fc.property(selections, fc.constantFrom(...presetNames), (selection, name) => {
      const chosen = { ...selection, localDays: undefined, ...choiceOf(name, selection) };
      expect(presetOf(chosen)).toBe(name);
      const query = queryOf(chosen);
      expect(presetOf(alertSelectionOf(query))).toBe(name);
      const later = { ...chosen, ...choiceOf("thisWeek", chosen) };
      expect(later.localTimes).toEqual(name === "lastNight" ? undefined : selection.localTimes);
    }),
  );
  const own = alertSelectionOf(new URLSearchParams({ relative: "-1", times: "08:00..12:00" }));
  expect([presetOf(own), choiceOf("today", own), own.localTimes]).toEqual([
    "yesterday",
    expect.not.objectContaining({ localTimes: undefined }),
    times,
  ]);
});

test("days that are counted from today are asked for as they are, also within instants", () => {
  const now = new Date("2026-11-25T15:00:00Z");
  const filterOf = (query: string) => alertFilterOf(alertSelectionOf(new URLSearchParams(query)), now);
  const lastNight = { relativeDays: { from: -1, to: -1 }, localTimes: { from: "18:00", to: "06:00" } };
  expect(filterOf("relative=-1&times=18:00..06:00")).toEqual(lastNight);
  expect(filterOf("relative=-8..-2&from=2026-11-20T00:00:00Z")).toMatchObject({
    relativeDays: { from: -8, to: -2 },
    start: "2026-11-20T00:00:00.000Z",
  });
  expect(filterOf("relative=-1&period=7d")).toEqual({ relativeDays: { from: -6, to: 0 } });
});

test("the last 24 hours begin at the same instant wherever they are shown, and none of them is left out", () => {
  const selection = alertSelectionOf(new URLSearchParams({ period: "24h" }));
  const moment = fc.oneof(
    fc.nat(2 ** 41),
    fc
      .tuple(fc.nat(2_000_000), fc.constantFrom(-1, 0, 1))
      .map(([quarters, ms]) => Math.max(0, quarters * quarter + ms)),
  );
  fc.assert(
    fc.property(moment, (now) => {
      const { start } = alertFilterOf(selection, new Date(now));
      // Like the views: one lists up to now, the other counts up to the end of the
      // current quarter of an hour.
      const until = Math.floor(now / quarter + 1) * quarter;
      const counted = alertFilterOf(countedSelection(selection, "30d", until), new Date(until));
      expect(counted.start).toBe(start);
      expect(Date.parse(counted.end as string)).toBeGreaterThan(now);
      const length = now - Date.parse(start as string);
      expect(length).toBeGreaterThanOrEqual(24 * 3_600_000);
      expect(length).toBeLessThan(24 * 3_600_000 + quarter);
    }),
  );
});

test("the period before is as long, and ends where the period begins", () => {
  const until = Date.parse("2026-11-25T15:15:00Z");
  expect(periodBefore({ relativeDays: { from: -6, to: 0 } }, until)).toEqual({
    relativeDays: { from: -13, to: -7 },
    end: "2026-11-18T15:15:00.000Z",
  });
  expect(periodBefore({ relativeWeeks: { from: 0, to: 0 } }, until)).toEqual({
    relativeWeeks: { from: -1, to: -1 },
    end: "2026-11-18T15:15:00.000Z",
  });
  const today = { start: "2026-11-25T00:00:00.000Z", end: "2026-11-26T00:00:00.000Z" };
  expect(periodBefore(today, until)).toEqual({
    start: "2026-11-24T00:00:00.000Z",
    end: "2026-11-24T15:15:00.000Z",
  });
  // The API counts back ten years at most.
  expect(periodBefore({ relativeDays: { from: -3650, to: -1 } }, until)).toEqual({
    start: "2006-11-30T15:15:00.000Z",
    end: "2016-11-27T15:15:00.000Z",
  });
  const recent = fc
    .tuple(fc.nat(2 ** 41), fc.nat(2 ** 41))
    .map((times) => times.sort((one, other) => one - other).map((at) => new Date(at).toISOString()));
  fc.assert(
    fc.property(recent, ([start = "", end = ""]) => {
      const before = periodBefore({ start, end }, Date.parse("9999-01-01T00:00:00Z"));
      expect(before.end).toBe(start);
      expect(Date.parse(before.end as string) - Date.parse(before.start as string)).toBe(
        Date.parse(end) - Date.parse(start),
      );
    }),
  );
});

test("the last day that is over is one that is over at every facility", () => {
  const now = Date.parse("2026-11-25T15:15:00Z");
  const week = { relativeDays: { from: -6, to: 0 } };
  expect(lastDayOver(week, ["Asia/Tokyo"], now)).toBe("2026-11-25");
  expect(lastDayOver(week, ["Asia/Tokyo", "America/New_York"], now)).toBe("2026-11-24");
  expect(lastDayOver({ localDays: { from: "2026-11-01", to: "2026-11-20" } }, [], now)).toBe("2026-11-20");
});

test("a bar leads to its days within the selection, and also to the period only if a facility may be at another day", () => {
  const until = Date.parse("2026-11-25T15:15:00Z");
  const selection = alertSelectionOf(new URLSearchParams({ period: "7d" }));
  const isStable = (key: string) => Object.hasOwn(periodOfBar(key, selection, until), "period");
  // Facilities may be at the 24th, the 25th or the 26th.
  expect(["2026-11-19", "2026-11-20", "2026-11-24", "2026-11-25"].map(isStable)).toEqual([
    false,
    true,
    true,
    false,
  ]);
  const within = alertSelectionOf(new URLSearchParams({ days: "2026-11-18..2026-11-22" }));
  expect(periodOfBar("2026-W47", within, until)).toEqual({
    localDays: { from: "2026-11-18", to: "2026-11-22" },
  });
});

test("weeks and months have their days", () => {
  expect(daysOf("2026-W53")).toEqual({ from: "2026-12-28", to: "2027-01-03" });
  expect(daysOf("2024-02")).toEqual({ from: "2024-02-01", to: "2024-02-29" });
  fc.assert(
    fc.property(day, (key) => {
      expect(daysOf(key)).toEqual({ from: key, to: key });
    }),
  );
});
