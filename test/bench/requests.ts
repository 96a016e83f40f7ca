import { isDeepStrictEqual } from "node:util";
import { listOf } from "../support/list-of.js";
import { startServer } from "./announce.js";
import type { BenchCase, BenchRun } from "./bench-case.js";
import { cpuRatios, measureInTurns, ratioFigure, Side, spread } from "./cpu-comparison.js";
import { datasetEnd } from "./dataset.js";
import { idKinds, idOf } from "./dataset-ids.js";
import { type HttpRequest, type LoadResult, sendRequests } from "./load.js";
import { type MeasuredServer, median, megabytes, round } from "./measured-process.js";
import { comparableAnswer, listeningPeer, persisted } from "./peer.js";
import { PostgresqlBackends } from "./postgresql-backends.js";
import { type Figure, figure } from "./report.js";

const day = 86_400_000;

/**
 * A kind of request that is sent to the gateway, and its equivalent for the baseline
 * server.
 */
export interface RequestCase {
  description: string;
  /** Requests per repetition, enough for about two seconds. */
  requestCount: number;
  /**
   * The n-th request to the gateway, the path of the equivalent request to the baseline
   * server, and the request to a peer if compared.
   */
  requestFor: (n: number) => { gateway: HttpRequest; baseline: string; peer?: HttpRequest };
  /** Extracts the part of the gateway's response that the baseline server returns. */
  comparableData: (response: never) => unknown;
  /** Maximum CPU time of gateway and PostgreSQL, as a multiple of the baseline's. */
  atMost: number;
  /** The bound applies only to data sets with at least this many alerts. */
  boundAppliesFromAlerts?: number;
}

/** A GraphQL request. */
export const graphql = (query: string, variables: object): HttpRequest => ({
  method: "POST",
  path: "/graphql",
  body: JSON.stringify({ query, variables }),
});
/** A REST request. */
export const get = (path: string): HttpRequest => ({ method: "GET", path });

const facilityFields = `id name cameras {
  id name status
  alertRules { id name severity status }
  alerts(first: 5) { nodes { id name severity count createdAt } }
}`;
const points = "{ x y }";
const alertFields = `id cameraId name count createdAt url imageDimensions { width height } canvasDimensions { width height } violatingCoordinates ${points}
  area ${points} storageClass info bookmark alertRuleId localCreatedAt falsePositive`;
const cameraFields = `id name status statusDetail imageLink dataCollectionEnabled dataCollectionObjects dataCollectionConfig { minWidth minHeight interval }
  customDataCollectionConfigs { type sensitivity } facilityId imageDimensions { width height } streamType advancedSettings facilityNodeId`;

const workspace = idOf(idKinds.workspace, 1);
/** The n-th of the cameras, in rounds. */
export const cameraOf = (n: number) => idOf(idKinds.camera, (n % 400) + 1);

/** A period of the given length that ends n hours before the end of the data set. */
export function period(
  days: number,
  n: number,
): { start: number; end: number; filter: { start: string; end: string } } {
  const end = datasetEnd.getTime() - (n % 400) * 3_600_000;
  const start = end - days * day;
  return { start, end, filter: { start: new Date(start).toISOString(), end: new Date(end).toISOString() } };
}

/** The kinds of requests, by name. */
export const requestCaseDefinitions: Record<string, RequestCase> = {
  V1: {
    description: "one facility with 20 cameras, their rules and newest alerts, GraphQL",
    requestCount: 600,
    requestFor: (n) => {
      const id = idOf(idKinds.facility, (n % 20) + 1);
      const query = `query Facility($id: UUID!) { facility(id: $id) { ${facilityFields} } }`;
      return {
        gateway: graphql(query, { id }),
        baseline: `/facility/${id}`,
        peer: persisted("V1", { workspace, id }),
      };
    },
    comparableData: ({ data }: { data: unknown }) => data,
    atMost: 1.8,
  },
  V2: {
    description: "all 20 facilities of the same, GraphQL",
    requestCount: 60,
    requestFor: () => ({
      gateway: graphql(`query Facilities { facilities { ${facilityFields} } }`, {}),
      baseline: `/facilities/${workspace}`,
      peer: persisted("V2", { workspace }),
    }),
    comparableData: ({ data }: { data: unknown }) => data,
    atMost: 1.5,
  },
  L: {
    description: "GET /alerts of 30 days, 20 rows with total",
    requestCount: 400,
    requestFor: (n) => {
      const { start, end, filter } = period(30, n);
      return {
        gateway: get(`/alerts?start=${start}&end=${end}&page=1&count=20`),
        baseline: `/alerts-with-total/${workspace}/${filter.start}/${filter.end}`,
        peer: persisted("L", { workspace, ...filter }),
      };
    },
    comparableData: ({ data: { total, alerts } }: { data: { total: number; alerts: unknown } }) => ({
      total,
      alerts,
    }),
    atMost: 0.6,
  },
  P: {
    description: "the same rows without total, GraphQL",
    requestCount: 1500,
    requestFor: (n) => {
      const { filter } = period(30, n);
      const query = `query Alerts($filter: AlertFilter!) { alerts(filter: $filter, first: 20) { nodes { ${alertFields} } } }`;
      return {
        gateway: graphql(query, { filter }),
        baseline: `/alerts/${workspace}/${filter.start}/${filter.end}`,
        peer: persisted("P", { workspace, ...filter }),
      };
    },
    comparableData: ({ data: { alerts } }: { data: { alerts: { nodes: unknown } } }) => ({
      alerts: alerts.nodes,
    }),
    atMost: 2.5,
  },
  "O-graphql": {
    description: "one camera by id, 14 fields, GraphQL",
    requestCount: 3000,
    requestFor: (n) => ({
      gateway: graphql(`query Camera($id: UUID!) { camera(id: $id) { ${cameraFields} } }`, {
        id: cameraOf(n),
      }),
      baseline: `/camera/${cameraOf(n)}`,
      peer: persisted("O", { workspace, id: cameraOf(n) }),
    }),
    comparableData: ({ data }: { data: { camera: unknown } }) => data.camera,
    atMost: 3.4,
  },
  "O-rest": {
    description: "one camera by id, 14 fields, REST",
    requestCount: 3000,
    requestFor: (n) => ({ gateway: get(`/cameras/${cameraOf(n)}`), baseline: `/camera/${cameraOf(n)}` }),
    comparableData: ({ data }: { data: unknown[] }) => data[0],
    atMost: 3.4,
  },
  C: {
    description: "counts per day of one camera over 90 days, REST",
    requestCount: 2000,
    requestFor: (n) => {
      const { start, end, filter } = period(90, n);
      return {
        gateway: get(`/cameras/${cameraOf(n)}/alerts/count?start=${start}&end=${end}&aggregate=day`),
        baseline: `/counts/${cameraOf(n)}/${filter.start}/${filter.end}`,
      };
    },
    comparableData: ({ data }: { data: unknown }) => data,
    atMost: 3,
  },
  "statistics-weekly": {
    description: "alerts of 180 days by facility, type and week, GraphQL",
    requestCount: 20,
    requestFor: (n) => {
      const { filter } = period(180, n);
      const query = `query Weekly($filter: AlertFilter!) { alertStatistics(filter: $filter, groupBy: [FACILITY, TYPE, WEEK]) {
        count period type facility { id name }
      } }`;
      return {
        gateway: graphql(query, { filter }),
        baseline: `/weekly-statistics/${workspace}/${filter.start}/${filter.end}`,
      };
    },
    comparableData: ({ data }: { data: { alertStatistics: unknown } }) => data.alertStatistics,
    atMost: 0.3,
    boundAppliesFromAlerts: 1_000_000,
  },
  T: {
    description: "the number of alerts of 180 days, GraphQL",
    requestCount: 100,
    requestFor: (n) => {
      const { filter } = period(180, n);
      const query = "query Total($filter: AlertFilter!) { alerts(filter: $filter) { totalCount } }";
      return {
        gateway: graphql(query, { filter }),
        baseline: `/total/${workspace}/${filter.start}/${filter.end}`,
      };
    },
    comparableData: ({ data }: { data: { alerts: { totalCount: number } } }) => ({
      total: data.alerts.totalCount,
    }),
    atMost: 0.05,
    boundAppliesFromAlerts: 10_000_000,
  },
};

/** The cases that compare requests with the baseline server, by name. */
export const requestCases: Record<string, BenchCase> = Object.fromEntries(
  Object.entries(requestCaseDefinitions).map(([name, comparison]) => [
    name,
    (run: BenchRun) => compare(name, comparison, run),
  ]),
);

/** The n-th request of a kind to the gateway. */
export const gatewayRequest = (name: string, n: number): HttpRequest =>
  (requestCaseDefinitions[name] as RequestCase).requestFor(n).gateway;

/** Concurrent connections. */
export const connections = 16;
export const distinctRequests = 160;

async function compare(
  name: string,
  { description, requestCount, requestFor, comparableData, atMost, boundAppliesFromAlerts = 0 }: RequestCase,
  run: BenchRun,
): Promise<Figure[]> {
  const { gateway, otherBuild, authorization, repetitions } = run;
  const idle = gateway.memory;
  const baseline = await startServer("baseline-server", run.database, "10");
  const requestPairs = listOf(distinctRequests, (n) => requestFor(n));
  const headers = { authorization };
  const gatewayRequests = requestPairs.map((each) => ({ ...each.gateway, headers }));
  const baselineRequests = requestPairs.map((each) => get(each.baseline));
  const peerRequests = requestPairs.flatMap((each) => each.peer ?? []);
  const peer = run.peer !== undefined && peerRequests.length > 0 ? listeningPeer(run.peer) : undefined;
  const backends = await PostgresqlBackends.connect(run.database);
  const otherBackends = await PostgresqlBackends.connect(run.otherDatabase ?? run.database);
  const newSide = (server: MeasuredServer, backends: PostgresqlBackends, requests: HttpRequest[]) =>
    new Side(server, [backends], () =>
      sendRequests(server.url, requests, { connections, amount: requestCount }),
    );
  const sides = {
    gateway: newSide(gateway, backends, gatewayRequests),
    baseline: newSide(baseline, backends, baselineRequests),
    ...(otherBuild && { "other build": newSide(otherBuild, otherBackends, gatewayRequests) }),
    ...(peer && { peer: newSide(peer, backends, peerRequests) }),
  };
  try {
    for (const { gateway: request, baseline: path, peer: peerRequest } of requestPairs.slice(0, 3)) {
      const actual = normalize(comparableData((await fetchJson(gateway.url, request, headers)) as never));
      const expected = normalize(await fetchJson(baseline.url, get(path), {}));
      requireEqual(name, { gateway: actual, baseline: expected });
      if (!peer || !peerRequest) continue;
      requireEqual(name, {
        peer: comparableAnswer(await fetchJson(peer.url, peerRequest, {})),
        baseline: comparableAnswer(expected),
      });
    }
    await measureInTurns(Object.values(sides), { units: requestCount, repetitions });
  } finally {
    await backends.close();
    await otherBackends.close();
    await baseline.stop();
  }
  const figures: Figure[] = [
    figure(
      `${name}: ${description}: CPU relative to the baseline`,
      round(median(cpuRatios(sides.gateway, sides.baseline))),
      "×",
      { ...(run.alerts >= boundAppliesFromAlerts && { atMost }) },
    ),
  ];
  if (sides.peer)
    figures.push(
      ratioFigure(
        `${name}: ${description}: CPU of the peer relative to the baseline`,
        cpuRatios(sides.peer, sides.baseline),
      ),
    );
  if (sides["other build"])
    figures.push(...comparisonOfBuilds(name, cpuRatios(sides.gateway, sides["other build"])));
  for (const [side, measured] of Object.entries(sides)) {
    const rate = Math.round(median(measured.outcomes.map((load) => load.rate)));
    figures.push(
      ...sideFigures(`${name}, ${side}`, measured),
      figure(`${name}, ${side}: requests per second`, rate, "/s"),
    );
  }
  figures.push(
    figure(
      `${name}, gateway: memory when idle, afterwards`,
      megabytes(idle),
      `MB, ${megabytes(gateway.memory)} MB`,
    ),
  );
  return figures;
}

function requireEqual(name: string, answers: Record<string, unknown>): void {
  const [one, other] = Object.values(answers);
  if (isDeepStrictEqual(one, other)) return;
  throw new Error(
    [
      `${name}: the answers differ`,
      ...Object.entries(answers).map(([side, answer]) => `${side}: ${JSON.stringify(answer)}`),
    ].join("\n"),
  );
}

/** The costs of requests on one side. */
export function sideFigures(name: string, side: Side<LoadResult>): Figure[] {
  const medianOf = (part: "p50" | "p99") => round(median(side.outcomes.map((load) => load[part])));
  return [
    side.cpuFigure(`${name}: CPU of the server${side.postgresql.map(() => " + PostgreSQL").join("")}`),
    figure(`${name}: p50, p99`, medianOf("p50"), `ms, ${medianOf("p99")} ms`),
  ];
}

function comparisonOfBuilds(name: string, ratios: number[]): Figure[] {
  return [
    ratioFigure(`${name}: CPU relative to the other build`, ratios),
    figure(`${name}: CPU relative to the other build, lower end`, spread(ratios).low, "×", { atMost: 1.05 }),
  ];
}

export async function fetchJson(
  url: string,
  { method, path, body }: HttpRequest,
  headers: Record<string, string>,
): Promise<unknown> {
  const response = await fetch(url + path, {
    method,
    headers: { ...headers, "content-type": "application/json" },
    ...(body !== undefined && { body }),
  });
  if (!response.ok)
    throw new Error(`${method} ${path} returned ${response.status}: ${await response.text()}`);
  return response.json();
}

/**
 * Removes the differences between two sides: link signatures, time formats, time zone
 * offsets and the case of enum values.
 */
export function normalize(response: unknown): unknown {
  return JSON.parse(JSON.stringify(response), (key, value) => {
    if (typeof value !== "string") return value;
    if (key === "url" || key === "imageLink") return value.replace(/^.*\/files\/|\?.*$/g, "");
    if (key === "streamType") return value.toUpperCase();
    if (key === "createdAt") return new Date(value).toISOString();
    // The baseline server returns local times without offset and without trailing zeros.
    if (key === "localCreatedAt") return new Date(`${value.replace(/[+-]\d\d:\d\d$/, "")}Z`).toISOString();
    return value;
  });
}
