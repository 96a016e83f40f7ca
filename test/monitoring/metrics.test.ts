// Runs once: both kinds of databases run the same statements.

import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { Recorder } from "../ingestion/recorder.js";
import { openSocket, tryToOpen } from "../live/live-socket.js";
import { createDelivery } from "../support/factories.js";
import { startGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { ownDirectory } from "../support/temporary-directory.js";
import { metricsOf, type Sample, samplesIn, sumOf } from "./exposition.js";

const linesOfOther: string[] = [];
const token = "a-token~of.this/test=";

const gateway = await startGateway({
  environment: { MAX_QUERY_COST: "1000", MAX_SUBSCRIPTIONS: "1" },
});
const recorder = await Recorder.open(gateway);

const directory = await ownDirectory();
const file = path.join(directory, "known.json");
await writeFile(file, JSON.stringify({ own: "query WallDisplay { me { id } }" }));
const limits = { RATE_LIMIT: "on", RATE_LIMIT_ADDRESS: "2", RATE_LIMIT_CALLER: "1", MAX_SOCKETS: "1" };
/**
 * A gateway with one connection to the database and low limits, which knows its
 * operations and wants a token for its metrics.
 */
const other = await startGateway({
  environment: { ...limits, KNOWN_OPERATIONS: file, DATABASE_POOL_SIZE: "1", METRICS_TOKEN: token },
  logDestination: { write: (line) => void linesOfOther.push(line) },
});
afterAll(async () => {
  await gateway.close();
  await other.close();
});

const operations = "gateway_graphql_operations_total";
const requests = "gateway_http_requests_total";

/**
 * Expects the growth of a metric while a function runs. Requests are counted once their
 * connection has the whole response.
 */
async function expectGrowth(
  name: string,
  labels: Record<string, string>,
  growth: number,
  act: () => Promise<unknown>,
): Promise<void> {
  const before = sumOf(await metricsOf(gateway), name, labels);
  await act();
  await expect.poll(async () => sumOf(await metricsOf(gateway), name, labels) - before).toBe(growth);
}

const metricsOfOther = async (scheme = "Bearer"): Promise<Sample[]> => {
  const response = await other.fetch("/metrics", { headers: { authorization: `${scheme} ${token}` } });
  expect(response.status).toBe(200);
  return samplesIn(await response.text());
};

const get = async (target: string) =>
  void (await (await gateway.fetch(target, { as: recorder.admin.as })).arrayBuffer());
const renameNothing = () => `renameFacility(id: "${randomUUID()}", name: "Yard") { id }`;
const query = (text: string) => gateway.graphql(text, { as: recorder.admin.as });

it("the deliveries that wait and that were given up are counted for all workspaces, up to a limit", async () => {
  // They are counted now and then: here for the first time.
  for (const count of [1, 2]) {
    const { workspaceId, site } = await Recorder.open(other);
    for (let index = 0; index < count; index += 1)
      await createDelivery(other.prisma, {
        workspaceId,
        facilityId: site.facilityId,
        channel: "EMAIL",
        state: "PARKED",
        sentAt: null,
      });
  }
  const samples = await metricsOfOther();
  expect(sumOf(samples, "gateway_deliveries_parked", { channel: "EMAIL" })).toBe(3);
  expect(sumOf(samples, "gateway_deliveries_pending")).toBe(0);
});

describe("requests are counted", () => {
  it("by the pattern of their route", async () => {
    const { cameraId } = recorder.site;
    await expectGrowth(
      requests,
      { method: "GET", route: "/cameras/:cameraId", status: "200" },
      2,
      async () => {
        await get(`/cameras/${cameraId}`);
        await get(`/cameras/${cameraId}`);
      },
    );
    await expectGrowth(
      "gateway_http_request_duration_seconds_count",
      { method: "GET", route: "/cameras/:cameraId" },
      1,
      () => get(`/cameras/${randomUUID()}`),
    );
  });

  it("under one label where there is no route, whatever the path and the method", async () => {
    await expectGrowth(requests, { method: "GET", route: "other", status: "404" }, 2, async () => {
      await get("/no/such/path");
      await get(`/${randomUUID()}`);
    });
    await expectGrowth(requests, { method: "other", route: "other" }, 1, () =>
      gateway.fetch("/nowhere", { method: "PROPFIND" }),
    );
  });

  it("by the codes of their errors, each once", async () => {
    await expectGrowth("gateway_errors_total", { code: "NOT_FOUND" }, 1, () =>
      query(`mutation { a: ${renameNothing()} b: ${renameNothing()} }`),
    );
    await expectGrowth("gateway_errors_total", { code: "UNAUTHENTICATED" }, 1, () =>
      gateway.fetch("/cameras"),
    );
    await expectGrowth("gateway_errors_total", { code: "GRAPHQL_PARSE_FAILED" }, 1, () => query("{"));
  });
});

describe("GraphQL operations are counted", () => {
  const of = (operation: string, outcome = "success") => ({ type: "query", operation, outcome });

  it.each(["ListAlertRules", "Viewer"])(
    "by the names of REST and of the gateway's pages, such as %s",
    async (name) => {
      await expectGrowth(operations, of(name), 1, () => query(`query ${name} { me { id } }`));
      await expectGrowth(
        "gateway_graphql_operation_duration_seconds_count",
        { type: "query", operation: name },
        1,
        () => query(`query ${name} { me { id } }`),
      );
    },
  );

  it("as others under any other name, and without one", async () => {
    await expectGrowth(operations, of("other"), 2, async () => {
      await query(`query Q${randomUUID().replaceAll("-", "")} { me { id } }`);
      await query("{ me { id } }");
    });
  });

  it("with their outcome", async () => {
    await expectGrowth(operations, { type: "mutation", operation: "other", outcome: "error" }, 1, () =>
      query(`mutation { ${renameNothing()} }`),
    );
  });

  it("when they are subscriptions that were started", async () => {
    const live = await openSocket(gateway, { as: recorder.admin.as });
    await expectGrowth(
      operations,
      { type: "subscription", operation: "other", outcome: "success" },
      1,
      async () => live.subscribe("subscription Beats { facilityHeartbeat { id } }"),
    );
  });
});

it("recorded alerts are counted, but not alerts that were already recorded", async () => {
  const alerts = [recorder.alert(), recorder.alert()];
  await expectGrowth("gateway_alerts_recorded_total", {}, 2, () => recorder.record(alerts));
  await expectGrowth("gateway_alerts_recorded_total", {}, 1, () =>
    recorder.record([...alerts, recorder.alert()]),
  );
});

describe("refusals are counted by the limit:", () => {
  const nested = (depth: number): string =>
    depth === 0 ? "id" : `facility { cameras { ${nested(depth - 2)} } }`;
  const subscription = "subscription { facilityHeartbeat { id } }";

  it.each<[string, string, () => Promise<unknown>]>([
    [
      "query_cost",
      "request",
      () => query("{ cameras { alerts(first: 100) { nodes { camera { name } } } } }"),
    ],
    ["query_depth", "request", () => query(`{ cameras { ${nested(12)} } }`)],
    [
      "query_aliases",
      "request",
      () => query(`{ ${listOf(31, (index) => `a${index}: me { id }`).join(" ")} }`),
    ],
    [
      "query_introspection",
      "request",
      () =>
        query(`{ __schema { types { ${listOf(30, (index) => `a${index}: fields { name }`).join(" ")} } } }`),
    ],
    [
      "payload_size",
      "request",
      () =>
        gateway.fetch("/graphql", {
          method: "POST",
          body: "x".repeat(200_000),
          headers: { "content-type": "application/json" },
        }),
    ],
    ["payload_size", "request", () => query(`{ me { id } } # ${"x".repeat(70_000)}`)],
    [
      "subscriptions",
      "socket",
      async () => {
        const live = await openSocket(gateway, { as: recorder.admin.as });
        live.subscribe(subscription, { id: "1" });
        live.subscribe(subscription, { id: "2" });
      },
    ],
  ])("%s of a %s", async (limit, scope, act) => {
    await expectGrowth("gateway_refusals_total", { limit, scope }, 1, act);
  });

  it("rates, connections and sockets", async () => {
    const { admin } = await Recorder.open(other);
    const before = await metricsOfOther();
    await other.graphql("{ me { id } }", { as: admin.as });
    await other.graphql("{ me { id } }", { as: admin.as });
    for (let count = 0; count < 3; count += 1) await other.fetch("/cameras");
    const growth = async (labels: Record<string, string>) =>
      sumOf(await metricsOfOther(), "gateway_refusals_total", labels) -
      sumOf(before, "gateway_refusals_total", labels);
    expect(await growth({ limit: "rate", scope: "caller" })).toBe(1);
    expect(await growth({ limit: "rate", scope: "address" })).toBe(1);
    const opened = await Promise.all([1, 2, 3].map(() => tryToOpen(other)));
    expect(await growth({ limit: "sockets", scope: "address" })).toBe(
      opened.filter((each) => "status" in each).length,
    );
  });
});

it("with KNOWN_OPERATIONS, operations are counted by the names in it", async () => {
  const { admin } = await Recorder.open(other);
  await other.graphql("query WallDisplay { me { id } }", { as: admin.as });
  const counted = { type: "query", operation: "WallDisplay", outcome: "success" };
  await expect
    .poll(async () => sumOf(await metricsOfOther(), "gateway_graphql_operations_total", counted))
    .toBe(1);
});

describe("the metrics of the database", () => {
  it("show the connections in use and the waiting work, even while no connection is free", async () => {
    await other.app.idle();
    const { prisma } = other.app.database;
    await prisma.$transaction(
      async (transaction) => {
        await transaction.$queryRaw`SELECT 1`;
        const waiting = prisma.$queryRaw`SELECT 2`.then(() => undefined);
        await expect
          .poll(async () => sumOf(await metricsOfOther(), "gateway_database_connection_requests_waiting"))
          .toBeGreaterThan(0);
        const samples = await metricsOfOther();
        expect(sumOf(samples, "gateway_database_connections", { state: "used" })).toBe(1);
        expect(sumOf(samples, "gateway_database_connections", { state: "idle" })).toBe(0);
        expect(sumOf(samples, "gateway_database_connections_max")).toBe(1);
        return { waiting };
      },
      { timeout: 60_000 },
    );
    await expect
      .poll(async () => sumOf(await metricsOfOther(), "gateway_database_connections", { state: "used" }))
      .toBe(0);
  });

  it("time every statement", async () => {
    const name = "gateway_database_statement_duration_seconds_count";
    await gateway.app.idle();
    await query("{ me { id } }");
    const before = sumOf(await metricsOf(gateway), name);
    await query("{ cameras { name } }");
    expect(sumOf(await metricsOf(gateway), name)).toBeGreaterThan(before);
  });
});

it("no label is an id, a name or an address of a customer", async () => {
  const { site, admin } = recorder;
  await get(`/cameras/${site.cameraId}`);
  await get(`/alerts?start=0&end=1900000000&cameraIds=${site.cameraId}`);
  await query(`query Secret { camera(id: "${site.cameraId}") { name facility { name } } }`);
  await recorder.record([recorder.alert({ name: "SECRET_KIND" })]);
  const ownLabels = ({ labels }: Sample) => Object.values(labels);
  const values = new Set(
    (await metricsOf(gateway)).filter(({ name }) => name.startsWith("gateway_")).flatMap(ownLabels),
  );
  const suspicious = [...values].filter(
    (value) => /[0-9a-f]{8}-|@|127\.0\.0\.1|secret|Site/i.test(value) || value.includes(admin.authId),
  );
  expect(suspicious).toEqual([]);
});

it("METRICS_TOKEN is wanted as a Bearer token, and nothing else is accepted", async () => {
  const statusWith = async (authorization?: string) => {
    const response = await other.fetch(
      "/metrics",
      authorization === undefined ? {} : { headers: { authorization } },
    );
    return [response.status, response.headers.get("www-authenticate")];
  };
  const challenge = 'Bearer realm="metrics"';
  expect(await statusWith()).toEqual([401, challenge]);
  expect(await statusWith(`Bearer ${token}x`)).toEqual([401, challenge]);
  expect(await statusWith("Bearer ")).toEqual([401, challenge]);
  expect(await statusWith(`Basic ${Buffer.from(`${token}:`).toString("base64")}`)).toEqual([401, challenge]);
  expect(await statusWith(`Bearer ${token}`)).toEqual([200, null]);
  const samples = await metricsOfOther("bearer");
  expect(sumOf(samples, "gateway_http_requests_total", { route: "/metrics", status: "401" })).toBe(4);
  expect(linesOfOther.join("")).toContain('"authenticationFailure":"wrong metrics token"');
  expect(linesOfOther.join("")).not.toContain(token);
});
