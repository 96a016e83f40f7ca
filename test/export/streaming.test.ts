// Runs once: both kinds of databases run the same statements.
// Takes long: exports are held up by slow readers, for seconds.

import { randomUUID } from "node:crypto";
import { eventually } from "../support/eventually.js";
import { createAlerts, createApiKey, createPlace, createWorkspace } from "../support/factories.js";
import { ownGateway, type Sender } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { type ExportFormat, exportedIds, fileOf, idsByFormat, linkTo, pathOf } from "./exports.js";
import { requestAndDisconnect, requestSlowly, type SlowClient, waitUntilStable } from "./slow-client.js";

const alerts = 10_000;
const pages = alerts / 1000;
const newest = Date.parse("2026-11-20T12:00:00.000Z");
const newestTen = `/alerts/export?start=${newest - 9_000}&end=${newest + 1}`;
const allTime = { start: "1970-01-01T00:00:00Z", end: "9999-12-31T23:59:59.999Z" };
const everything = "/alerts/export?start=0&end=253402300799999";

const gateway = await ownGateway();

const { prisma } = gateway;
const site = await createPlace(prisma);
const { workspaceId } = site;
const as: Sender = await createApiKey(prisma, { workspaceId, permissions: ["alerts:read"] });
const other = await createApiKey(prisma, { workspaceId, permissions: ["alerts:read"] });
/** The maximum number of concurrent exports of a workspace, two of them of one caller. */
const three: Sender[] = [as, as, other];
await insertAlerts(new Date(newest), { count: alerts, seconds: 1 });

/**
 * Records alerts of one moment and before, with sixty areas each, which repeat too far
 * apart to be compressed.
 */
async function insertAlerts(
  last: Date,
  { count, seconds }: { count: number; seconds: number },
): Promise<void> {
  await gateway.prisma.$executeRawUnsafe(
    `INSERT INTO "Alert" ("id", "workspaceId", "facilityId", "cameraId", "name", "createdAt", "storageClass", "areaIds")
     SELECT gen_random_uuid(), $1::uuid, $2::uuid, $3::uuid, 'FENCE', $4::timestamptz - n * $6::float * interval '1 second', 'local', ($5::uuid[])[n % 40 * 60 + 1 : n % 40 * 60 + 60]
     FROM generate_series(0, $7::int - 1) AS n`,
    ...[
      site.workspaceId,
      site.facilityId,
      site.cameraId,
      last.toISOString(),
      listOf(40 * 60, () => randomUUID()),
      seconds,
      count,
    ],
  );
}

/** The number of pages read since the statements were cleared. */
const pagesRead = () =>
  gateway.statements.filter((sql) => sql.includes('AS "localTime"') || sql.includes('AS "bytesBefore"'))
    .length;
const idsInOrder = async () =>
  (
    await gateway.prisma.alert.findMany({
      where: site,
      select: { id: true },
      orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    })
  ).map(({ id }) => id);

interface Stalled {
  client: SlowClient;
  requestId: string;
  /** The number of pages read for it. */
  read: number;
}

/** An export whose client stopped reading in the first half. */
async function stalled(format: ExportFormat): Promise<Stalled> {
  const path = pathOf((await linkTo(gateway, as, allTime, format)).url);
  gateway.clearStatements();
  const requestId = randomUUID();
  const client = await requestSlowly(gateway, path, as, requestId);
  onTestFinished(() => client.disconnect());
  expect(client.status).toBe(200);
  return { client, requestId, read: await waitUntilStable(pagesRead) };
}

interface Outcome {
  status: number;
  headers: Headers;
  /** The number of alerts in the file. */
  count?: number;
  /** The error, if there is no file. */
  failure?: object;
}

/** Exports the ten newest alerts. */
async function exportTen(path = newestTen, sender = as): Promise<Outcome> {
  const response = await gateway.fetch(path, { as: sender });
  const { status, headers } = response;
  if (status !== 200) return { status, headers, failure: (await response.json()) as object };
  return { status, headers, count: (await exportedIds(await fileOf(response))).length };
}

/** Compares long lists without printing them. */
function expectSame(actual: string[], expected: string[]): void {
  const first = expected.findIndex((id, index) => actual[index] !== id);
  expect({ count: actual.length, first, value: actual[first] }).toEqual({
    count: expected.length,
    first: -1,
    value: undefined,
  });
}

/** Does `work` while the table of alerts is missing. */
async function withoutAlerts<Result>(work: () => Promise<Result>): Promise<Result> {
  await gateway.prisma.$executeRawUnsafe('ALTER TABLE "Alert" RENAME TO "AlertRenamed"');
  return work().finally(() =>
    gateway.prisma.$executeRawUnsafe('ALTER TABLE "AlertRenamed" RENAME TO "Alert"'),
  );
}

const formats = ["XLSX", "CSV", "NDJSON"] as const;
/** CSV has the alerts of XLSX, and is written as NDJSON is. */
const differentlyWritten = ["XLSX", "NDJSON"] as const;

/** Captures the log lines of requests from now on. */
function captureLog() {
  const spies = (["info", "warn", "error"] as const).map((level) => vi.spyOn(gateway.app.log, level));
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
  const lines = () =>
    spies.flatMap((spy) => spy.mock.calls as unknown as [{ requestId?: string; rows?: number }, string][]);
  return (of: string) => lines().filter(([{ requestId }]) => requestId === of);
}
const ended = (lines: [object, string][]) => lines.some(([, message]) => message !== "export in progress");

it.each(differentlyWritten)(
  "reads no more for %s than the client consumes, and nothing after it disconnects, which is no error",
  async (format) => {
    const linesOf = captureLog();
    const { client, requestId, read } = await stalled(format);
    expect(read).toBeGreaterThan(0);
    client.disconnect();
    const lines = await eventually(async () => linesOf(requestId), ended);
    expect(lines.at(-1)).toEqual([{ requestId }, "client disconnected during an export"]);
    // The gateway may read the pages that were requested before it noticed only now,
    // before the alerts of another export.
    expect(await exportTen()).toMatchObject({ status: 200, count: 10 });
    const readInTotal = pagesRead();
    expect(readInTotal).toBeLessThan((3 / 4) * pages);
    expect(await exportTen()).toMatchObject({ status: 200, count: 10 });
    expect(pagesRead()).toBe(readInTotal + 1);
  },
);

describe("while the client is not reading,", () => {
  it.each(differentlyWritten)(
    "the export as %s includes no alerts that are recorded, and omits those that are deleted",
    async (format) => {
      const ids = await idsInOrder();
      const extra = { createdAt: { gt: new Date(newest - 9_501_000), lt: new Date(newest - 9_500_000) } };
      // More than a page of them.
      await insertAlerts(new Date(newest - 9_500_001), { count: 1500, seconds: 0.0005 });
      const { client } = await stalled(format);
      await gateway.prisma.alert.deleteMany({ where: { ...site, ...extra } });
      const timestamps = [1, -1_500, -5_000_500, -9_000_500, -40_000_000].map(
        (after) => new Date(newest + after),
      );
      const recorded = await createAlerts(
        gateway.prisma,
        timestamps.map((createdAt) => ({ ...site, createdAt })),
      );
      onTestFinished(
        async () => void (await gateway.prisma.alert.deleteMany({ where: { id: { in: recorded } } })),
      );
      const { whole, bytes } = await client.read();
      expect(whole).toBe(true);
      expect(pagesRead()).toBe(pages + 1);
      expectSame(await idsByFormat[format](bytes), ids);
    },
  );

  it.each(differentlyWritten)(
    "the connection is aborted if the database fails, so that no %s looks complete, and the error is logged",
    async (format) => {
      const linesOf = captureLog();
      const { client, requestId } = await stalled(format);
      const { whole, bytes } = await withoutAlerts(() => client.read());
      expect(whole).toBe(false);
      if (format === "XLSX") await expect(exportedIds(bytes)).rejects.toThrow();
      expect(await exportTen()).toMatchObject({ status: 200, count: 10 });
      const lines = await eventually(async () => linesOf(requestId), ended);
      expect(lines.at(-1)).toEqual([{ requestId, err: expect.any(Error) }, "request failed"]);
    },
  );
});

it.each(formats)(
  "responds that a retry is safe if the database fails before the first row of %s",
  async (format) => {
    const { url } = await linkTo(gateway, as, allTime, format);
    const { headers, ...outcome } = await withoutAlerts(() => exportTen(pathOf(url)));
    expect(outcome).toMatchObject({ status: 503, failure: { status: "error", code: "UNAVAILABLE" } });
    expect(headers.get("content-disposition")).toBeNull();
    expect(await exportTen()).toMatchObject({ status: 200, count: 10 });
  },
);

/** Starts concurrent exports of these callers, whose clients do not read. */
async function openFor(callers: Sender[]): Promise<SlowClient[]> {
  const clients = await Promise.all(
    callers.map((each) => requestSlowly(gateway, everything, each, randomUUID())),
  );
  onTestFinished(() => {
    for (const client of clients) client.disconnect();
  });
  expect(clients.map(({ status }) => status)).toEqual(callers.map(() => 200));
  return clients;
}

/** The outcome of an export that waits for a place, and whether it is known yet. */
function track(outcome: Promise<Outcome>): { outcome: Promise<Outcome>; isDone: () => boolean } {
  let isDone = false;
  return { outcome: outcome.finally(() => (isDone = true)), isDone: () => isDone };
}

it("allows two concurrent exports per caller: a third waits until one has ended, exports of others do not", async () => {
  const [caller, , otherCaller] = three as [Sender, Sender, Sender];
  const [first] = await openFor([caller, caller]);
  const third = track(exportTen());
  expect(await exportTen(newestTen, otherCaller)).toMatchObject({ status: 200, count: 10 });
  expect(third.isDone()).toBe(false);
  first?.disconnect();
  expect(await third.outcome).toMatchObject({ status: 200, count: 10 });
});

it("allows three concurrent exports per workspace, also by link: a fourth waits, exports of other workspaces do not", async () => {
  const clients = await openFor(three);
  const { prisma } = gateway;
  const fourth = await createApiKey(prisma, { workspaceId: site.workspaceId, permissions: ["alerts:read"] });
  const elsewhere = await createApiKey(prisma, {
    workspaceId: await createWorkspace(prisma),
    permissions: ["alerts:read"],
  });
  const { url } = await linkTo(gateway, fourth, {
    start: new Date(newest - 9_000),
    end: new Date(newest + 1),
  });
  const waiting = [track(exportTen(newestTen, fourth)), track(exportTen(pathOf(url), "nobody"))];
  expect(await exportTen(newestTen, elsewhere)).toMatchObject({ status: 200, count: 0 });
  expect(waiting.map(({ isDone }) => isDone())).toEqual([false, false]);
  clients[0]?.disconnect();
  for (const { outcome } of waiting) expect(await outcome).toMatchObject({ status: 200, count: 10 });
});

it("the log reports the progress of an export after five seconds, and its size at the end", async () => {
  const linesOf = captureLog();
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { client, requestId, read } = await stalled("NDJSON");
  expect(linesOf(requestId)).toEqual([]);
  await vi.advanceTimersByTimeAsync(5_000);
  await client.read();
  const [first, ...more] = await eventually(async () => linesOf(requestId), ended);
  expect(first).toEqual([{ requestId, rows: expect.any(Number) }, "export in progress"]);
  // One page is in progress and one is read ahead; if PostgreSQL was slow, more followed
  // after the count seemed stable.
  expect(first?.[0].rows).toBeGreaterThanOrEqual((read - 2) * 1000);
  expect(first?.[0].rows).toBeLessThan(alerts);
  expect(more).toEqual([[{ requestId, rows: alerts, milliseconds: expect.any(Number) }, "export sent"]]);
});

it.each([
  ["many alerts", everything],
  ["few alerts", newestTen],
])(
  "the slot of a client is released when it disconnects before the response, having requested %s",
  async (_how, path) => {
    for (let round = 0; round < 2; round += 1) {
      gateway.clearStatements();
      await Promise.all(three.map((each) => requestAndDisconnect(gateway, path, each)));
      const read = await waitUntilStable(() => gateway.statements.length);
      expect(read).toBeGreaterThan(0);
      expect(pagesRead()).toBeLessThanOrEqual(3 * 2);
      expect(await exportTen()).toMatchObject({ status: 200, count: 10 });
    }
  },
);
