// Runs once: both kinds of databases run the same statements.
// Takes long: it compares thousands of statistics with a model.
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { permissions } from "../../src/engine/access/permissions.js";
import type { AlertFilter } from "../../src/features/alert/alert.input.js";
import {
  createAlertRule,
  createAlerts,
  createApiKey,
  createCamera,
  createFacility,
  createPlace,
  createUser,
  grantAccess,
} from "../support/factories.js";
import { type Sender, sharedWorkspace } from "../support/harness.js";
import { clock, day, hour, plusDays, weekOf } from "./local-filters.js";

/**
 * Time zones whose clocks change during the alerts, at night or at midnight, or not at
 * all.
 */
const zones = ["Europe/Berlin", "Africa/Cairo", "America/Havana", "Asia/Kathmandu"];
const clockChanges = ["2025-10-26T01:00:00Z", "2025-10-30T21:00:00Z", "2025-11-02T05:00:00Z"].map(Date.parse);
const [begin, end] = [Date.parse("2025-10-18T00:00:00Z"), Date.parse("2025-11-12T00:00:00Z")];

interface Place {
  id: string;
  name: string;
}
interface KnownAlert {
  id: string;
  facility: Place & { zone: string };
  camera: Place;
  /** The rule, which may have been deleted, or may be of another facility. */
  alertRuleId: string | null;
  createdAt: Date;
  type: string;
  severity: string | null;
  bookmark: boolean;
  falsePositive: boolean;
  observation: boolean;
  acknowledgedAt: Date | null;
  areaIds: string[];
}
const facilities: (Place & { zone: string })[] = [];
const cameras: Place[] = [];
const rules: (Place & { facilityId: string })[] = [];
const deletedRule = randomUUID();
const area = randomUUID();
/** The newest first, as they are listed. */
let alerts: KnownAlert[] = [];
interface Caller {
  as: Sender;
  sees: (facilityId: string) => boolean;
}
/** The callers, each with the facilities that they see. */
const callers: Caller[] = [];

const moment = fc.oneof(
  fc.integer({ min: begin, max: end }),
  fc
    .tuple(fc.constantFrom(...clockChanges), fc.integer({ min: -26, max: 26 }), fc.constantFrom(-1, 0, 1))
    .map(([at, hours, ms]) => at + hours * hour + ms),
);
const type = fc.constantFrom("FENCE", "SMOKE", "\uff5e", "😀");
const severity = fc.constantFrom("LOW", "HIGH", "");

/**
 * Alerts of the cameras. A few are of a camera that has since moved to their facility or
 * left it.
 */
const alertsAmong = () =>
  fc.array(
    fc
      .record({
        camera: fc.nat(cameras.length - 1),
        moved: fc.integer({ min: 0, max: 9 }),
        rule: fc.option(fc.oneof(fc.constant(deletedRule), fc.constantFrom(...rules.map(({ id }) => id)))),
        createdAt: moment.map((at) => new Date(at)),
        type,
        severity: fc.option(severity),
        bookmark: fc.boolean(),
        falsePositive: fc.boolean(),
        observation: fc.boolean(),
        acknowledgedAt: fc.option(fc.constant(new Date(end))),
        areaIds: fc.constantFrom<string[]>([], [area], [randomUUID(), area]),
      })
      .map(({ camera, moved, rule, ...alert }): KnownAlert => {
        const facility = facilities[
          (Math.floor(camera / 2) + (moved === 0 ? 1 : 0)) % facilities.length
        ] as (typeof facilities)[number];
        return { ...alert, id: randomUUID(), facility, camera: cameras[camera] as Place, alertRuleId: rule };
      }),
    { minLength: 200, maxLength: 200 },
  );

type Filter = AlertFilter & { start: Date; end: Date };

function matches(filter: Filter, alert: KnownAlert): boolean {
  const among = <Value>(list: Value[] | null | undefined, value: Value) =>
    list == null || list.includes(value);
  const is = <Value>(wanted: Value | null | undefined, value: Value) => wanted == null || wanted === value;
  return (
    alert.createdAt >= filter.start &&
    alert.createdAt < filter.end &&
    among(filter.facilityIds, alert.facility.id) &&
    among(filter.cameraIds, alert.camera.id) &&
    among(filter.types, alert.type) &&
    among<string | null>(filter.severities, alert.severity) &&
    is(filter.hasSeverity, alert.severity !== null) &&
    among<string | null>(filter.alertRuleIds, alert.alertRuleId) &&
    is(filter.bookmark, alert.bookmark) &&
    among(filter.falsePositive, alert.falsePositive) &&
    is(filter.observation, alert.observation) &&
    is(filter.acknowledged, alert.acknowledgedAt !== null) &&
    is(filter.open, !(alert.acknowledgedAt || alert.falsePositive || alert.observation)) &&
    is(filter.facilityId, alert.facility.id) &&
    (filter.areaId == null || alert.areaIds.includes(filter.areaId)) &&
    (filter.areaIds == null || filter.areaIds.some((id) => alert.areaIds.includes(id)))
  );
}

/** The day and the hour of a moment by the clock of a zone. */
function localTime(at: Date, zone: string): { day: string; hour: number } {
  const { date, time } = clock(at, zone);
  return { day: date, hour: Number(time.slice(0, 2)) };
}

const weekday = (date: string) => new Date(date).getUTCDay() || 7;

const periods: Record<string, (date: string) => string> = {
  DAY: (date) => date,
  WEEK: weekOf,
  MONTH: (date) => date.slice(0, 7),
};
const dimensions = [
  "DAY",
  "WEEK",
  "MONTH",
  "HOUR_OF_DAY",
  "DAY_OF_WEEK",
  "TYPE",
  "SEVERITY",
  "FACILITY",
  "CAMERA",
  "ALERT_RULE",
];
const isCalendar = (dimension: string) => /^(DAY|WEEK|MONTH|HOUR)/.test(dimension);

interface Statistic {
  count: number;
  period: string | null;
  hourOfDay: number | null;
  dayOfWeek: number | null;
  type: string | null;
  severity: string | null;
  facility: Place | null;
  camera: Place | null;
  alertRuleId: string | null;
  alertRule: Place | null;
}

const nothing: Statistic = {
  ...{ count: 0, period: null, hourOfDay: null, dayOfWeek: null, type: null, severity: null },
  ...{ facility: null, camera: null, alertRuleId: null, alertRule: null },
};

/**
 * The group of an alert by one dimension, as a caller sees it. `sortedBy` also
 * distinguishes groups with hidden entities.
 */
function groupOf(
  alert: KnownAlert,
  dimension: string,
  sees: (facilityId: string) => boolean,
): { shown: Partial<Statistic>; sortedBy: unknown[] } {
  const { facility, camera, alertRuleId, type, severity } = alert;
  const { day, hour } = localTime(alert.createdAt, facility.zone);
  const period = periods[dimension]?.(day);
  if (period) return { shown: { period }, sortedBy: [period] };
  const home = facilities[Math.floor(cameras.indexOf(camera) / 2)] as Place;
  const rule = rules.find(({ id, facilityId }) => id === alertRuleId && sees(facilityId));
  const place = ({ id, name }: Place) => ({ id, name });
  const shownCamera = sees(home.id) ? camera : null;
  const groups: Record<string, [Partial<Statistic>, unknown[]]> = {
    HOUR_OF_DAY: [{ hourOfDay: hour }, [hour]],
    DAY_OF_WEEK: [{ dayOfWeek: weekday(day) }, [weekday(day)]],
    TYPE: [{ type }, [type]],
    SEVERITY: [{ severity }, [severity]],
    FACILITY: [{ facility: place(facility) }, [facility.name, facility.id]],
    CAMERA: [{ camera: shownCamera }, [shownCamera?.name ?? null, camera.id]],
    ALERT_RULE: [{ alertRuleId, alertRule: rule ? place(rule) : null }, [rule?.name ?? null, alertRuleId]],
  };
  const [shown, sortedBy] = groups[dimension] as [Partial<Statistic>, unknown[]];
  return { shown, sortedBy };
}

/** By code point, and null last. */
function compareValues(one: unknown, other: unknown): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  if (typeof one === "number") return one - (other as number);
  return Buffer.compare(Buffer.from(one as string), Buffer.from(other as string));
}

function compareLists(one: readonly unknown[], other: readonly unknown[]): number {
  for (const [index, value] of one.entries()) {
    const difference = compareValues(value, other[index]);
    if (difference !== 0) return difference;
  }
  return 0;
}

interface Group {
  shown: Statistic;
  calendar: unknown[];
  names: unknown[];
}

function groupBy(alert: KnownAlert, dimensions: string[], sees: (facilityId: string) => boolean): Group {
  const parts = dimensions.map((dimension) => ({ dimension, ...groupOf(alert, dimension, sees) }));
  const listOf = (calendar: boolean) =>
    parts.filter(({ dimension }) => isCalendar(dimension) === calendar).flatMap(({ sortedBy }) => sortedBy);
  return {
    shown: Object.assign({}, nothing, ...parts.map(({ shown }) => shown)),
    calendar: listOf(true),
    names: listOf(false),
  };
}

const groupedWeekday = ({ createdAt, facility }: KnownAlert) =>
  weekday(localTime(createdAt, facility.zone).day);

/**
 * The expected statistics by a period alone without alerts: zeros, by the clocks of the
 * named visible facilities.
 */
function expectedZeros(
  dimension: string,
  filter: Filter,
  sees: (facilityId: string) => boolean,
): Statistic[] {
  const shown = new Set<string>();
  for (const { id, zone } of facilities) {
    if (
      !sees(id) ||
      (filter.facilityIds && !filter.facilityIds.includes(id)) ||
      (filter.facilityId ?? id) !== id
    )
      continue;
    const [first, last] = [filter.start, new Date(filter.end.getTime() - 1)].map(
      (at) => localTime(at, zone).day,
    ) as [string, string];
    for (let date = first; date <= last; date = plusDays(date, 1))
      shown.add(periods[dimension]?.(date) as string);
  }
  return [...shown].sort().map((period) => ({ ...nothing, period }));
}

/**
 * The expected statistics of these alerts. If a filter is given, without gaps in its
 * period.
 */
function expectedStatistics(
  matching: KnownAlert[],
  dimensions: string[],
  sees: (facilityId: string) => boolean,
  filled?: Filter,
): Statistic[] {
  const groups = new Map<string, Group>();
  const add = (group: Group, count: number) => {
    const key = JSON.stringify([group.calendar, group.names]);
    const known = groups.get(key) ?? group;
    known.shown.count += count;
    groups.set(key, known);
  };
  const periodOf = periods[dimensions.find((dimension) => dimension in periods) ?? ""];
  const position = dimensions.filter(isCalendar).findIndex((dimension) => dimension in periods);
  if (filled && periodOf && matching.length === 0 && dimensions.length === 1)
    return expectedZeros(dimensions[0] as string, filled, sees);
  const combinations = new Set<string>();
  for (const alert of matching) {
    const group = groupBy(alert, dimensions, sees);
    add(group, 1);
    if (!filled || !periodOf) continue;
    const combination = JSON.stringify([
      alert.facility.zone,
      groupedWeekday(alert),
      group.calendar.with(position, null),
      group.names,
    ]);
    if (combinations.has(combination)) continue;
    combinations.add(combination);
    const [first, last] = [filled.start, new Date(filled.end.getTime() - 1)].map(
      (at) => localTime(at, alert.facility.zone).day,
    ) as [string, string];
    for (let date = first; date <= last; date = plusDays(date, 1)) {
      if (
        dimensions.includes("DAY") &&
        dimensions.includes("DAY_OF_WEEK") &&
        weekday(date) !== groupedWeekday(alert)
      )
        continue;
      const { shown, calendar, names } = group;
      add(
        {
          shown: { ...shown, count: 0, period: periodOf(date) },
          calendar: calendar.with(position, periodOf(date)),
          names,
        },
        0,
      );
    }
  }
  return [...groups.values()]
    .sort(
      (one, other) =>
        compareLists(one.calendar, other.calendar) ||
        other.shown.count - one.shown.count ||
        compareLists(one.names, other.names),
    )
    .map(({ shown }) => shown);
}

const fields = `count period hourOfDay dayOfWeek type severity facility { id name } camera { id name } alertRuleId alertRule { id name }`;
const query = `query ($filter: AlertFilter!, $groupBy: [AlertDimension!]!, $fillGaps: Boolean) {
  alertStatistics(filter: $filter, groupBy: $groupBy, fillGaps: $fillGaps) { ${fields} }
  alerts(filter: $filter, first: 200) { totalCount nodes { id } }
}`;

/** Expects of a caller's alerts that they are listed and counted as in memory. */
async function expectCounted(
  { as, sees }: Caller,
  filter: Filter,
  groupBy: string[],
  fillGaps: boolean,
): Promise<KnownAlert[]> {
  const matching = alerts.filter((alert) => sees(alert.facility.id) && matches(filter, alert));
  expect(await gateway.data(query, { as, variables: { filter, groupBy, fillGaps } })).toEqual({
    alerts: { totalCount: matching.length, nodes: matching.map(({ id }) => ({ id })) },
    alertStatistics: expectedStatistics(matching, groupBy, sees, fillGaps ? filter : undefined),
  });
  return matching;
}

const allTime: Filter = { start: new Date(begin - day), end: new Date(end + day) };
const pairs = dimensions.flatMap((one, index) => [
  [one],
  ...dimensions.slice(index + 1).map((other) => [one, other]),
]);
const groupings = [
  ...pairs,
  ["DAY", "TYPE", "FACILITY"],
  ["SEVERITY", "CAMERA", "WEEK"],
  ["HOUR_OF_DAY", "DAY_OF_WEEK", "ALERT_RULE"],
].filter((dimensions) => dimensions.filter((dimension) => dimension in periods).length <= 1);

const { gateway, prisma, workspaceId } = await sharedWorkspace();
// Two facilities of the same name, and a name that JavaScript orders otherwise than by
// code points.
for (const [index, zone] of [...zones, "Europe/Berlin"].entries()) {
  const name = ["Quay", "\uff5e Yard", "😀 Yard", "Quay", "Berth"][index] as string;
  const facilityId = await createFacility(prisma, { workspaceId, timeZoneId: zone, name });
  facilities.push({ id: facilityId, zone, name });
  for (const name of ["Gate", "Dock"]) {
    const cameraId = await createCamera(prisma, { workspaceId, facilityId, name });
    cameras.push({ id: cameraId, name });
    rules.push({
      id: await createAlertRule(prisma, { cameraId, name: `Rule ${name}` }),
      name: `Rule ${name}`,
      facilityId,
    });
  }
}
await createUser(prisma, { workspaceId, authId: "statistics|admin", roles: [...permissions] });
const userId = await createUser(prisma, { workspaceId, authId: "statistics|site" });
const [first, second] = facilities as unknown as [Place, Place];
await grantAccess(prisma, { userId, workspaceId, facilityId: first.id, actions: ["facilities:read"] });
const key = await createApiKey(prisma, {
  workspaceId,
  permissions: ["alerts:read"],
  facilityIds: [second.id],
});
callers.push(
  { as: { user: "statistics|admin" }, sees: () => true },
  { as: { user: "statistics|site" }, sees: (id) => id === first.id },
  { as: { authorization: key.authorization }, sees: (id) => id === second.id },
);
alerts = (fc.sample(alertsAmong(), { numRuns: 1, seed: 17 })[0] as KnownAlert[]).sort(
  (one, other) => other.createdAt.getTime() - one.createdAt.getTime() || (one.id < other.id ? 1 : -1),
);
await createAlerts(
  prisma,
  alerts.map(({ facility, camera, type: name, ...values }) => ({
    ...values,
    workspaceId,
    facilityId: facility.id,
    cameraId: camera.id,
    name,
  })),
);
// Neither the alerts of a removed camera nor those of another workspace count.
const { id: facilityId } = first;
const cameraId = await createCamera(prisma, { workspaceId, facilityId, removedAt: new Date() });
await createAlerts(
  prisma,
  [{ workspaceId, facilityId, cameraId }, await createPlace(prisma)],
  new Date(clockChanges[0] as number),
);

describe("alerts are counted as in memory, from kept counts and one by one,", () => {
  it.each(groupings.map((groupBy, index) => [groupBy.join(" × "), groupBy, index] as const))(
    "by %s",
    async (_name, groupBy, index) => {
      // A condition that every alert meets, and kept counts do not know.
      const oneByOne = { falsePositive: [true, false] };
      const filters = [allTime, { ...allTime, start: new Date(clockChanges[1] as number) }];
      // The caller who sees everything counts in all ways, and each of the others in one
      // way, in turn.
      const ways = [{}, oneByOne].flatMap((more) =>
        filters.map((filter) => [{ ...filter, ...more }, filter === allTime] as const),
      );
      for (const [number, caller] of callers.entries())
        for (const way of number === 0
          ? ways
          : [ways[(index + number) % ways.length] as (typeof ways)[number]])
          await expectCounted(caller, way[0], groupBy, way[1]);
    },
  );

  const [yes, no] = [true, false];
  it.each<[keyof Filter, () => unknown[]]>([
    ["facilityId", () => [facilities[1]?.id]],
    ["facilityIds", () => [facilities.slice(1, 3).map(({ id }) => id), []]],
    ["cameraIds", () => [cameras.slice(0, 3).map(({ id }) => id), []]],
    ["types", () => [["SMOKE", "😀"], []]],
    ["severities", () => [["LOW"], ["", "HIGH"], []]],
    ["hasSeverity", () => [yes, no]],
    ["bookmark", () => [yes, no]],
    ["falsePositive", () => [[yes], [no], []]],
    ["observation", () => [yes, no]],
    ["acknowledged", () => [yes, no]],
    ["open", () => [yes, no]],
    ["areaId", () => [area]],
    ["areaIds", () => [[randomUUID(), area], []]],
    ["alertRuleIds", () => [[deletedRule, rules[1]?.id], []]],
  ])("by a filter of %s, alone and with others", async (field, values) => {
    for (const [number, value] of values().entries()) {
      const filter = { ...allTime, [field]: value };
      const [admin, ...others] = callers as [Caller, Caller, Caller];
      const { length } = await expectCounted(admin, filter, ["TYPE"], false);
      expect([length > 0, length < alerts.length]).toEqual([!Array.isArray(value) || value.length > 0, true]);
      // Each value by other dimensions, together with conditions that kept counts know or not.
      const offset = field.length + 7 * number;
      for (const [index, more] of [{ types: ["FENCE", "SMOKE"] }, { bookmark: false }].entries()) {
        const groupBy = groupings[(offset + 11 * index) % groupings.length] as string[];
        await expectCounted(admin, { ...more, ...filter }, groupBy, index === 0);
        await expectCounted(
          others[index] as Caller,
          { ...filter, start: alerts[99]?.createdAt as Date },
          groupBy,
          index === 1,
        );
      }
    }
  });
});

it.each([["DAY"], ["WEEK"], ["DAY", "TYPE"]])(
  "a period without alerts is counted as in memory: with zeros by the clocks of the facilities if it alone is grouped by (%s %s)",
  async (...groupBy) => {
    const quiet = { start: new Date("2025-03-29T22:30:00Z"), end: new Date("2025-03-31T23:00:00Z") };
    const inHavana = facilities.filter(({ zone }) => zone === "America/Havana").map(({ id }) => id);
    for (const caller of callers)
      for (const filter of [quiet, { ...quiet, facilityIds: inHavana }])
        for (const fillGaps of [true, false]) await expectCounted(caller, filter, groupBy, fillGaps);
  },
);

describe("the number of groups", () => {
  const years = (count: number) => ({
    start: new Date("1990-01-01T00:00:00Z"),
    end: new Date(Date.UTC(1990 + count, 0, 1)),
  });
  const [admin] = [{ user: "statistics|admin" }];
  const sendFilled = (filter: object) =>
    gateway.graphql(query, { as: admin, variables: { filter, groupBy: ["DAY"], fillGaps: true } });

  it("is at most 10,000, including groups that fill gaps", async () => {
    const { errors } = await sendFilled(years(200));
    expect(errors?.map(({ extensions }) => [extensions.code, extensions.details])).toEqual([
      [
        "BAD_REQUEST",
        [
          {
            path: "groupBy",
            message:
              "makes more than 10000 groups: use a narrower filter, longer periods or fewer dimensions",
          },
        ],
      ],
    ]);
    const { errors: ofQuietYears } = await sendFilled({
      start: new Date("0001-01-01T00:00:00Z"),
      end: new Date("1990-01-01T00:00:00Z"),
    });
    expect(ofQuietYears).toEqual(errors);
  });

  it("may be 10,000, but not one more", async () => {
    const site = await createPlace(prisma);
    const { workspaceId } = site;
    await createUser(prisma, { workspaceId, authId: "statistics|many", roles: ["alerts:read"] });
    const create = (count: number) => prisma.$executeRaw`
      INSERT INTO "Alert" ("id", "workspaceId", "facilityId", "cameraId", "name", "createdAt", "storageClass", "alertRuleId")
      SELECT gen_random_uuid(), ${site.workspaceId}::uuid, ${site.facilityId}::uuid, ${site.cameraId}::uuid, 'FENCE', '2026-01-01', 'local', gen_random_uuid()
      FROM generate_series(1, ${count}::int)`;
    const send = () =>
      gateway.graphql<{ alertStatistics: unknown[] }>(
        "query ($filter: AlertFilter!) { alertStatistics(filter: $filter, groupBy: [ALERT_RULE]) { count } }",
        { as: { user: "statistics|many" }, variables: { filter: years(100) } },
      );
    await create(10_000);
    expect((await send()).data.alertStatistics).toHaveLength(10_000);
    await create(1);
    expect((await send()).errors?.[0]?.extensions.code).toBe("BAD_REQUEST");
  });
});
