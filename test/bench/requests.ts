import { isDeepStrictEqual } from "node:util";
import pg from "pg";
import { idOf, kinds, newestMoment } from "./dataset.js";
import { type AskedRequest, askMany, type Load } from "./load.js";
import { cpuSeconds, MeasuredProcess, median, megabytes } from "./process.js";
import type { Figure } from "./report.js";
import type { BenchCase, BenchRun } from "./run.js";

const day = 86_400_000;

/** One kind of request, asked of the gateway and of the limit. */
interface Comparison {
  what: string;
  /** Requests in one repetition, for about two seconds. */
  amount: number;
  /** What the n-th client asks of the gateway, and the path that asks the limit for the same. */
  ask: (n: number) => { gateway: AskedRequest; limit: string };
  /** The part of the gateway's answer that the limit gives. */
  data: (answer: never) => unknown;
  /** CPU time of gateway and PostgreSQL, at most so many times the limit's; some hold only beside very many alerts. */
  atMost: number;
  fromAlerts?: number;
}

const graphql = (query: string, variables: object): AskedRequest => ({
  method: "POST",
  path: "/graphql",
  body: JSON.stringify({ query, variables }),
});
const get = (path: string): AskedRequest => ({ method: "GET", path });

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

const workspace = idOf(kinds.workspace, 1);
const cameraOf = (n: number) => idOf(kinds.camera, (n % 400) + 1);

/** A period of so many days that ends n hours before the newest alert. */
function period(days: number, n: number): { start: number; end: number; filter: { start: string; end: string } } {
  const end = newestMoment.getTime() - (n % 400) * 3_600_000;
  const start = end - days * day;
  return { start, end, filter: { start: new Date(start).toISOString(), end: new Date(end).toISOString() } };
}

const comparisons: Record<string, Comparison> = {
  V1: {
    what: "one facility with 20 cameras, their rules and newest alerts, GraphQL",
    amount: 600,
    ask: (n) => {
      const id = idOf(kinds.facility, (n % 20) + 1);
      return { gateway: graphql(`query Facility($id: UUID!) { facility(id: $id) { ${facilityFields} } }`, { id }), limit: `/facility/${id}` };
    },
    data: ({ data }: { data: unknown }) => data,
    atMost: 2.5,
  },
  V2: {
    what: "all 20 facilities of the same, GraphQL",
    amount: 60,
    ask: () => ({ gateway: graphql(`query Facilities { facilities { ${facilityFields} } }`, {}), limit: `/facilities/${workspace}` }),
    data: ({ data }: { data: unknown }) => data,
    atMost: 3,
  },
  L: {
    what: "GET /alerts of 30 days, 20 rows with total",
    amount: 400,
    ask: (n) => {
      const { start, end, filter } = period(30, n);
      return {
        gateway: get(`/alerts?start=${start}&end=${end}&page=1&count=20`),
        limit: `/alerts-with-total/${workspace}/${filter.start}/${filter.end}`,
      };
    },
    data: ({ data: { total, alerts } }: { data: { total: number; alerts: unknown } }) => ({ total, alerts }),
    atMost: 1,
  },
  P: {
    what: "the same rows without total, GraphQL",
    amount: 1500,
    ask: (n) => {
      const { filter } = period(30, n);
      const query = `query Alerts($filter: AlertFilter!) { alerts(filter: $filter, first: 20) { nodes { ${alertFields} } } }`;
      return { gateway: graphql(query, { filter }), limit: `/alerts/${workspace}/${filter.start}/${filter.end}` };
    },
    data: ({ data: { alerts } }: { data: { alerts: { nodes: unknown } } }) => ({ alerts: alerts.nodes }),
    atMost: 4,
  },
  "O-graphql": {
    what: "one camera by id, 14 fields, GraphQL",
    amount: 3000,
    ask: (n) => ({
      gateway: graphql(`query Camera($id: UUID!) { camera(id: $id) { ${cameraFields} } }`, { id: cameraOf(n) }),
      limit: `/camera/${cameraOf(n)}`,
    }),
    data: ({ data }: { data: { camera: unknown } }) => data.camera,
    atMost: 9,
  },
  "O-rest": {
    what: "one camera by id, 14 fields, REST",
    amount: 3000,
    ask: (n) => ({ gateway: get(`/cameras/${cameraOf(n)}`), limit: `/camera/${cameraOf(n)}` }),
    data: ({ data }: { data: unknown[] }) => data[0],
    atMost: 7,
  },
  C: {
    what: "counts per day of one camera over 90 days, REST",
    amount: 2000,
    ask: (n) => {
      const { start, end, filter } = period(90, n);
      return {
        gateway: get(`/cameras/${cameraOf(n)}/alerts/count?start=${start}&end=${end}&aggregate=day`),
        limit: `/counts/${cameraOf(n)}/${filter.start}/${filter.end}`,
      };
    },
    data: ({ data }: { data: unknown }) => data,
    atMost: 3,
  },
  T: {
    what: "the number of alerts of 180 days, GraphQL",
    amount: 100,
    ask: (n) => {
      const { filter } = period(180, n);
      const query = "query Total($filter: AlertFilter!) { alerts(filter: $filter) { totalCount } }";
      return { gateway: graphql(query, { filter }), limit: `/total/${workspace}/${filter.start}/${filter.end}` };
    },
    data: ({ data }: { data: { alerts: { totalCount: number } } }) => ({ total: data.alerts.totalCount }),
    atMost: 0.05,
    fromAlerts: 10_000_000,
  },
};

/** The cases that compare requests with the limit, by name. */
export const requestCases: Record<string, BenchCase> = Object.fromEntries(
  Object.entries(comparisons).map(([name, comparison]) => [name, (run: BenchRun) => compare(name, comparison, run)]),
);

/** Connections that ask at once. */
export const clients = 16;
const variety = 160;
/** Repetitions before those that count: both sides are measured as they are after some thousand requests, compiled and with full caches. */
const warmUps = 4;

/** Requests of all kinds but the heaviest, in turns. */
export function mixedRequests(authorization: string): AskedRequest[] {
  const kinds = Object.entries(comparisons).filter(([name]) => name !== "V2" && name !== "T");
  return Array.from({ length: variety }, (_, n) => {
    const [, { ask }] = kinds[n % kinds.length] as (typeof kinds)[number];
    return { ...ask(n).gateway, headers: { authorization } };
  });
}

async function compare(name: string, { what, amount, ask, data, atMost, fromAlerts = 0 }: Comparison, run: BenchRun): Promise<Figure[]> {
  const { gateway, authorization, repetitions } = run;
  const idle = gateway.memory;
  const limit = await MeasuredProcess.start(["--import", "tsx", "test/bench/limit-server.ts", run.database, "10"], {}, /listening on (\S+)/);
  const asked = Array.from({ length: variety }, (_, n) => ask(n));
  const headers = { authorization };
  const sides = {
    gateway: { server: gateway, requests: asked.map((each) => ({ ...each.gateway, headers })), loads: [] as Load[], cpu: [] as Cpu[] },
    limit: { server: limit, requests: asked.map((each) => get(each.limit)), loads: [] as Load[], cpu: [] as Cpu[] },
  };
  const backends = await Backends.connect(run.database);
  try {
    for (const { gateway: request, limit: path } of asked.slice(0, 3)) {
      const given = normalised(data((await answerOf(gateway.url, request, headers)) as never));
      const expected = normalised(await answerOf(limit.url, get(path), {}));
      if (!isDeepStrictEqual(given, expected))
        throw new Error(`${name}: the gateway gives\n${JSON.stringify(given)}\nand the limit\n${JSON.stringify(expected)}`);
    }
    for (let repetition = -warmUps; repetition < repetitions; repetition += 1) {
      for (const { server, requests, loads, cpu } of Object.values(sides)) {
        const before = { server: server.cpu, postgresql: await backends.cpu() };
        const load = await askMany(server.url, requests, { clients, amount });
        const used = { server: server.cpu - before.server, postgresql: (await backends.cpu()) - before.postgresql };
        if (repetition < 0) continue;
        loads.push(load);
        cpu.push({ server: used.server / amount, postgresql: used.postgresql / amount });
      }
    }
  } finally {
    await backends.close();
    await limit.stop();
  }
  const costs = (side: { cpu: Cpu[] }) => side.cpu.map(({ server, postgresql }) => server + postgresql);
  const [own, others] = [costs(sides.gateway), costs(sides.limit)];
  const figures: Figure[] = [
    {
      name: `${name}: ${what}: CPU beside the limit's`,
      // Of each repetition by itself: a machine is as fast as at that moment for both.
      value: round(median(own.map((cost, repetition) => cost / (others[repetition] as number)))),
      unit: "×",
      ...(run.alerts >= fromAlerts && { atMost }),
    },
  ];
  for (const [side, { loads, cpu }] of Object.entries(sides)) {
    const part = (name: keyof Cpu) => round(median(cpu.map((each) => each[name])) * 1000);
    figures.push(
      { name: `${name}, ${side}: CPU, own and PostgreSQL's`, value: part("server"), unit: `+ ${part("postgresql")} ms` },
      { name: `${name}, ${side}: requests a second`, value: Math.round(median(loads.map(({ rate }) => rate))), unit: "/s" },
      {
        name: `${name}, ${side}: half of the answers within, 99 of 100`,
        value: round(median(loads.map(({ p50 }) => p50))),
        unit: `ms, ${round(median(loads.map(({ p99 }) => p99)))} ms`,
      },
    );
  }
  figures.push({ name: `${name}, gateway: memory when idle, and afterwards`, value: megabytes(idle), unit: `MB, ${megabytes(gateway.memory)} MB` });
  return figures;
}

/** Seconds of one request. */
interface Cpu {
  server: number;
  postgresql: number;
}

async function answerOf(url: string, { method, path, body }: AskedRequest, headers: Record<string, string>): Promise<unknown> {
  const response = await fetch(url + path, {
    method,
    headers: { ...headers, "content-type": "application/json" },
    ...(body !== undefined && { body }),
  });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

/** The same for both: links without what signs them, moments in one way of writing, offsets left out, enums in capitals. */
function normalised(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer), (key, value) => {
    if (typeof value !== "string") return value;
    if (key === "url" || key === "imageLink") return value.replace(/^.*\/files\/|\?.*$/g, "");
    if (key === "streamType") return value.toUpperCase();
    if (key === "createdAt") return new Date(value).toISOString();
    // The limit writes local times without their offset, and no zeros behind the seconds.
    if (key === "localCreatedAt") return new Date(`${value.replace(/[+-]\d\d:\d\d$/, "")}Z`).toISOString();
    return value;
  });
}

/** The server's processes that work for one database. */
class Backends {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async connect(database: string): Promise<Backends> {
    const client = new pg.Client({ connectionString: database });
    await client.connect();
    return new Backends(client);
  }

  /** CPU seconds that they have used so far. */
  async cpu(): Promise<number> {
    const { rows } = await this.#client.query<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'",
    );
    return rows.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
  }

  close(): Promise<void> {
    return this.#client.end();
  }
}

const round = (value: number) => Math.round(value * 100) / 100;
