import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { inject } from "vitest";
import { permissions } from "../../src/engine/access/permissions.js";
import { distributeServer, migrateServer } from "../../src/engine/database/client.js";
import { toServiceError } from "../../src/platform/errors/errors.js";
import { WebhookReceiver } from "../delivery/webhook-receiver.js";
import { countDifferences, Recorder, recordAlerts } from "../ingestion/recorder.js";
import { type LiveSocket, subscriber } from "../live/live-socket.js";
import { metricsOf, sumOf } from "../monitoring/exposition.js";
import { createAlertRule, createApiKey } from "../support/factories.js";
import { authorizationOf, type Gateway, gatewayOn, run } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { type FeedServer, startFeedServer } from "../writes/feed-server.js";
import { CitusCluster, citusInstallation } from "./citus-cluster.js";

const isCluster = inject("resources").server?.isCluster;
if (isCluster && !citusInstallation)
  console.warn(
    "SKIPPED: the failure of a node, since PostgreSQL's server programs with Citus are not in /usr/lib/postgresql",
  );

const workspacesPerNode = 2;
/** The number of answers that each client must get before the next phase. */
const answersPerPhase = 5;
/**
 * Between the requests of a client: the load is steady, not all that the machine can
 * take.
 */
const pauseMs = 100;

/**
 * The state of the nodes while a request is answered; "changing" if it changes meanwhile.
 */
type Phase = "before" | "away" | "changing" | "after";

interface Answer {
  sentAt: number;
  phase: Phase;
  /** The failure; undefined if the request was acknowledged. */
  failure: { code: string | undefined; status: number; retryAfter: string | null } | undefined;
}

type Body = { code?: string; errors?: { extensions: { code: string } }[] };

/** The n-th request of a client. The client repeats it until it is acknowledged. */
type RequestOf = (n: number) => [target: string, options: RequestInit];

let phase: Phase = "before";

/**
 * Sends requests one after the other. The gateway must acknowledge each before the next.
 */
class Client {
  readonly answers: Answer[] = [];
  /** The number of requests that were acknowledged. */
  acknowledged = 0;

  constructor(
    readonly address: string,
    readonly request: RequestOf,
  ) {}

  async runUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const [begun, sentAt] = [phase, Date.now()];
      const [target, options] = this.request(this.acknowledged);
      const response = await fetch(new URL(target, this.address), options);
      const { status, ok, headers } = response;
      const body = (await response.json()) as Body;
      const isAcknowledged = ok && !body.errors;
      const code = body.code ?? body.errors?.[0]?.extensions.code;
      const failure = isAcknowledged ? undefined : { code, status, retryAfter: headers.get("retry-after") };
      this.answers.push({ sentAt, phase: begun === phase ? phase : "changing", failure });
      if (isAcknowledged) this.acknowledged += 1;
      await sleep(pauseMs);
    }
  }

  during(wanted: Phase): Answer[] {
    return this.answers.filter((answer) => answer.phase === wanted);
  }
}

/** A workspace, with its readers and writers. */
interface Site {
  recorder: Recorder;
  readers: Client[];
  /** The ids of the alerts of each request of the client that records them. */
  batches: string[][];
  alerts: Client;
  heartbeats: Client;
  callbacks: Client;
  live: LiveSocket;
}

const stream = "rtsp://camera.example/yard";
const view = `{ facilities { name cameras { name statusDetail alertRules { name } alerts(first: 3) { nodes { id name } } } } }`;

const json = (body: unknown, authorization?: string): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", ...(authorization && { authorization }) },
  body: JSON.stringify(body),
});

async function openSite(gateway: Gateway, recorder: Recorder): Promise<Site> {
  const { workspaceId, admin, site } = recorder;
  const key = await createApiKey(gateway.prisma, { workspaceId, permissions: [...permissions] });
  const authorization = (await authorizationOf(admin.as)) as string;
  const { requestId } = await gateway.prisma.streamRequest.findFirstOrThrow({
    where: { workspaceId, cameraId: site.cameraId },
  });
  await gateway.prisma.streamRequest.updateMany({
    where: { workspaceId },
    data: { expiresAt: new Date("2100-01-01T00:00:00Z") },
  });
  const batches: string[][] = [];
  const alertsOf = (n: number) => {
    batches[n] ??= listOf(3, () => recorder.alert().id);
    return batches[n].map((id) => recorder.alert({ id }));
  };
  const client = (request: RequestOf) => new Client(gateway.url, request);
  const lists = ["/facilities", "/cameras", "/alerts?start=1761955200&end=1767225600"];
  return {
    recorder,
    batches,
    alerts: client((n) => [
      "/graphql",
      json({ query: recordAlerts, variables: { input: alertsOf(n) } }, key.authorization),
    ]),
    heartbeats: client(() => [`/facilities/${site.facilityId}/heartbeat`, json({}, key.authorization)]),
    callbacks: client((n) => [
      `/cameras/metadata/${requestId}`,
      json({ width: String(n + 1), height: "1080" }),
    ]),
    readers: [
      client(() => ["/graphql", json({ query: view }, authorization)]),
      client((n) => [lists[n % lists.length] as string, { headers: { authorization } }]),
    ],
    live: await subscriber(gateway, admin.as, "subscription { alertRaised { id } }"),
  };
}

const clientsOf = (sites: Site[]) =>
  sites.flatMap(({ alerts, heartbeats, callbacks, readers }) => [alerts, heartbeats, callbacks, ...readers]);

const failuresOf = (sites: Site[]) =>
  clientsOf(sites).flatMap(({ answers }) => answers.flatMap(({ failure }) => failure ?? []));

/**
 * Workspaces of the node that was away were answered that they are unavailable, and the
 * others never.
 */
function checkAnswers(away: Site[], kept: Site[]): void {
  expect(failuresOf(kept)).toEqual([]);
  const unavailable = (status: number) => ({ code: "UNAVAILABLE", status, retryAfter: "5" });
  // GraphQL reports failures during execution with status 200.
  for (const failure of failuresOf(away))
    expect([unavailable(503), unavailable(200)]).toContainEqual(failure);
  for (const { heartbeats, callbacks } of away) {
    for (const { failure } of [heartbeats, callbacks].flatMap((client) => client.during("away")))
      expect(failure).toEqual(unavailable(503));
  }
  expect(
    clientsOf(away).flatMap((client) => client.during("away").filter(({ failure }) => !failure)),
  ).toEqual([]);
}

describe.runIf(isCluster && citusInstallation)(
  "a worker node that is killed and restarted under load",
  () => {
    let cluster: CitusCluster;
    let directory: string;
    let gateway: Gateway;
    let receiver: WebhookReceiver;
    let feedServer: FeedServer;
    let settings: Record<string, string>;
    beforeAll(async () => {
      cluster = await CitusCluster.start();
      await migrateServer(cluster.url);
      await distributeServer(cluster.url);
      directory = await mkdtemp(path.join(tmpdir(), ".gateway-data-"));
      receiver = await WebhookReceiver.start();
      feedServer = await startFeedServer();
      settings = {
        SEED: "none",
        DATABASE_URL: cluster.url,
        DATA_DIR: directory,
        WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1/32",
        FEED_SERVER_URL: feedServer.url,
      };
      gateway = await gatewayOn(settings);
    });
    afterAll(async () => {
      await gateway?.close();
      await receiver?.close();
      await feedServer?.close();
      await cluster?.remove();
      if (directory) await rm(directory, { recursive: true });
    });

    it("takes away only its own workspaces, and gives them back with all acknowledged writes", async () => {
      const [lost = 0, other = 0] = cluster.workers;
      const [away, kept]: [Site[], Site[]] = [[], []];
      for (const [worker, sites] of [
        [lost, away],
        [other, kept],
      ] as const) {
        for (let count = 0; count < workspacesPerNode; count += 1)
          sites.push(await openSite(gateway, await recorderOn(worker)));
      }
      const idle = await recorderOn(other);
      const sites = [...away, ...kept];
      const clients = clientsOf(sites);
      let isOver = false;
      const load = Promise.all(clients.map((client) => client.runUntil(() => isOver)));
      const answered = (wanted: Phase, isCounted: (answer: Answer) => boolean = () => true) =>
        expect
          .poll(
            () =>
              clients.filter((client) => client.during(wanted).filter(isCounted).length < answersPerPhase)
                .length,
            { timeout: 60_000 },
          )
          .toBe(0);
      try {
        await answered("before");
        phase = "changing";
        // A commit on one node, and one that also involves the coordinator, which Citus
        // does in two phases.
        const [one, another] = away as [Site, Site];
        const codes: string[] = [];
        const interrupted = codeOfCommit(one, async () =>
          codes.push(await codeOfCommit(another, () => cluster.kill(lost), { withLookup: true })),
        );
        codes.push(await interrupted);
        expect(codes).toEqual(["UNAVAILABLE", "UNAVAILABLE"]);
        phase = "away";
        await Promise.all([answered("away"), backgroundWorkOf(idle)]);
        // Not before: it would share the background work.
        await startAnother();
        expect(await readiness(gateway)).toBe(200);
        phase = "changing";
        await cluster.restart(lost);
        phase = "after";
        await answered("after", ({ failure }) => !failure);
      } finally {
        isOver = true;
        await load;
      }
      checkAnswers(away, kept);
      expect(sumOf(await metricsOf(gateway), "gateway_errors_total", { code: "UNAVAILABLE" })).toBe(
        failuresOf(away).length,
      );
      for (const site of sites) await checkAcknowledged(site);
      for (const { live, batches } of kept) {
        const raised = () =>
          live.results<{ alertRaised: { id: string } }>().map(({ data }) => data?.alertRaised.id);
        await expect.poll(raised).toEqual(batches.flat());
      }
      expect(await countDifferences(gateway)).toEqual([]);
      await expect.poll(() => cluster.preparedTransactions()).toEqual([]);
    }, 180_000);

    const readiness = async (of: Gateway) => (await of.fetch("/readyz")).status;

    /** A gateway may be started while a node is away. */
    async function startAnother(): Promise<void> {
      const another = await gatewayOn(settings);
      try {
        expect(await readiness(another)).toBe(200);
      } finally {
        await another.close();
      }
    }

    /** Makes workspaces until one is on a worker. */
    async function recorderOn(worker: number): Promise<Recorder> {
      for (;;) {
        const recorder = await Recorder.open(gateway);
        if ((await cluster.workerOf(recorder.workspaceId)) === worker) return recorder;
      }
    }

    /**
     * The code of the error of a write in a workspace that is committed after something
     * has happened.
     */
    async function codeOfCommit(
      { recorder: { workspaceId: id } }: Site,
      happens: () => Promise<unknown>,
      { withLookup = false } = {},
    ): Promise<string> {
      const write = gateway.prisma.$transaction(
        async (transaction) => {
          await transaction.workspace.update({ where: { id }, data: { name: "Renamed" } });
          if (withLookup)
            await transaction.apiKeyLookup.create({ data: { id: randomUUID(), workspaceId: id } });
          await happens();
        },
        { timeout: 60_000 },
      );
      return write.then(
        () => "committed",
        (error) => toServiceError(error, () => {}).code,
      );
    }

    /**
     * Observes the workers' effects on a workspace while a node without that workspace is
     * away.
     */
    async function backgroundWorkOf(recorder: Recorder): Promise<void> {
      const { workspaceId, admin, site } = recorder;
      const rule = { notificationUrl: receiver.url("/"), notificationEnabled: true };
      const alertRuleId = await createAlertRule(gateway.prisma, {
        workspaceId,
        cameraId: site.cameraId,
        ...rule,
      });
      const raised = recorder.alert({ alertRuleId, createdAt: new Date().toISOString() });
      await recorder.record([raised]);
      await expect.poll(() => receiver.posts.map(({ body }) => body.data.id)).toEqual([raised.id]);
      await gateway.prisma.camera.updateMany({ where: { workspaceId }, data: { url: stream } });
      await run(gateway, admin, [
        "mutation ($id: UUID!) { requestStreamProbe(cameraId: $id) { __typename } }",
        { id: site.cameraId },
      ]);
      await expect.poll(() => feedServer.deliveriesOf(stream)).toHaveLength(1);
    }

    /**
     * Every acknowledged write is there once, and nothing else: clients repeated
     * unacknowledged writes until they succeeded.
     */
    async function checkAcknowledged({
      recorder: { workspaceId, site },
      batches,
      alerts,
      callbacks,
      heartbeats,
    }: Site): Promise<void> {
      const stored = await gateway.prisma.alert.findMany({ where: { workspaceId }, select: { id: true } });
      expect(alerts.acknowledged).toBe(batches.length);
      expect(stored.map(({ id }) => id).toSorted()).toEqual(batches.flat().toSorted());
      const { metadata } = await gateway.prisma.streamRequest.findFirstOrThrow({ where: { workspaceId } });
      expect(metadata).toMatchObject({ width: String(callbacks.acknowledged) });
      const { lastHeartbeatAt } = await gateway.prisma.facility.findFirstOrThrow({
        where: { workspaceId, id: site.facilityId },
      });
      const last = heartbeats.answers.findLast(({ failure }) => !failure);
      expect(lastHeartbeatAt?.getTime()).toBeGreaterThanOrEqual(last?.sentAt ?? Number.POSITIVE_INFINITY);
    }
  },
);
