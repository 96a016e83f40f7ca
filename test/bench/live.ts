import { randomUUID } from "node:crypto";
import { once } from "node:events";
import pg from "pg";
import { WebSocket } from "ws";
import { signToken } from "../../src/engine/access/jwt.js";
import { testSecrets } from "../support/environment.js";
import { startServer } from "./announce.js";
import type { BenchCase } from "./bench-case.js";
import { benchUser, datasetEnd } from "./dataset.js";
import { idKinds, idOf } from "./dataset-ids.js";
import { median, percentile, round } from "./measured-process.js";
import { figure } from "./report.js";

const subscriberCount = 1000;
/** The subscribers share a few users, because one user may open at most 100 sockets. */
const userCount = 20;
const rounds = 20;
const user = (n: number) => `bench|screen-${n}`;

const subscription =
  "subscription { alertRaised { id cameraId name severity count createdAt url camera { name } } }";
const mutation = "mutation ($input: [RecordAlertInput!]!) { recordAlerts(input: $input) { recorded } }";

/**
 * Latency until 1000 subscribers have received a recorded alert, compared with a plain
 * server that broadcasts the same bytes.
 */
export const benchLive: BenchCase = async ({ gateway, database, authorization, repetitions }) => {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const baseline = await startServer("broadcast-baseline");
  const gatewaySubscribers: Subscriber[] = [];
  const baselineSubscribers: Subscriber[] = [];
  const ids: string[] = [];
  try {
    await client.query(
      `INSERT INTO "User" ("id", "workspaceId", "authId", "email", "roles", "updatedAt")
       SELECT gen_random_uuid(), "workspaceId", 'bench|screen-' || n, 'screen@test.example', "roles", now()
       FROM "User", generate_series(1, ${userCount}) n WHERE "authId" = '${benchUser}'`,
    );
    await client.query(
      `INSERT INTO "AuthIdLookup" SELECT "authId", "workspaceId", "id" FROM "User" WHERE "authId" LIKE 'bench|screen-%'`,
    );
    for (let n = 0; n < subscriberCount; n += 1) {
      gatewaySubscribers.push(await subscribe(gateway.url, user((n % userCount) + 1)));
      baselineSubscribers.push(await Subscriber.open(baseline.url.replace("http", "ws")));
    }
    await waitForSubscriptions(gateway.url);
    const recordAlert = async () => {
      const alert = {
        id: randomUUID(),
        cameraId: idOf(idKinds.camera, 1),
        name: "NO_HELMET",
        createdAt: datasetEnd.toISOString(),
      };
      ids.push(alert.id);
      const headers = { "content-type": "application/json", authorization };
      await post(
        `${gateway.url}/graphql`,
        headers,
        JSON.stringify({ query: mutation, variables: { input: [alert] } }),
      );
    };
    const sides: Record<
      "gateway" | "baseline",
      { subscribers: Subscriber[]; trigger: () => Promise<void>; p99: number[] }
    > = {
      gateway: { subscribers: gatewaySubscribers, trigger: recordAlert, p99: [] },
      baseline: {
        subscribers: baselineSubscribers,
        trigger: () => post(baseline.url, {}, gatewaySubscribers[0]?.lastMessage ?? ""),
        p99: [],
      },
    };
    for (let repetition = -1; repetition < repetitions; repetition += 1) {
      const times = { gateway: [] as number[], baseline: [] as number[] };
      for (let round = 0; round < rounds; round += 1) {
        for (const name of ["gateway", "baseline"] as const) {
          const side = sides[name];
          const started = performance.now();
          const arrived = Promise.all(side.subscribers.map((subscriber) => subscriber.next()));
          await side.trigger();
          times[name].push(...(await arrived).map((time) => time - started));
        }
      }
      // The first repetition warms up both sides.
      if (repetition < 0) continue;
      for (const name of ["gateway", "baseline"] as const)
        sides[name].p99.push(percentile(times[name], 0.99));
    }
    const ratios = sides.gateway.p99.map((p99, index) => p99 / (sides.baseline.p99[index] as number));
    return [
      figure(
        "live: p99 until 1000 subscribers have an alert, relative to a plain broadcast",
        round(median(ratios)),
        "×",
        { atMost: 5 },
      ),
      figure("live, gateway: p99 since recording", round(median(sides.gateway.p99)), "ms"),
      figure("live, baseline: p99 since the request", round(median(sides.baseline.p99)), "ms"),
    ];
  } finally {
    for (const subscriber of [...gatewaySubscribers, ...baselineSubscribers]) subscriber.close();
    await baseline.stop();
    await client.query(`DELETE FROM "Alert" WHERE "id" = ANY($1::uuid[])`, [ids]);
    await client.query(`DELETE FROM "AuditEntry" WHERE "action" = 'recordAlerts'`);
    await client.query(`DELETE FROM "AuthIdLookup" WHERE "authId" LIKE 'bench|screen-%'`);
    await client.query(`DELETE FROM "User" WHERE "authId" LIKE 'bench|screen-%'`);
    await client.end();
  }
};

/** A WebSocket client that records when messages arrive. */
class Subscriber {
  lastMessage = "";
  #resolveNext: ((time: number) => void) | undefined;

  private constructor(readonly socket: WebSocket) {
    socket.on("message", (data: Buffer) => {
      const time = performance.now();
      this.lastMessage = String(data);
      this.#resolveNext?.(time);
    });
  }

  static async open(url: string, protocols: string[] = []): Promise<Subscriber> {
    const socket = new WebSocket(url, protocols);
    await once(socket, "open");
    return new Subscriber(socket);
  }

  /** Resolves with the time at which the next message arrives. */
  next(): Promise<number> {
    return new Promise((resolve) => {
      this.#resolveNext = resolve;
    });
  }

  close(): void {
    this.socket.terminate();
  }
}

async function subscribe(url: string, authId: string): Promise<Subscriber> {
  const subscriber = await Subscriber.open(`${url.replace("http", "ws")}/graphql`, ["graphql-transport-ws"]);
  const authorization = `Bearer ${await signToken(testSecrets.AUTH_JWT_SECRET, authId, 3600, new Date())}`;
  const acknowledged = subscriber.next();
  subscriber.socket.send(JSON.stringify({ type: "connection_init", payload: { authorization } }));
  await acknowledged;
  subscriber.socket.send(JSON.stringify({ type: "subscribe", id: "1", payload: { query: subscription } }));
  return subscriber;
}

/** Waits until all subscriptions are active. */
async function waitForSubscriptions(url: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (
    !(await (await fetch(`${url}/metrics`)).text()).includes(
      `gateway_subscriptions_open ${subscriberCount}\n`,
    )
  ) {
    if (Date.now() > deadline) throw new Error("The subscriptions did not start in time");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function post(url: string, headers: Record<string, string>, requestBody: string): Promise<void> {
  const response = await fetch(url, { method: "POST", headers, body: requestBody });
  const body = await response.text();
  if (!response.ok || body.includes('"errors"'))
    throw new Error(`${url} returned ${response.status}: ${body}`);
}
