// Runs once: both kinds of databases run the same statements.
import { beforeAll, expect, test } from "vitest";
import { alertFilterOf, alertSelectionOf, quarter } from "../../src/console/alerts/alert-filter.js";
import type { AlertFilter } from "../../src/generated/console.js";
import {
  createAlerts,
  createApiKey,
  createCamera,
  createFacility,
  createWorkspace,
} from "../support/factories.js";
import { type Gateway, type Sender, sharedGateway } from "../support/harness.js";
import { type Group, type LinkedNumber, numbersOfInsight } from "./insight-numbers.js";

const minute = 60_000;
const zones = [
  "Pacific/Kiritimati",
  "Pacific/Pago_Pago",
  "Asia/Kathmandu",
  "Europe/Berlin",
  "America/St_Johns",
  "America/Santiago",
];

let gateway: Gateway;
let as: Sender;
beforeAll(async () => {
  gateway = await sharedGateway();
  const { prisma } = gateway;
  const workspaceId = await createWorkspace(prisma, {});
  as = await createApiKey(prisma, {
    workspaceId,
    permissions: ["facilities:read", "cameras:read", "alerts:read"],
  });
  for (const [index, timeZoneId] of zones.entries()) {
    const facilityId = await createFacility(prisma, { workspaceId, name: timeZoneId, timeZoneId });
    const cameraId = await createCamera(prisma, { workspaceId, facilityId, name: `Camera ${index}` });
    const severities = ["CRITICAL", "LOW", null, "odd"];
    const alert = { workspaceId, facilityId, cameraId };
    const now = Date.now();
    await createAlerts(
      prisma,
      Array.from({ length: 220 }, (_, each) => ({
        ...alert,
        name: ["PERSON", "VEHICLE", "FIRE"][each % 3] as string,
        severity: severities[(each + index) % severities.length] as string | null,
        // Ten weeks, and, for each zone, a day around a change of clocks in autumn.
        createdAt: new Date(
          each < 200
            ? now - each * 487 * minute - index * 13 * minute
            : Date.parse("2026-10-25T13:00:00Z") - (each - 200) * 71 * minute,
        ),
      })),
    );
  }
});

const statistics = `query ($filter: AlertFilter!, $groupBy: [AlertDimension!]!) {
  alertStatistics(filter: $filter, groupBy: $groupBy) {
    count period hourOfDay dayOfWeek type severity facility { id name } camera { id name }
  }
}`;

async function groupsOf(filter: AlertFilter, groupBy: string[]): Promise<Group[]> {
  const { alertStatistics } = await gateway.data<{ alertStatistics: Group[] }>(statistics, {
    as,
    variables: { filter, groupBy },
  });
  return alertStatistics;
}

/** The totals of the lists behind numbers. */
async function totalsOf(numbers: readonly LinkedNumber[]): Promise<number[]> {
  const totals: number[] = [];
  const batch = 12;
  for (let start = 0; start < numbers.length; start += batch) {
    const filters = numbers
      .slice(start, start + batch)
      .map(({ query }) => alertFilterOf(alertSelectionOf(query), new Date()));
    const query = `query (${filters.map((_, index) => `$filter${index}: AlertFilter!`).join(", ")}) {
      ${filters.map((_, index) => `total${index}: alerts(filter: $filter${index}, first: 1) { totalCount }`).join(" ")} }`;
    const variables = Object.fromEntries(filters.map((filter, index) => [`filter${index}`, filter]));
    const data = await gateway.data<Record<string, { totalCount: number }>>(query, { as, variables });
    totals.push(...filters.map((_, index) => data[`total${index}`]?.totalCount ?? Number.NaN));
  }
  return totals;
}

test.each([
  "",
  "period=today&by=type",
  "period=24h",
  "relative=-1&times=18:00..06:00",
  "weeks=0",
  "weeks=-1&by=type",
  "days=2026-10-20..2026-10-31&per=week",
  "from=2026-10-24T11:00:00.000Z&to=2026-10-26T11:00:00.000Z&per=day",
  "relative=-3650..0&per=month&severity=LOW",
  "period=30d&hour=1&hour=2&hour=3&weekday=0&weekday=6&times=22:15..06:30",
])(
  "every number of Insight is the total of the list behind its link, with facilities in six time zones and ?%s",
  async (address) => {
    const query = new URLSearchParams(address);
    const unit = query.get("per")?.toUpperCase() as "DAY" | undefined;
    const numbers = await numbersOfInsight(
      {
        selection: alertSelectionOf(query),
        until: Math.floor(Date.now() / quarter + 1) * quarter,
        timeZones: zones,
        colouring: query.get("by") === "type" ? "type" : "severity",
        ...(unit && { unit }),
      },
      groupsOf,
    );
    const totals = await totalsOf(numbers);
    expect(numbers.map(({ name, count, query }) => `${name}: ${count} at ${query}`)).toEqual(
      numbers.map(({ name, query }, index) => `${name}: ${totals[index]} at ${query}`),
    );
    expect(numbers.filter(({ count }) => count > 0).length).toBeGreaterThan(10);
  },
  90_000,
);
