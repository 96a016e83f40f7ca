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
import { type Gateway, gatewayForTest, startGateway } from "../support/harness.js";

const admin = { user: "test|admin" };
const workspaceId = id(1);
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ seed: "none" });
  await createWorkspace(gateway.prisma, { id: workspaceId });
  await createUser(gateway.prisma, { workspaceId, authId: "test|admin", roles: ["alerts:read"] });
});
afterAll(() => gateway.close());

let cameras = 0;

/** Creates a camera in a new facility in the time zone, with an alert at each time. */
async function cameraWith(timeZoneId: string, times: string[], names: string[] = []): Promise<string> {
  cameras += 1;
  const { prisma } = gateway;
  const [facilityId, cameraId] = [id(1000 + cameras), id(2000 + cameras)];
  await createFacility(prisma, { id: facilityId, workspaceId, timeZoneId });
  await createCamera(prisma, { id: cameraId, workspaceId, facilityId });
  const alerts = times.map((time, index) => ({
    id: id(cameras * 10_000 + index),
    workspaceId,
    facilityId,
    cameraId,
    name: names[index] ?? "FALL",
    createdAt: new Date(time),
  }));
  await createAlerts(prisma, alerts);
  return cameraId;
}

async function read<Data>(target: string): Promise<Data> {
  const response = await gateway.fetch(target, { as: admin });
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: Data }).data;
}

const years = "start=1700000000&end=1900000000";
const countsOf = async (cameraId: string, aggregate: string, period = years) => {
  const buckets = await read<{ key: string; count: number }[]>(
    `/cameras/${cameraId}/alerts/count?${period}&aggregate=${aggregate}`,
  );
  return buckets.map(({ key, count }) => [key, count]);
};

describe("counts of a camera's alerts", () => {
  it("are grouped by the facility's day, ascending, without empty days", async () => {
    const cameraId = await cameraWith("Europe/Istanbul", [
      "2026-11-20T21:00:00.000Z",
      "2026-11-20T20:59:59.999Z",
      "2026-11-19T21:00:00.000Z",
      "2026-11-17T12:00:00.000Z",
    ]);
    expect(await countsOf(cameraId, "day")).toEqual([
      ["2026-11-17", 1],
      ["2026-11-20", 2],
      ["2026-11-21", 1],
    ]);
  });

  it("are grouped by ISO week, whose year may differ from the calendar year", async () => {
    const cameraId = await cameraWith("UTC", [
      "2025-12-28T23:59:59.999Z",
      "2025-12-29T00:00:00.000Z",
      "2026-01-04T23:59:59.999Z",
      "2026-11-20T00:00:00.000Z",
      "2027-01-03T00:00:00.000Z",
    ]);
    expect(await countsOf(cameraId, "week")).toEqual([
      ["2025-W52", 1],
      ["2026-W01", 2],
      ["2026-W47", 1],
      ["2026-W53", 1],
    ]);
  });

  it("are grouped by the facility's month", async () => {
    const cameraId = await cameraWith("America/Sao_Paulo", [
      "2026-11-01T02:59:59.999Z",
      "2026-11-01T03:00:00.000Z",
      "2026-12-01T02:59:59.999Z",
    ]);
    expect(await countsOf(cameraId, "month")).toEqual([
      ["2026-10", 1],
      ["2026-11", 2],
    ]);
  });

  it("handle a repeated hour and a day without midnight", async () => {
    const amsterdam = await cameraWith("Europe/Amsterdam", [
      "2026-10-24T22:00:00.000Z",
      "2026-10-25T00:30:00.000Z",
      "2026-10-25T01:30:00.000Z",
    ]);
    expect(await countsOf(amsterdam, "day")).toEqual([["2026-10-25", 3]]);
    const cairo = await cameraWith("Africa/Cairo", ["2026-04-23T21:59:59.999Z", "2026-04-23T22:00:00.000Z"]);
    expect(await countsOf(cairo, "day")).toEqual([
      ["2026-04-23", 1],
      ["2026-04-24", 1],
    ]);
  });

  it("include the start and exclude the end", async () => {
    const cameraId = await cameraWith("UTC", [
      "2026-11-18T00:00:00.000Z",
      "2026-11-19T00:00:00.000Z",
      "2026-11-20T00:00:00.000Z",
    ]);
    const period = `start=${Date.parse("2026-11-18T00:00:00.000Z")}&end=${Date.parse("2026-11-20T00:00:00.000Z")}`;
    expect(await countsOf(cameraId, "day", period)).toEqual([
      ["2026-11-18", 1],
      ["2026-11-19", 1],
    ]);
  });
});

describe("the local time of an alert is the same instant", () => {
  it.each([
    ["Europe/Istanbul", "2026-11-20T09:30:00.000Z", "2026-11-20T12:30:00.000+03:00"],
    ["Asia/Kathmandu", "2026-11-20T23:59:59.999Z", "2026-11-21T05:44:59.999+05:45"],
    ["America/St_Johns", "2026-07-01T01:00:00.000Z", "2026-06-30T22:30:00.000-02:30"],
    ["UTC", "2026-11-20T09:30:00.001Z", "2026-11-20T09:30:00.001+00:00"],
    ["Europe/Amsterdam", "2026-10-25T00:30:00.000Z", "2026-10-25T02:30:00.000+02:00"],
    ["Europe/Amsterdam", "2026-10-25T01:30:00.000Z", "2026-10-25T02:30:00.000+01:00"],
  ])("in %s at %s", async (timeZoneId, time, local) => {
    const cameraId = await cameraWith(timeZoneId, [time]);
    const { alerts } = await read<{ alerts: object[] }>(`/cameras/${cameraId}/alerts?${years}`);
    expect(alerts).toMatchObject([{ createdAt: time, localCreatedAt: local }]);
    expect(await read(`/cameras/${cameraId}/alerts/last?alertType=FALL`)).toMatchObject({
      createdAt: time,
      localCreatedAt: local,
    });
  });
});

describe("a camera's last alert", () => {
  it("is the newest of its type, with ties broken by the largest id", async () => {
    const times = [
      "2026-11-20T10:00:00Z",
      "2026-11-20T09:00:00Z",
      "2026-11-20T09:00:00Z",
      "2026-11-20T08:00:00Z",
    ];
    const cameraId = await cameraWith("UTC", times, ["FALL", "FIRE", "FIRE", "FIRE"]);
    expect(await read(`/cameras/${cameraId}/alerts/last?alertType=FIRE`)).toMatchObject({
      name: "FIRE",
      id: id(cameras * 10_000 + 2),
    });
    expect(await read(`/cameras/${cameraId}/alerts/last?alertType=FALL`)).toMatchObject({
      name: "FALL",
      createdAt: "2026-11-20T10:00:00.000Z",
    });
  });

  it("may be older than any period", async () => {
    const cameraId = await cameraWith("UTC", ["1971-01-01T00:00:00.000Z"]);
    expect(await read(`/cameras/${cameraId}/alerts/last?alertType=FALL`)).toMatchObject({
      createdAt: "1971-01-01T00:00:00.000Z",
    });
  });

  it.each(["FIRE", "fall", "FAL", "%", "FALL "])(
    "of the type %j is null if the camera has only other types",
    async (type) => {
      const cameraId = await cameraWith("UTC", ["2026-11-20T10:00:00Z"]);
      expect(await read(`/cameras/${cameraId}/alerts/last?alertType=${encodeURIComponent(type)}`)).toBeNull();
    },
  );

  it("matches the type literally", async () => {
    const type = "Ä, +&=%#?\"'; 🎥";
    const cameraId = await cameraWith("UTC", ["2026-11-20T10:00:00Z"], [type]);
    expect(
      await read(`/cameras/${cameraId}/alerts/last?alertType=${encodeURIComponent(type)}`),
    ).toMatchObject({ name: type });
  });
});

it("never returns more per page than MAX_PAGE_SIZE", async () => {
  const small = await gatewayForTest({ seed: "none", environment: { MAX_PAGE_SIZE: "25" } });
  await createWorkspace(small.prisma, { id: workspaceId });
  await createUser(small.prisma, { workspaceId, authId: "test|admin", roles: ["alerts:read"] });
  const send = async (query: string) => {
    const response = await small.fetch(`/alerts?start=0&end=1${query}`, { as: admin });
    return { status: response.status, body: await response.json() };
  };
  expect(await send("&count=25")).toMatchObject({ status: 200, body: { data: { count: 25 } } });
  expect(await send("&count=26")).toMatchObject({
    status: 400,
    body: { details: [{ path: "query.count", message: "must be at most 25" }] },
  });
});
