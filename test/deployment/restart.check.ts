import { existsSync } from "node:fs";
import { Agent, request } from "node:http";
import { type Client, createClient } from "graphql-ws";
import { WebSocket } from "ws";
import { listOf } from "../support/list-of.js";
import { haproxyPath } from "./programs.js";
import { graphql, startSite } from "./site.js";

/**
 * The numbers of clients that send one request after another, and that listen to events.
 */
const [senders, listeners] = [8, 6];

type SentRequest = [method: string, path: string, body?: string];

/**
 * Sends requests on kept connections until stopped, one after the other per client, and
 * counts failures.
 */
class Load {
  sent = 0;
  readonly failures: string[] = [];
  readonly #agent = new Agent({ keepAlive: true, maxSockets: senders });
  readonly #running: Promise<void>[];
  #isStopped = false;

  constructor(
    private readonly url: string,
    private readonly authorization: string,
    facilityId: string,
  ) {
    const graphql = (query: string): SentRequest => [
      "POST",
      "/graphql",
      JSON.stringify({ query, variables: { id: facilityId } }),
    ];
    const requests: SentRequest[] = [
      ["GET", "/cameras"],
      graphql("query ($id: UUID!) { facility(id: $id) { name cameras { name } } }"),
      graphql("mutation ($id: UUID!) { recordHeartbeat(facilityId: $id) { id } }"),
      ["PATCH", `/facilities/${facilityId}`, JSON.stringify({ name: "Depot" })],
    ];
    this.#running = listOf(senders, async (client) => {
      for (let n = client; !this.#isStopped; n += 1)
        await this.#send(...(requests[n % requests.length] as SentRequest));
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#running);
    this.#agent.destroy();
  }

  async #send(...[method, path, body]: SentRequest): Promise<void> {
    this.sent += 1;
    const headers = {
      authorization: this.authorization,
      ...(body && { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
    };
    const outcome = await new Promise<string>((resolve) => {
      const outgoing = request(`${this.url}${path}`, { method, headers, agent: this.#agent });
      outgoing.once("error", (error) => resolve(error.message));
      outgoing.once("response", async (response) => {
        let text = "";
        for await (const chunk of response) text += chunk;
        resolve(
          response.statusCode === 200 && !text.includes('"errors"')
            ? "answered"
            : `${response.statusCode} ${text}`,
        );
      });
      outgoing.end(body);
    });
    if (outcome !== "answered") this.failures.push(`${method} ${path}: ${outcome}`);
  }
}

/** A client of graphql-ws that listens to heartbeats. */
class Listener {
  connections = 0;
  readonly heard = new Set<string>();
  readonly client: Client;

  constructor(url: string, authorization: string) {
    this.client = createClient({
      url: `${url.replace("http", "ws")}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization },
      retryAttempts: Number.POSITIVE_INFINITY,
      on: {
        connected: () => {
          this.connections += 1;
        },
      },
    });
    const query = "subscription { facilityHeartbeat { id } }";
    this.client.subscribe<{ facilityHeartbeat: { id: string } }>(
      { query },
      {
        next: ({ data }) => void this.heard.add(data?.facilityHeartbeat.id ?? ""),
        error: () => {},
        complete: () => {},
      },
    );
    onTestFinished(() => void this.client.dispose());
  }
}

const canRun = existsSync(haproxyPath) && process.env.TEST_DATABASE_URL;

it.runIf(canRun)(
  "no request fails while one of two gateways behind HAProxy is restarted under load, and WebSockets come back",
  async () => {
    const site = await startSite();
    onTestFinished(site.close);
    const { proxy, authorization } = site;
    const addFacility = async () => {
      const added = await graphql<{ createFacility: { id: string } }>(
        site,
        `mutation { createFacility(input: { name: "Plant", timeZoneId: "Europe/Istanbul" }) { id } }`,
      );
      return added.createFacility.id;
    };
    const [facilityId, otherFacilityId] = [await addFacility(), await addFacility()];
    const clients = listOf(listeners, () => new Listener(proxy, authorization));
    const load = new Load(proxy, authorization, facilityId);
    await expect
      .poll(() => clients.every(({ heard }) => heard.has(facilityId)), { timeout: 30_000 })
      .toBe(true);

    const [first] = site.gateways;
    expect(await first.kill("SIGTERM")).toMatchObject({ code: 0, errors: "" });
    const restarted = await site.restart(first);
    // It is under load again.
    await restarted.said(/"route":"\/cameras"/);
    await load.stop();

    console.log(`${load.sent} requests were sent during the restart, ${load.failures.length} failed`);
    expect(load.failures).toEqual([]);
    const haveHeard = async () => {
      await graphql(site, "mutation ($id: UUID!) { recordHeartbeat(facilityId: $id) { id } }", {
        id: otherFacilityId,
      });
      return clients.every(({ heard }) => heard.has(otherFacilityId));
    };
    await expect.poll(haveHeard, { timeout: 30_000 }).toBe(true);
    // Only now, because clients wait before they reconnect.
    expect(clients.filter(({ connections }) => connections > 1)).not.toEqual([]);
  },
  120_000,
);
