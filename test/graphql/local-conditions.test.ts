// Runs once: both kinds of databases run the same statements.
// Takes long: it compares each condition with the calendars of ICU, for years.
import fc from "fast-check";
import { matches as consoleMatches } from "../../src/console/alerts/filter/alert-matching.js";
import type { AlertItemFragment } from "../../src/generated/console.js";
import { fileOf, idsByFormat, linkTo, pathOf } from "../export/exports.js";
import {
  createAlerts,
  createApiKey,
  createCamera,
  createFacility,
  createPlace,
  createWorkspace,
} from "../support/factories.js";
import { ownGateway, type Sender } from "../support/harness.js";
import {
  byKey,
  type Condition,
  type Count,
  calendars,
  clock,
  conditions,
  counted,
  day,
  dayOf,
  type Filter,
  type FilterAtMoment,
  filtersFrom,
  hour,
  type KnownAlert,
  matches,
  minute,
  mondayOf,
  plusDays,
  unfulfilled,
  type Wanted,
  weekOf,
} from "./local-filters.js";

const zones = Object.keys(calendars);
const events = Object.values(calendars).flat();

/** The local time less that of UTC, in milliseconds. */
function offsetAt(at: Date, zone: string): number {
  const { date, time } = clock(at, zone);
  return Date.parse(`${date}T${time}Z`) - at.getTime();
}

/** The changes of clocks among them. */
const changes = zones.flatMap((zone) =>
  (calendars[zone] as string[])
    .map((at) => ({ zone, at: Date.parse(at) }))
    .filter(({ at }) => offsetAt(new Date(at), zone) !== offsetAt(new Date(at - 1), zone)),
);

const localConditions: Condition[] = [
  "localDays",
  "relativeDays",
  "relativeWeeks",
  "localTimes",
  "hoursOfDay",
  "daysOfWeek",
];
const otherConditions = conditions.filter((condition) => !localConditions.includes(condition));

/** The distances from an event to alerts shortly before and after it, in milliseconds. */
const distances = [-hour, -hour / 2, -minute - 1, -1, 0, 1, minute, hour / 2, hour - 1, hour];

let now = new Date();

/** Two for most zones. */
const facilities: { id: string; zone: string }[] = [];

const gateway = await ownGateway({ now: () => now, environment: { MAX_QUERY_COST: "10000000" } });

const { prisma } = gateway;
const workspaceId = await createWorkspace(prisma);
const as = await createApiKey(prisma, { workspaceId, permissions: ["alerts:read", "facilities:read"] });
const drawn: (Omit<KnownAlert, "id"> & { workspaceId: string })[] = [];
for (const zone of [...zones, ...zones.slice(0, 3)]) {
  const facilityId = await createFacility(prisma, { workspaceId, name: zone, timeZoneId: zone });
  facilities.push({ id: facilityId, zone });
  const cameraIds = [
    await createCamera(prisma, { workspaceId, facilityId }),
    await createCamera(prisma, { workspaceId, facilityId }),
  ];
  const random = fc.sample(
    timesNear(fc.constantFrom(...(calendars[zone] as string[]), events[0] as string)),
    {
      numRuns: 60 - 3 * distances.length,
      seed: facilities.length,
    },
  );
  const close = (calendars[zone] as string[]).flatMap((at) =>
    distances.map((distance) => Date.parse(at) + distance),
  );
  const times = [...random, ...close];
  drawn.push(
    ...times.map((time, index) => ({
      ...{ workspaceId, zone, facilityId, cameraId: cameraIds[index % 2] as string },
      ...{
        name: index % 3 === 0 ? "SMOKE" : "FENCE",
        bookmark: index % 5 === 0,
        createdAt: new Date(time),
      },
    })),
  );
}
// A camera that has moved: its older alerts are of another facility, in another zone.
const [moved, home] = [drawn[0] as (typeof drawn)[number], facilities[4] as (typeof facilities)[number]];
for (const alert of drawn.slice(0, 20))
  if (alert.cameraId === moved.cameraId) Object.assign(alert, { facilityId: home.id, zone: home.zone });
const ids = await createAlerts(
  prisma,
  drawn.map(({ zone, ...alert }) => alert),
);
const alerts: KnownAlert[] = drawn.map((alert, index) => ({ ...alert, id: ids[index] as string }));

/** Times around changes of clocks, midnights and evenings. */
function timesNear(event: fc.Arbitrary<string>): fc.Arbitrary<number> {
  const distance = fc.oneof(
    fc.integer({ min: -50, max: 50 }).map((halves) => halves * 30 * minute),
    fc.integer({ min: -3 * 1440, max: 3 * 1440 }).map((minutes) => minutes * minute),
    fc.integer({ min: -3, max: 3 }).map((days) => days * day),
  );
  return fc
    .tuple(event, distance, fc.constantFrom(-1, 0, 0, 1))
    .map(([at, distance, ms]) => Date.parse(at) + distance + ms);
}

const facilityIds = () => facilities.map(({ id }) => id);

/** Filters made of an alert. To be called when there are alerts. */
const anyFilter = (wanted?: Wanted): fc.Arbitrary<FilterAtMoment> =>
  fc.constantFrom(...alerts).chain((alert) => filtersFrom(alert, facilityIds(), wanted));

const listFields = `
  alerts(first: 1000, filter: $filter) { totalCount nodes { id } }
  alertCounts(filter: $filter, aggregate: DAY) { key count }`;
const allFields = `
  tail: alerts(last: 3, filter: $filter) { nodes { id } pageInfo { hasPreviousPage } }
  second: alerts(first: 5, offset: 5, filter: $filter) { nodes { id } }
  byFacility: alertStatistics(filter: $filter, groupBy: [FACILITY, TYPE]) { count type facility { id } }
  byHour: alertStatistics(filter: $filter, groupBy: [HOUR_OF_DAY, DAY]) { count hourOfDay period }
  byDay: alertStatistics(filter: $filter, groupBy: [DAY], fillGaps: true) { count period }
  byWeekday: alertStatistics(filter: $filter, groupBy: [DAY_OF_WEEK, WEEK]) { count dayOfWeek period }
  byWeek: alertCounts(filter: $filter, aggregate: WEEK) { count period: key }
  byMonth: alertCounts(filter: $filter, aggregate: MONTH) { count period: key }
  facilities { id ${listFields} }
  cameras { id ${listFields} }`;

interface List {
  totalCount: number;
  nodes: { id: string }[];
}
interface Listed {
  alerts: List;
  alertCounts: Count[];
}
interface Statistic {
  count: number;
  period: string;
  type: string;
  facility: { id: string };
  hourOfDay: number;
  dayOfWeek: number;
}
type Grouping = "byFacility" | "byHour" | "byWeekday" | "byWeek" | "byMonth";
interface Answer extends Listed, Record<Grouping | "byDay", Statistic[]> {
  tail: List & { pageInfo: { hasPreviousPage: boolean } };
  second: List;
  facilities: (Listed & { id: string })[];
  cameras: (Listed & { id: string })[];
}

/** The group of a statistic, and that of an alert on its day. */
const groupings: Record<
  Grouping,
  [shown: (statistic: Statistic) => string, of: (alert: KnownAlert, date: string) => string]
> = {
  byFacility: [
    ({ facility, type }) => `${facility.id} ${type}`,
    ({ facilityId, name }) => `${facilityId} ${name}`,
  ],
  byHour: [
    ({ period, hourOfDay }) => `${period} ${hourOfDay}`,
    ({ createdAt, zone }, date) => `${date} ${Number(clock(createdAt, zone).time.slice(0, 2))}`,
  ],
  byWeekday: [
    ({ period, dayOfWeek }) => `${period} ${dayOfWeek}`,
    (_alert, date) => `${weekOf(date)} ${new Date(date).getUTCDay() || 7}`,
  ],
  byWeek: [({ period }) => period, (_alert, date) => weekOf(date)],
  byMonth: [({ period }) => period, (_alert, date) => date.slice(0, 7)],
};

const idsOf = ({ nodes }: { nodes: { id: string }[] }) => nodes.map(({ id }) => id);

/** Newest first. */
const listed = (matching: KnownAlert[]) =>
  matching.toSorted(
    (one, other) => other.createdAt.getTime() - one.createdAt.getTime() || (one.id < other.id ? 1 : -1),
  );

/**
 * The number of alerts per day. Adds the filter's days without alerts, by the clocks of
 * the facilities with alerts.
 */
function withZeros(filter: Filter, matching: KnownAlert[]): Count[] {
  const days = new Set<string>();
  for (const zone of new Set(matching.map((alert) => alert.zone)))
    for (const date of daysOf(filter, zone)) days.add(date);
  const counts = new Map(
    counted(matching.map((alert) => dayOf(filter, alert))).map(({ key, count }) => [key, count]),
  );
  return [...new Set([...days, ...counts.keys()])]
    .sort()
    .map((key) => ({ key, count: counts.get(key) ?? 0 }));
}

/** The days that all periods of a filter have in common in a zone. */
function daysOf(filter: Filter, zone: string): string[] {
  const { start, end, localDays, relativeDays, relativeWeeks } = filter;
  const today = clock(now, zone).date;
  const monday = mondayOf(today);
  const dayAt = (createdAt: Date) => dayOf(filter, { createdAt, zone });
  const firsts = [
    start && dayAt(start),
    localDays?.from,
    relativeDays && plusDays(today, relativeDays.from),
    relativeWeeks && plusDays(monday, 7 * relativeWeeks.from),
  ];
  const lasts = [
    end && dayAt(new Date(end.getTime() - 1)),
    localDays?.to,
    relativeDays && plusDays(today, relativeDays.to),
    relativeWeeks && plusDays(monday, 7 * relativeWeeks.to + 6),
  ];
  const [first, last] = [
    firsts
      .filter((date) => date != null)
      .sort()
      .at(-1),
    lasts.filter((date) => date != null).sort()[0],
  ] as [string, string];
  const days: string[] = [];
  for (let date = first; date <= last; date = plusDays(date, 1)) days.push(date);
  return days;
}

const listOf = (matching: KnownAlert[], filter: Filter): Listed => ({
  alerts: { totalCount: matching.length, nodes: matching.map(({ id }) => ({ id })) },
  alertCounts: counted(matching.map((alert) => dayOf(filter, alert))),
});

/**
 * Expects that the API lists and counts by day exactly the alerts that match a filter.
 * Returns these.
 */
async function expectListed(at: FilterAtMoment): Promise<KnownAlert[]> {
  return (await readListed<Listed>(at, "")).matching;
}

async function readListed<Read extends Listed>(
  at: FilterAtMoment,
  more: string,
): Promise<{ matching: KnownAlert[]; answer: Read }> {
  const { filter } = at;
  now = at.now;
  const matching = listed(alerts.filter((alert) => matches(at, alert)));
  const query = `query ($filter: AlertFilter!) { ${listFields} ${more} }`;
  const answer = await gateway.data<Read>(query, { as, variables: { filter } });
  expect(answer).toMatchObject(listOf(matching, filter));
  return { matching, answer };
}

/**
 * Expects that every field about alerts with a filter counts or lists exactly the
 * matching ones. Returns these.
 */
async function expectMatches(at: FilterAtMoment): Promise<KnownAlert[]> {
  const { filter } = at;
  const { matching, answer } = await readListed<Answer>(at, allFields);
  const ids = matching.map(({ id }) => id);
  expect([idsOf(answer.tail), answer.tail.pageInfo.hasPreviousPage]).toEqual([ids.slice(-3), ids.length > 3]);
  expect(idsOf(answer.second)).toEqual(ids.slice(5, 10));
  for (const [name, [shown, of]] of Object.entries(groupings) as [Grouping, (typeof groupings)[Grouping]][])
    expect(
      answer[name].map((statistic) => ({ key: shown(statistic), count: statistic.count })).sort(byKey),
      name,
    ).toEqual(counted(matching.map((alert) => of(alert, dayOf(filter, alert)))));
  expect(answer.byDay.map(({ count, period }) => ({ key: period, count }))).toEqual(
    withZeros(filter, matching),
  );
  for (const [parents, column] of [
    [answer.facilities, "facilityId"],
    [answer.cameras, "cameraId"],
  ] as const)
    expect(parents).toEqual(
      parents.map(({ id }) => ({
        id,
        ...listOf(
          matching.filter((alert) => alert[column] === id),
          filter,
        ),
      })),
    );
  return matching;
}

describe("alerts match by the clocks of their facilities,", () => {
  it("as ICU shows them, in lists, totals, counts and statistics", async () => {
    const found = new Set<string>();
    await fc.assert(
      // The lists and counts of each facility and camera are read half of the times.
      fc.asyncProperty(anyFilter(), fc.boolean(), async (at, inAll) => {
        for (const { id } of await (inAll ? expectMatches : expectListed)(at)) found.add(id);
      }),
      { numRuns: 30 },
    );
    expect(found.size).toBeGreaterThan(alerts.length / 4);
  });

  it("also just before and just after clocks are changed, whichever condition is fulfilled or narrowly not", async () => {
    for (const [index, { zone, at }] of changes.entries()) {
      const distanceOf = ({ createdAt }: KnownAlert) => createdAt.getTime() - at;
      const there = alerts.filter((alert) => alert.zone === zone && Math.abs(distanceOf(alert)) <= hour);
      const sides = {
        before: there.filter((alert) => distanceOf(alert) < 0),
        after: there.filter((alert) => distanceOf(alert) >= 0),
      };
      for (const [side, among] of Object.entries(sides)) {
        expect(among.length, `alerts ${side} ${new Date(at).toISOString()} in ${zone}`).toBeGreaterThan(2);
        const from = (wanted: Wanted) =>
          fc
            .constantFrom(...among)
            .chain((alert) =>
              filtersFrom(alert, facilityIds(), wanted).map((filterAt) => ({ alert, filterAt })),
            );
        for (const condition of [
          ...localConditions,
          otherConditions[index % otherConditions.length] as Condition,
        ]) {
          const isExcluded = fc.asyncProperty(
            from({ condition, isMissed: true }),
            async ({ alert, filterAt }) => {
              expect(unfulfilled(filterAt, alert)).toEqual([condition]);
              expect(await expectListed(filterAt)).not.toContain(alert);
            },
          );
          await fc.assert(isExcluded, { numRuns: 1 });
        }
        const condition = conditions[(index + (side === "before" ? 0 : 5)) % conditions.length] as Condition;
        const isFound = fc.asyncProperty(
          from({ condition, isMissed: false }),
          async ({ alert, filterAt }) => {
            expect(filterAt.filter).toHaveProperty(condition);
            // Use each condition at least once in every field about alerts.
            expect(await (index < conditions.length ? expectMatches : expectListed)(filterAt)).toContain(
              alert,
            );
          },
        );
        await fc.assert(isFound, { numRuns: 1 });
      }
    }
    // Each condition has been asked about on both sides of changes.
    expect(changes.length).toBeGreaterThanOrEqual(conditions.length);
  });
});

it("the console selects the same raised alerts as the API's lists", async () => {
  const always = { start: new Date(0), end: new Date("9999-01-01T00:00:00Z") };
  const items = await gateway.data<{ alerts: { nodes: AlertItemFragment[] } }>(
    `query ($filter: AlertFilter!) { alerts(first: 1000, filter: $filter) { nodes {
        id name severity createdAt localCreatedAt observation cameraId facilityId alertRuleId areaIds bookmark falsePositive acknowledgedAt
        facility { id name timeZoneId } } } }`,
    { as, variables: { filter: always } },
  );
  expect(items.alerts.nodes).toHaveLength(alerts.length);
  const check = async (at: FilterAtMoment) => {
    now = at.now;
    const filter = JSON.parse(JSON.stringify(at.filter));
    const answer = await gateway.data<{ alerts: List }>(
      "query ($filter: AlertFilter!) { alerts(first: 1000, filter: $filter) { nodes { id } } }",
      {
        as,
        variables: { filter },
      },
    );
    expect(
      idsOf({ nodes: items.alerts.nodes.filter((alert) => consoleMatches(alert, filter, now.getTime())) }),
    ).toEqual(idsOf(answer.alerts));
  };
  await fc.assert(fc.asyncProperty(anyFilter(), check), { numRuns: 20 });
  for (const condition of localConditions) {
    const missing = anyFilter({ condition, isMissed: true });
    await fc.assert(fc.asyncProperty(missing, check), { numRuns: 12 });
  }
});

describe("at one place", () => {
  let berlin: { workspaceId: string; facilityId: string; cameraId: string };
  let site: Sender;
  let alertIds: string[];
  const moments = [
    "2026-11-18T17:00:00Z",
    "2026-11-19T04:59:59.999Z",
    "2026-11-19T16:59:59.999Z",
    "2026-11-19T17:00:00Z",
    "2026-11-20T05:00:00Z",
  ];

  beforeAll(async () => {
    const { prisma } = gateway;
    berlin = await createPlace(prisma, { timeZoneId: "Europe/Berlin" });
    const { workspaceId } = berlin;
    site = await createApiKey(prisma, { workspaceId, permissions: ["alerts:read", "facilities:read"] });
    alertIds = await createAlerts(
      prisma,
      moments.map((at) => ({ ...berlin, createdAt: new Date(at) })),
    );
  });

  it("today moves on, also in an operation whose statement is kept", async () => {
    const query =
      "{ facilities { alerts(first: 9, filter: { relativeDays: { from: 0, to: 0 } }) { nodes { id } } } }";
    for (const [moment, expected] of [
      ["2026-11-19T22:59:59Z", 3],
      ["2026-11-19T23:00:00Z", 1],
      ["2026-11-20T23:00:00Z", 0],
    ] as const) {
      now = new Date(moment);
      for (let run = 0; run < 2; run += 1) {
        const { facilities } = await gateway.data<{ facilities: { alerts: List }[] }>(query, { as: site });
        expect(facilities[0]?.alerts.nodes).toHaveLength(expected);
      }
    }
  });

  it.each(["XLSX", "CSV", "NDJSON"] as const)(
    "an export as %s has the days as of the moment of its request",
    async (format) => {
      const filter = { relativeDays: { from: 0, to: 0 }, localTimes: { from: "06:00", to: "18:00" } };
      now = new Date("2026-11-19T22:58:00Z");
      const { url } = await linkTo(gateway, site, filter, format);
      now = new Date("2026-11-19T23:02:00Z");
      const file = await fileOf(await gateway.fetch(pathOf(url)));
      expect(await idsByFormat[format](file)).toEqual([alertIds[2]]);
    },
  );
});
