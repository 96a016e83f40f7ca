import { randomUUID } from "node:crypto";
import { once } from "node:events";
import pg from "pg";
import { WebSocket } from "ws";
import { signToken } from "../../src/access/jwt.js";
import { testSecrets } from "../support/environment.js";
import { benchUser, idOf, kinds, newestMoment } from "./dataset.js";
import { MeasuredProcess, median } from "./process.js";
import type { BenchCase } from "./run.js";

const subscribers = 1000;
/** Subscribers are few people with many screens: more than 100 sockets are refused to one. */
const callers = 20;
const rounds = 20;
const user = (n: number) => `bench|screen-${n}`;

const subscription = "subscription { alertRaised { id cameraId name severity count createdAt url camera { name } } }";
const mutation = "mutation ($input: [RecordAlertInput!]!) { recordAlerts(input: $input) { recorded } }";

/** From an alert's report until 1000 subscribers have it, beside a bare server that sends the same bytes to as many. */
export const benchLive: BenchCase = async ({ gateway, database, authorization, repetitions }) => {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const limit = await MeasuredProcess.start(["--import", "tsx", "test/bench/broadcast-server.ts"], {}, /listening on (\S+)/);
  const screens: Screen[] = [];
  const others: Screen[] = [];
  const ids: string[] = [];
  try {
    await client.query(
      `INSERT INTO "User" ("id", "workspaceId", "authId", "email", "roles", "updatedAt")
       SELECT gen_random_uuid(), "workspaceId", 'bench|screen-' || n, 'screen@test.example', "roles", now()
       FROM "User", generate_series(1, ${callers}) n WHERE "authId" = '${benchUser}'`,
    );
    for (let n = 0; n < subscribers; n += 1) {
      screens.push(await subscribe(gateway.url, user((n % callers) + 1)));
      others.push(await Screen.open(limit.url.replace("http", "ws")));
    }
    await settled(gateway.url);
    const report = async () => {
      const alert = { id: randomUUID(), cameraId: idOf(kinds.camera, 1), name: "NO_HELMET", createdAt: newestMoment.toISOString() };
      ids.push(alert.id);
      const headers = { "content-type": "application/json", authorization };
      await post(`${gateway.url}/graphql`, headers, JSON.stringify({ query: mutation, variables: { input: [alert] } }));
    };
    const sides: Record<"gateway" | "limit", { screens: Screen[]; trigger: () => Promise<void>; p99: number[] }> = {
      gateway: { screens, trigger: report, p99: [] },
      limit: { screens: others, trigger: () => post(limit.url, {}, screens[0]?.last ?? ""), p99: [] },
    };
    for (let repetition = -1; repetition < repetitions; repetition += 1) {
      const times = { gateway: [] as number[], limit: [] as number[] };
      for (let round = 0; round < rounds; round += 1) {
        for (const name of ["gateway", "limit"] as const) {
          const side = sides[name];
          const started = performance.now();
          const arrived = Promise.all(side.screens.map((screen) => screen.next()));
          await side.trigger();
          times[name].push(...(await arrived).map((moment) => moment - started));
        }
      }
      // The first one is for the compilers and caches of both.
      if (repetition < 0) continue;
      for (const name of ["gateway", "limit"] as const) sides[name].p99.push(percentile(times[name], 0.99));
    }
    const ratios = sides.gateway.p99.map((p99, index) => p99 / (sides.limit.p99[index] as number));
    const round = (value: number) => Math.round(value * 100) / 100;
    return [
      { name: "live: p99 until 1000 subscribers have an alert, beside a bare broadcast", value: round(median(ratios)), unit: "×", atMost: 5 },
      { name: "live, gateway: p99 from the report on", value: round(median(sides.gateway.p99)), unit: "ms" },
      { name: "live, limit: p99 from the request on", value: round(median(sides.limit.p99)), unit: "ms" },
    ];
  } finally {
    for (const screen of [...screens, ...others]) screen.close();
    await limit.stop();
    await client.query(`DELETE FROM "Alert" WHERE "id" = ANY($1::uuid[])`, [ids]);
    await client.query(`DELETE FROM "AuditEntry" WHERE "action" = 'recordAlerts'`);
    await client.query(`DELETE FROM "User" WHERE "authId" LIKE 'bench|screen-%'`);
    await client.end();
  }
};

/** A client that notes when messages come. */
class Screen {
  last = "";
  #take: ((moment: number) => void) | undefined;

  private constructor(readonly socket: WebSocket) {
    socket.on("message", (data: Buffer) => {
      const moment = performance.now();
      this.last = String(data);
      this.#take?.(moment);
    });
  }

  static async open(url: string, protocols: string[] = []): Promise<Screen> {
    const socket = new WebSocket(url, protocols);
    await once(socket, "open");
    return new Screen(socket);
  }

  /** The moment of the next message. */
  next(): Promise<number> {
    return new Promise((resolve) => {
      this.#take = resolve;
    });
  }

  close(): void {
    this.socket.terminate();
  }
}

async function subscribe(url: string, authId: string): Promise<Screen> {
  const screen = await Screen.open(`${url.replace("http", "ws")}/graphql`, ["graphql-transport-ws"]);
  const authorization = `Bearer ${await signToken(testSecrets.AUTH_JWT_SECRET, authId, 3600, new Date())}`;
  const acknowledged = screen.next();
  screen.socket.send(JSON.stringify({ type: "connection_init", payload: { authorization } }));
  await acknowledged;
  screen.socket.send(JSON.stringify({ type: "subscribe", id: "1", payload: { query: subscription } }));
  return screen;
}

/** Waits until all subscriptions run. */
async function settled(url: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await (await fetch(`${url}/metrics`)).text()).includes(`gateway_subscriptions_open ${subscribers}\n`)) {
    if (Date.now() > deadline) throw new Error("The subscriptions never ran");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function post(url: string, headers: Record<string, string>, body: string): Promise<void> {
  const response = await fetch(url, { method: "POST", headers, body });
  const answer = await response.text();
  if (!response.ok || answer.includes('"errors"')) throw new Error(`${url} answered ${response.status}: ${answer}`);
}

function percentile(values: number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] as number;
}
