// Runs once: REST runs the statements of GraphQL, which are tested on every kind of
// database.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createAlerts,
  createCamera,
  createFacility,
  createUser,
  createWorkspace,
} from "../support/factories.js";
import { id } from "../support/fixed-fleet.js";
import { type Gateway, startGateway } from "../support/harness.js";

const admin = { user: "test|admin" };
const [dock, gate, hall] = [id(21), id(22), id(23)];
const [north, south] = [id(11), id(12)];
const area = id(31);
const newest = Date.parse("2026-11-20T12:00:00.000Z");
const minute = 60_000;

/** 45 alerts in one workspace, one minute apart, newest first. */
const alerts = Array.from({ length: 45 }, (_, index) => ({
  id: id(100 + ((index * 7) % 45)),
  workspaceId: id(1),
  facilityId: index % 3 === 2 ? south : north,
  cameraId: [dock, gate, hall][index % 3] as string,
  name: ["INTRUSION", "FALL", "FIRE", "SMOKE"][index % 4] as string,
  severity: ["LOW", "HIGH", null, "MEDIUM", "LOW"][index % 5] as string | null,
  bookmark: index % 6 === 0,
  areaIds: index % 9 === 0 ? [area, id(32)] : [],
  createdAt: new Date(newest - index * minute),
}));
type Alert = (typeof alerts)[number];

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ seed: "none" });
  const { prisma } = gateway;
  const workspaceId = id(1);
  await createWorkspace(prisma, { id: workspaceId });
  await createUser(prisma, { workspaceId, authId: "test|admin", roles: ["alerts:read"] });
  for (const facilityId of [north, south]) await createFacility(prisma, { id: facilityId, workspaceId });
  for (const cameraId of [dock, gate])
    await createCamera(prisma, { id: cameraId, workspaceId, facilityId: north });
  await createCamera(prisma, { id: hall, workspaceId, facilityId: south });
  await createAlerts(prisma, alerts);
});
afterAll(() => gateway.close());

interface Page {
  page: number;
  count: number;
  total: number;
  alerts: { id: string; createdAt: string }[];
}

/** All 45, in milliseconds. */
const period = `start=${newest - 45 * minute}&end=${newest + 1}`;

async function read(target: string): Promise<Page> {
  const response = await gateway.fetch(target, { as: admin });
  const body = (await response.json()) as { data: Page };
  expect({ status: response.status, body }).toMatchObject({ status: 200, body: { status: "ok" } });
  return body.data;
}

const idsOf = (list: { id: string }[]) => list.map((each) => each.id);

/** Both endpoints that list alerts: the path and the alerts listed there. */
const lists: [string, Alert[]][] = [
  ["/alerts", alerts],
  [`/cameras/${dock}/alerts`, alerts.filter(({ cameraId }) => cameraId === dock)],
];

describe.each(lists)("%s", (path, below) => {
  it("returns the newest 20 as page 1 by default", async () => {
    const { alerts: listed, ...page } = await read(`${path}?${period}`);
    expect(page).toEqual({ page: 1, count: 20, total: below.length });
    expect(idsOf(listed)).toEqual(idsOf(below.slice(0, 20)));
  });

  it("returns contiguous pages", async () => {
    const pages = [1, 2, 3, 4, 5, 6, 7].map((page) => read(`${path}?${period}&page=${page}&count=7`));
    const listed = (await Promise.all(pages)).flatMap((page) => idsOf(page.alerts));
    expect(listed).toEqual(idsOf(below));
  });

  it("returns the page number and page size, not the number of alerts on the page", async () => {
    const { alerts: listed, ...page } = await read(`${path}?${period}&page=2&count=14`);
    expect(page).toEqual({ page: 2, count: 14, total: below.length });
    expect(listed).toHaveLength(Math.min(14, below.length - 14));
  });

  it("returns no alerts but the same total past the last page", async () => {
    expect(await read(`${path}?${period}&page=9`)).toEqual({
      page: 9,
      count: 20,
      total: below.length,
      alerts: [],
    });
  });

  it("accepts the largest page size and page number", async () => {
    expect(await read(`${path}?${period}&count=1000`)).toMatchObject({
      count: 1000,
      total: below.length,
      alerts: { length: below.length },
    });
    expect(await read(`${path}?${period}&count=1&page=2147483647`)).toMatchObject({
      page: 2147483647,
      total: below.length,
      alerts: [],
    });
  });

  const filters: [string, (alert: Alert) => boolean][] = [
    [`facilityId=${south}`, ({ facilityId }) => facilityId === south],
    [`facilityId=${north.toUpperCase()}`, ({ facilityId }) => facilityId === north],
    [`cameraId=${dock}`, ({ cameraId }) => cameraId === dock],
    [`cameraId=${gate},${hall}`, ({ cameraId }) => cameraId === gate || cameraId === hall],
    [`facilityId=${south}&cameraId=${dock}`, () => false],
    ["type=FALL", ({ name }) => name === "FALL"],
    ["type=fall", () => false],
    ["severity=LOW,MEDIUM", ({ severity }) => severity === "LOW" || severity === "MEDIUM"],
    ["bookmark=true", ({ bookmark }) => bookmark],
    ["bookmark=false", ({ bookmark }) => !bookmark],
    [`areaId=${area}`, ({ areaIds }) => areaIds.includes(area)],
    [`areaId=${id(33)}`, () => false],
    [
      "type=INTRUSION&type=FIRE&severity=LOW&bookmark=true",
      ({ name, severity, bookmark }) =>
        ["INTRUSION", "FIRE"].includes(name) && severity === "LOW" && bookmark,
    ],
  ];
  it.each(filters)("filters by %s", async (query, matches) => {
    const expected = below.filter(matches);
    const { total, alerts: listed } = await read(`${path}?${period}&count=1000&${query}`);
    expect({ total, listed: idsOf(listed) }).toEqual({ total: expected.length, listed: idsOf(expected) });
  });
});

describe("a list argument is read the same:", () => {
  const lists: [string, string[], (alert: Alert) => string | null][] = [
    ["type", ["FALL", "FIRE", "SMOKE"], ({ name }) => name],
    ["severity", ["LOW", "HIGH", "MEDIUM"], ({ severity }) => severity],
    ["cameraId", [dock, hall, id(29)], ({ cameraId }) => cameraId],
  ];
  const forms: [string, (name: string, values: string[]) => string][] = [
    ["repeated", (name, values) => values.map((value) => `${name}=${value}`).join("&")],
    ["comma-separated", (name, values) => `${name}=${values.join(",")}`],
    ["comma-separated with the comma encoded", (name, values) => `${name}=${values.join("%2C")}`],
    ["with brackets", (name, values) => values.map((value) => `${name}[]=${value}`).join("&")],
    ["with encoded brackets", (name, values) => values.map((value) => `${name}%5B%5D=${value}`).join("&")],
    ["in mixed notation", (name, [first, ...more]) => `${name}=${first}&${name}[]=${more.join(",")}`],
  ];
  for (const [name, values, of] of lists) {
    it.each(forms)(`${name} %s`, async (_form, write) => {
      const expected = alerts.filter((alert) => values.includes(String(of(alert))));
      expect(idsOf((await read(`/alerts?${period}&count=1000&${write(name, values)}`)).alerts)).toEqual(
        idsOf(expected),
      );
    });
  }
});

describe("a camera's alerts", () => {
  const own = idsOf(alerts.filter(({ cameraId }) => cameraId === dock));
  const filtered: [string, string, string[]][] = [
    ["by its own id", `cameraId=${dock}`, own],
    ["by another camera's id", `cameraId=${gate}`, []],
    ["by several ids including its own", `cameraId=${gate},${dock}`, own],
    ["by its own facility", `facilityId=${north}`, own],
    ["by another facility", `facilityId=${south}`, []],
  ];
  it.each(filtered)("are filtered %s", async (_by, query, expected) => {
    const { total, alerts: listed } = await read(`/cameras/${dock}/alerts?${period}&count=1000&${query}`);
    expect({ total, listed: idsOf(listed) }).toEqual({ total: expected.length, listed: expected });
  });
});

describe("the period", () => {
  const third = newest - 2 * minute;
  const title = "includes its start and excludes its end";

  it.each(lists)(`of %s ${title}`, async (path, below) => {
    const oldest = (below.at(-1) as Alert).createdAt.getTime();
    const newestOfList = (below[0] as Alert).createdAt.getTime();
    expect((await read(`${path}?start=${oldest}&end=${newestOfList}`)).total).toBe(below.length - 1);
    expect((await read(`${path}?start=${oldest + 1}&end=${newestOfList + 1}`)).total).toBe(below.length - 1);
    expect((await read(`${path}?start=${oldest}&end=${newestOfList + 1}`)).total).toBe(below.length);
  });

  it("may be in seconds", async () => {
    const { alerts: listed } = await read(`/alerts?start=${third / 1000}&end=${newest / 1000}`);
    expect(idsOf(listed)).toEqual(idsOf(alerts.slice(1, 3)));
  });

  it("may mix seconds and milliseconds", async () => {
    const { alerts: listed } = await read(`/alerts?start=${third / 1000}&end=${newest + 1}`);
    expect(idsOf(listed)).toEqual(idsOf(alerts.slice(0, 3)));
  });

  it("may be empty", async () => {
    expect((await read(`/alerts?start=${third}&end=${third}`)).total).toBe(0);
  });

  it("is read as milliseconds from 100000000000, and as seconds below", async () => {
    const edges = {
      [id(201)]: 100_000_000_000,
      [id(202)]: 99_999_999_999_000,
      [id(203)]: 0,
      [id(204)]: Date.UTC(9999, 11, 31, 23, 59, 59, 998),
    };
    const cameraId = id(29);
    await createCamera(gateway.prisma, { id: cameraId, workspaceId: id(1), facilityId: north });
    const values = Object.entries(edges).map(([alertId, time]) => ({
      id: alertId,
      workspaceId: id(1),
      facilityId: north,
      cameraId,
      createdAt: new Date(time),
    }));
    await createAlerts(gateway.prisma, values);
    const listed = async (start: number, end: number) =>
      idsOf((await read(`/cameras/${cameraId}/alerts?start=${start}&end=${end}`)).alerts);
    expect(await listed(100_000_000_000, 100_000_000_001)).toEqual([id(201)]);
    expect(await listed(99_999_999_999, 99_999_999_999_001)).toEqual([id(202)]);
    expect(await listed(0, 1)).toEqual([id(203)]);
    expect(await listed(0, Date.UTC(9999, 11, 31, 23, 59, 59, 999))).toEqual([
      id(204),
      id(202),
      id(201),
      id(203),
    ]);
  });
});

it("lists simultaneous alerts by descending id across pages", async () => {
  const cameraId = id(28);
  await createCamera(gateway.prisma, { id: cameraId, workspaceId: id(1), facilityId: north });
  const createdAt = new Date("2026-10-01T00:00:00.000Z");
  const tied = [303, 301, 305, 302, 304].map((n) => ({
    id: id(n),
    workspaceId: id(1),
    facilityId: north,
    cameraId,
    createdAt,
  }));
  await createAlerts(gateway.prisma, tied);
  const page = async (number: number) =>
    idsOf((await read(`/cameras/${cameraId}/alerts?start=0&end=1900000000&count=2&page=${number}`)).alerts);
  expect([await page(1), await page(2), await page(3)]).toEqual([
    [id(305), id(304)],
    [id(303), id(302)],
    [id(301)],
  ]);
});
