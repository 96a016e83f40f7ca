import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { eventually } from "../operation/running-command.js";
import { createAlerts, createApiKey, createCamera, createFacility, createWorkspace } from "../support/factories.js";
import { type Gateway, type Sender, startGateway } from "../support/harness.js";
import { exportedIds, fileOf, linkTo, pathOf } from "./exports.js";
import { askAndGo, askSlowly, type SlowClient, settled } from "./slow-client.js";

const alerts = 10_000;
const pages = alerts / 1000;
const newest = Date.parse("2026-11-20T12:00:00.000Z");
const newestTen = `/alerts/export?start=${newest - 9_000}&end=${newest + 1}`;
const everything = "/alerts/export?start=0&end=253402300799999";

let gateway: Gateway;
let place: { workspaceId: string; facilityId: string; cameraId: string };
let as: Sender;
/** Four who ask at once: one caller is let in twice. */
let four: Sender[];
beforeAll(async () => {
  gateway = await startGateway({ seed: "none" });
  const { prisma } = gateway;
  const workspaceId = await createWorkspace(prisma, {});
  const facilityId = await createFacility(prisma, { workspaceId });
  place = { workspaceId, facilityId, cameraId: await createCamera(prisma, { workspaceId, facilityId }) };
  as = await createApiKey(prisma, { workspaceId, permissions: ["alerts:read"] });
  const other = await createApiKey(prisma, { workspaceId, permissions: ["alerts:read"] });
  four = [as, as, other, other];
  // A second apart, with sixty areas each: they come again too late for the file to be packed the smaller for it.
  await prisma.$executeRawUnsafe(
    `INSERT INTO "Alert" ("id", "workspaceId", "facilityId", "cameraId", "name", "createdAt", "storageClass", "areaIds")
     SELECT gen_random_uuid(), $1::uuid, $2::uuid, $3::uuid, 'FENCE', $4::timestamptz - n * interval '1 second', 'local', ($5::uuid[])[n % 40 * 60 + 1 : n % 40 * 60 + 60]
     FROM generate_series(0, ${alerts - 1}) AS n`,
    workspaceId,
    facilityId,
    place.cameraId,
    new Date(newest).toISOString(),
    Array.from({ length: 40 * 60 }, () => randomUUID()),
  );
});
afterAll(() => gateway.close());

/** How many pages were read since the statements were cleared. */
const pagesRead = () => gateway.statements.filter((sql) => sql.includes('AS "localTime"')).length;
const idsInOrder = async () =>
  (await gateway.prisma.alert.findMany({ where: place, select: { id: true }, orderBy: [{ createdAt: "desc" }, { id: "desc" }] })).map(({ id }) => id);

interface Stalled {
  client: SlowClient;
  requestId: string;
  /** How many pages were read for it. */
  read: number;
}

/** An export whose reader has stopped before its middle. */
async function stalled(): Promise<Stalled> {
  gateway.clearStatements();
  const requestId = randomUUID();
  const client = await askSlowly(gateway, everything, as, requestId);
  onTestFinished(() => client.hangUp());
  expect(client.status).toBe(200);
  return { client, requestId, read: await settled(pagesRead) };
}

interface Outcome {
  status: number;
  headers: Headers;
  /** How many alerts are in the file. */
  count?: number;
  /** Why there is none. */
  failure?: object;
}

/** What is answered to who asks for the newest ten. */
async function askForTen(path = newestTen, sender = as): Promise<Outcome> {
  const response = await gateway.fetch(path, { as: sender });
  const { status, headers } = response;
  if (status !== 200) return { status, headers, failure: (await response.json()) as object };
  return { status, headers, count: (await exportedIds(await fileOf(response))).length };
}

/** Compares long lists without showing all of them. */
function expectSame(found: string[], expected: string[]): void {
  const first = expected.findIndex((id, index) => found[index] !== id);
  expect({ count: found.length, first, there: found[first] }).toEqual({ count: expected.length, first: -1, there: undefined });
}

/** Does something while there is no table of alerts. */
async function withoutAlerts<Result>(work: () => Promise<Result>): Promise<Result> {
  await gateway.prisma.$executeRawUnsafe('ALTER TABLE "Alert" RENAME TO "AlertAway"');
  return work().finally(() => gateway.prisma.$executeRawUnsafe('ALTER TABLE "AlertAway" RENAME TO "Alert"'));
}

it("reads no more from the database than the client takes, and nothing once it has hung up", async () => {
  const { client, read } = await stalled();
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThan((3 / 4) * pages);
  client.hangUp();
  expect(await settled(pagesRead)).toBe(read);
  expect(await askForTen()).toMatchObject({ status: 200, count: 10 });
  expect(pagesRead()).toBe(read + 1);
});

describe("what happens while an export stands still", () => {
  it("leaves its rows as they are when alerts are recorded, wherever they would come", async () => {
    const ids = await idsInOrder();
    const { client } = await stalled();
    const moments = [1, -1_500, -5_000_500, -9_000_500, -40_000_000].map((after) => new Date(newest + after));
    const recorded = await createAlerts(
      gateway.prisma,
      moments.map((createdAt) => ({ ...place, createdAt })),
    );
    onTestFinished(async () => void (await gateway.prisma.alert.deleteMany({ where: { id: { in: recorded } } })));
    const { whole, bytes } = await client.read();
    expect(whole).toBe(true);
    expect(pagesRead()).toBe(pages + 1);
    expectSame(await exportedIds(bytes), ids);
  });

  it("takes the alerts that are deleted out of what is still to come, and nothing else", async () => {
    const moments = Array.from({ length: 1500 }, (_, index) => new Date(newest - 9_500_500 + index));
    const extra = await createAlerts(
      gateway.prisma,
      moments.map((createdAt) => ({ ...place, createdAt })),
    );
    const { client } = await stalled();
    await gateway.prisma.alert.deleteMany({ where: { id: { in: extra } } });
    const { whole, bytes } = await client.read();
    expect(whole).toBe(true);
    expectSame(await exportedIds(bytes), await idsInOrder());
  });

  it("breaks the connection off when the database fails, so that no file looks whole", async () => {
    const { client } = await stalled();
    const { whole, bytes } = await withoutAlerts(() => client.read());
    expect(whole).toBe(false);
    await expect(exportedIds(bytes)).rejects.toThrow();
    expect(await askForTen()).toMatchObject({ status: 200, count: 10 });
  });
});

it("answers that a retry is safe when the database fails before the first row", async () => {
  const { headers, ...outcome } = await withoutAlerts(askForTen);
  expect(outcome).toMatchObject({ status: 503, failure: { status: "error", code: "UNAVAILABLE" } });
  expect(headers.get("content-disposition")).toBeNull();
  expect(await askForTen()).toMatchObject({ status: 200, count: 10 });
});

/** Exports of these callers at once, whose readers have stopped. */
async function openFor(callers: Sender[]): Promise<SlowClient[]> {
  const clients = await Promise.all(callers.map((each) => askSlowly(gateway, everything, each, randomUUID())));
  onTestFinished(() => {
    for (const client of clients) client.hangUp();
  });
  expect(clients.map(({ status }) => status)).toEqual(callers.map(() => 200));
  return clients;
}

it("makes two exports of one caller at once, and asks who wants a third to come back, while others are let in", async () => {
  const [one, , other] = four as [Sender, Sender, Sender];
  const [first] = await openFor([one, one]);
  const { headers, ...outcome } = await askForTen();
  expect(outcome).toMatchObject({ status: 503, failure: { status: "error", code: "UNAVAILABLE" } });
  expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
  await openFor([other, other]);
  first?.hangUp();
  expect(await eventually(askForTen, ({ status }) => status !== 503)).toMatchObject({ status: 200, count: 10 });
});

it("makes four exports at once, and asks who wants a fifth to come back until one has ended", async () => {
  const clients = await openFor(four);
  const third = await createApiKey(gateway.prisma, { workspaceId: place.workspaceId, permissions: ["alerts:read"] });
  const { url } = await linkTo(gateway, third, { start: "2026-01-01T00:00:00Z", end: "2027-01-01T00:00:00Z" });
  for (const path of [undefined, pathOf(url)]) {
    const { headers, ...outcome } = await askForTen(path, third);
    expect(outcome).toMatchObject({ status: 503, failure: { status: "error", code: "UNAVAILABLE" } });
    expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    expect(headers.get("content-disposition")).toBeNull();
  }
  clients[0]?.hangUp();
  expect(
    await eventually(
      () => askForTen(undefined, third),
      ({ status }) => status !== 503,
    ),
  ).toMatchObject({ status: 200, count: 10 });
  expect(await askForTen(undefined, third)).toMatchObject({ status: 200, count: 10 });
});

describe("the log", () => {
  /** What is said from here on of a request, in a few words and in all. */
  function heard() {
    const spies = (["info", "warn", "error"] as const).map((level) => vi.spyOn(gateway.app.log, level));
    onTestFinished(() => {
      for (const spy of spies) spy.mockRestore();
    });
    const lines = () => spies.flatMap((spy) => spy.mock.calls as unknown as [{ requestId?: string; rows?: number }, string][]);
    return (of: string) => lines().filter(([{ requestId }]) => requestId === of);
  }
  const ended = (lines: [object, string][]) => lines.some(([, message]) => message !== "an export is under way");

  it("says how far an export is when five seconds have passed, and in the end what was sent", async () => {
    const linesOf = heard();
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { client, requestId, read } = await stalled();
    expect(linesOf(requestId)).toEqual([]);
    await vi.advanceTimersByTimeAsync(5_000);
    await client.read();
    const [first, ...more] = await eventually(async () => linesOf(requestId), ended);
    expect(first).toEqual([{ requestId, rows: expect.any(Number) }, "an export is under way"]);
    // One page is worked on and one is read ahead; where PostgreSQL was slow, more came after it seemed to stand still.
    expect(first?.[0].rows).toBeGreaterThanOrEqual((read - 2) * 1000);
    expect(first?.[0].rows).toBeLessThan(alerts);
    expect(more).toEqual([[{ requestId, rows: alerts, milliseconds: expect.any(Number) }, "an export was sent"]]);
  });

  it("says that the client went away, which is nobody's fault", async () => {
    const linesOf = heard();
    const { client, requestId } = await stalled();
    client.hangUp();
    expect(await eventually(async () => linesOf(requestId), ended)).toEqual([[{ requestId }, "the client went away during an export"]]);
  });

  it("says that the database failed", async () => {
    const linesOf = heard();
    const { client, requestId } = await stalled();
    await withoutAlerts(() => client.read());
    expect(await eventually(async () => linesOf(requestId), ended)).toEqual([[{ requestId, err: expect.any(Error) }, "a request failed"]]);
  });
});

describe("the place of a client is free again when it hangs up", () => {
  it("with the head of the answer", async () => {
    for (let round = 0; round < 2; round += 1) {
      for (const client of await openFor(four)) client.hangUp();
      await settled(() => gateway.statements.length);
      expect(await askForTen()).toMatchObject({ status: 200, count: 10 });
    }
  });

  it.each([
    ["much", everything],
    ["little", newestTen],
  ])("before it is answered, having asked for %s", async (_how, path) => {
    for (let round = 0; round < 2; round += 1) {
      gateway.clearStatements();
      await Promise.all(four.map((each) => askAndGo(gateway, path, each)));
      const read = await settled(() => gateway.statements.length);
      expect(read).toBeGreaterThan(0);
      expect(pagesRead()).toBeLessThanOrEqual(4 * 2);
      expect(await askForTen()).toMatchObject({ status: 200, count: 10 });
    }
  });
});
