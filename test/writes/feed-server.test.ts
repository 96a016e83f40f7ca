// Runs once: both kinds of databases run the same statements.
// Takes long: it lets eighty stream requests wait, and stops gateways meanwhile.

import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { inject } from "vitest";
import { encodeNodeId } from "../../src/engine/nodes/node-id.js";
import { streamRequestDelivery } from "../../src/features/delivery/stream-request-deliveries.js";
import { ProxiedGateway } from "../database/proxied-gateway.js";
import { metricsOf } from "../monitoring/exposition.js";
import {
  createAdmin,
  createCamera,
  createFacility,
  createWorkspace,
  type TestUser,
} from "../support/factories.js";
import { type Call, type Gateway, gatewayForTest, refusal, run, sharedGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { TestSite } from "../support/test-site.js";
import { reportKinds, validReports } from "./callbacks.js";
import {
  type FeedServer,
  feedServerForTest,
  neverRespond,
  type Responder,
  startFeedServer,
  status,
} from "./feed-server.js";

/** Seconds until a stream request expires. */
const lifetime = 1200;

let feed: FeedServer;
let site: TestSite;
/** A gateway whose clock stands still until a test advances it. */
let gateway: Gateway;
let owner: Owner;
let clock = new Date();
const startOnSite = () => site.start({ now: () => clock, environment: settingsFor(feed) });
beforeAll(async () => {
  feed = await startFeedServer();
  site = await TestSite.open();
  gateway = await startOnSite();
  owner = await setUp(gateway);
});
beforeEach(() => {
  clock = new Date(Math.floor(Date.now() / 1000) * 1000);
});
// Keeps pending retries of one test from interfering with the next.
afterEach(() => feed.acceptAll());
afterAll(async () => {
  await gateway.close();
  await site.remove();
  await feed.close();
});

const settingsFor = ({ url }: { url: string }) => ({
  FEED_SERVER_URL: url,
  STREAM_REQUEST_TTL: String(lifetime),
});
const later = (seconds: number) => new Date(clock.getTime() + seconds * 1000);

interface Owner {
  workspaceId: string;
  facilityId: string;
  admin: TestUser;
}

/** Creates a workspace with a facility and an admin. */
async function setUp({ prisma }: Gateway): Promise<Owner> {
  const workspaceId = await createWorkspace(prisma);
  const facilityId = await createFacility(prisma, { workspaceId });
  return {
    workspaceId,
    facilityId,
    admin: await createAdmin(prisma, workspaceId),
  };
}

/**
 * Returns a stream URL that no other test uses, and sets how the feed server responds to
 * it.
 */
function newStream(responder?: Responder, at = feed): string {
  const url = `rtsp://operator:secret@10.0.0.1:554/${randomUUID()}`;
  if (responder) at.respondWith(url, responder);
  return url;
}

interface Requested {
  cameraId: string;
  requestId: string;
  /** The stream request's own id. */
  id: string;
}
interface RequestData {
  requested: { requestId: string; streamRequest: { id: string; cameraId: string } };
}

async function newCamera(
  url: string,
  to = gateway,
  { admin, facilityId } = owner,
  input: object = {},
): Promise<Requested> {
  const { requested } = await run<RequestData>(to, admin, [
    `mutation ($facilityId: UUID!, $input: CreateCameraInput!) {
      requested: createCamera(facilityId: $facilityId, input: $input) { requestId streamRequest { id cameraId } } }`,
    { facilityId, input: { name: "Gate", url, streamType: "DIRECT", ...input } },
  ]);
  const { requestId, streamRequest } = requested;
  return { requestId, ...streamRequest };
}

/**
 * Advances the clock, then wakes the gateway with an unrelated write so that it does its
 * due work.
 */
async function advanceClock(seconds: number): Promise<void> {
  clock = later(seconds);
  await newCamera(newStream());
  await gateway.app.idle();
}

/** The delivery fields of a stream request, as GraphQL returns them. */
async function deliveryStateOf(
  { cameraId, id }: Requested,
  at = gateway,
  { admin } = owner,
): Promise<object> {
  const query = `query ($id: UUID!) { camera(id: $id) { streamRequests { nodes {
    id deliveryCount deliveredAt deliveryError nextDeliveryAt } } } }`;
  type Data = { camera: { streamRequests: { nodes: { id: string }[] } } };
  const { camera } = await at.data<Data>(query, { ...admin, variables: { id: cameraId } });
  const { id: _id, ...state } = camera.streamRequests.nodes.find((each) => each.id === id) as { id: string };
  return state;
}

/** Requests a stream that the feed server fails to open for now. */
async function requestFailing(): Promise<{ url: string; requested: Requested }> {
  const url = newStream(status(503));
  const requested = await newCamera(url);
  await gateway.app.idle();
  expect(feed.deliveriesOf(url)).toHaveLength(1);
  return { url, requested };
}

const undelivered = (
  deliveryError: string | null,
  nextDeliveryAt: Date | null = null,
  deliveryCount = 1,
) => ({
  deliveryCount,
  deliveredAt: null,
  deliveryError,
  nextDeliveryAt: nextDeliveryAt?.toISOString() ?? null,
});
const respondedWith = (code: number) => `The feed server responded with status ${code}`;
const delivered = (deliveryCount = 1) => ({
  deliveryCount,
  deliveredAt: clock.toISOString(),
  deliveryError: null,
  nextDeliveryAt: null,
});
describe("a stream request is posted to the feed server", () => {
  it("with exactly the data for opening the stream and reporting on it", async () => {
    const url = newStream();
    const input = { streamType: "HOSTEDSERVER", streamProtocol: "RTMPS" };
    const { requestId, cameraId } = await newCamera(url, gateway, owner, input);
    await gateway.app.idle();
    const received = feed.received.filter(({ body }) => body.url === url);
    const here = gateway.url.replace("127.0.0.1", "localhost");
    const callbacks = {
      thumbnail: `${here}/cameras/thumbnail/${requestId}`,
      metadata: `${here}/cameras/metadata/${requestId}`,
      error: `${here}/cameras/feedserver/error/${requestId}`,
    };
    const body = { requestId, cameraId, url, streamType: "hostedserver", streamProtocol: "rtmps", callbacks };
    expect(received.map(({ method, path, body: sent }) => ({ method, path, sent }))).toEqual([
      { method: "POST", path: "/streams", sent: body },
    ]);
    const [{ headers }] = received as [(typeof received)[number]];
    expect(headers["content-type"]).toBe("application/json");
    expect([headers.authorization, headers.cookie]).toEqual([undefined, undefined]);
  });

  it("with callbacks under PUBLIC_URL if set", async () => {
    const server = await feedServerForTest();
    const environment = { ...settingsFor(server), PUBLIC_URL: "https://gateway.example/" };
    const elsewhere = await gatewayForTest({ environment });
    const url = newStream();
    const { requestId } = await newCamera(url, elsewhere, await setUp(elsewhere));
    await elsewhere.app.idle();
    expect(server.deliveriesOf(url)).toMatchObject([
      { callbacks: { thumbnail: `https://gateway.example/cameras/thumbnail/${requestId}` } },
    ]);
  });

  it("in turns with requests of other workspaces, however many are waiting in one", async () => {
    const newCameraOf = async () => {
      const workspaceId = await createWorkspace(gateway.prisma);
      const facilityId = await createFacility(gateway.prisma, { workspaceId });
      return { workspaceId, cameraId: await createCamera(gateway.prisma, { workspaceId, facilityId }) };
    };
    const request = (of: { workspaceId: string; cameraId: string }, dueAt: Date) => ({
      ...of,
      id: randomUUID(),
      ...{ url: newStream(), createdAt: clock, expiresAt: later(lifetime), nextDeliveryAt: dueAt },
    });
    const [large, small] = [await newCameraOf(), await newCameraOf()];
    // Each of the four places for the feed server takes 16 requests of a workspace in a turn.
    const inOneTurn = 4 * 16;
    const backlog = listOf(inOneTurn + 16, () => request(large, later(-1)));
    const one = request(small, clock);
    await gateway.prisma.$transaction(async (transaction) => {
      await transaction.streamRequest.createMany({ data: [...backlog, one] });
      for (const { workspaceId, id } of [...backlog, one])
        await transaction.$executeRaw(streamRequestDelivery({ workspaceId, id }));
    });
    // Wakes the gateway.
    await newCamera(newStream());
    await gateway.app.idle();
    const urls = new Set([...backlog, one].map(({ url }) => url));
    const posted = feed.received.map(({ body }) => body.url).filter((url) => urls.has(url));
    expect(posted).toHaveLength(backlog.length + 1);
    // Four are posted at once.
    expect(posted.indexOf(one.url)).toBeLessThan(inOneTurn + 4);
  });

  it("but never when no feed server is configured", async () => {
    const unconfigured = await sharedGateway();
    const by = await setUp(unconfigured);
    const requested = await newCamera(newStream(), unconfigured, by);
    await unconfigured.app.idle();
    expect(await deliveryStateOf(requested, unconfigured, by)).toEqual(undelivered(null, null, 0));
  });
});

describe("the feed server", () => {
  const jsonPost = (body: object) => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const reported = {
    imageLink: "https://feeds.example/yard.jpg",
    imageDimensions: { width: 1280, height: 720 },
  };
  const cameraOf = ({ cameraId }: Requested) =>
    gateway.prisma.camera.findFirstOrThrow({ where: { id: cameraId } });

  it("may report through the given callbacks before it responds, and the camera shows the result", async () => {
    const statuses: number[] = [];
    const url = newStream(async (response, { callbacks }) => {
      for (const kind of reportKinds)
        statuses.push((await fetch(callbacks[kind], jsonPost(validReports[kind]))).status);
      response.writeHead(204).end();
    });
    const requested = await newCamera(url);
    await gateway.app.idle();
    expect(statuses).toEqual([200, 200, 200]);
    expect(await cameraOf(requested)).toMatchObject({ ...reported, statusDetail: "STREAM_ERROR" });
    expect(await deliveryStateOf(requested)).toEqual(delivered());
  });

  it("accepts a request as soon as it sends headers, whatever happens to the response body", async () => {
    const url = newStream((response) => response.writeHead(200).write("and so on"));
    const requested = await newCamera(url);
    await gateway.app.idle();
    expect(await deliveryStateOf(requested)).toEqual(delivered());
  });

  it("permanently rejects requests with statuses that no retry changes; the statuses are stored, and redirects are not followed", async () => {
    const { received, url: location } = await feedServerForTest();
    const refused = [];
    for (const code of [400, 404, 422, 301, 308]) {
      const url = newStream(status(code, code < 400 ? { location } : {}));
      refused.push({ code, url, requested: await newCamera(url) });
    }
    await gateway.app.idle();
    for (const { code, requested } of refused)
      expect(await deliveryStateOf(requested)).toEqual(undelivered(respondedWith(code)));
    await advanceClock(600);
    for (const { url } of refused) expect(feed.deliveriesOf(url)).toHaveLength(1);
    expect(received).toEqual([]);
  });

  it("receives a retry after it responded with a status that may change", async () => {
    const failed: { code: number; url: string; requested: Requested }[] = [];
    for (const code of [408, 425, 429, 500, 503]) {
      const url = newStream(status(code));
      failed.push({ code, url, requested: await newCamera(url) });
    }
    const expectFailed = async (dueAt: Date) => {
      for (const { code, requested } of failed)
        expect(await deliveryStateOf(requested)).toEqual(undelivered(respondedWith(code), dueAt));
    };
    await gateway.app.idle();
    const dueAt = later(1);
    await expectFailed(dueAt);
    for (const { url } of failed) feed.respondWith(url, status(200));
    await advanceClock(0.999);
    await expectFailed(dueAt);
    await advanceClock(0.001);
    for (const { url, requested } of failed) {
      expect(await deliveryStateOf(requested)).toEqual(delivered(2));
      const [first, second] = feed.deliveriesOf(url);
      expect(second).toEqual(first);
    }
  });

  it("gets the outcome of each request stored even when storing another's fails", async () => {
    const urls = [newStream(status(503)), newStream(status(503))] as const;
    const [lost, kept] = [await newCamera(urls[0]), await newCamera(urls[1])];
    await gateway.app.idle();
    const { prisma } = gateway;
    await prisma.$executeRawUnsafe(
      `ALTER TABLE "StreamRequest" ADD CONSTRAINT "rejected" CHECK ("id" <> '${lost.id}' OR "deliveredAt" IS NULL) NOT VALID`,
    );
    onTestFinished(
      async () =>
        void (await prisma.$executeRawUnsafe('ALTER TABLE "StreamRequest" DROP CONSTRAINT "rejected"')),
    );
    gateway.clearStatements();
    feed.respondWith(urls[0], status(200));
    // Later than the outcome that cannot be stored.
    feed.respondWith(urls[1], async (response) => {
      await expect
        .poll(() => gateway.workerStatements.filter((sql) => /^UPDATE.*"deliveredAt" = /s.test(sql)).length, {
          interval: 5,
        })
        .toBeGreaterThan(0);
      response.writeHead(200).end();
    });
    await advanceClock(1);
    expect(await deliveryStateOf(kept)).toEqual(delivered(2));
    expect(await deliveryStateOf(lost)).toMatchObject({ deliveryCount: 2, deliveredAt: null });
  });

  it("receives retries while it is down until it is up", async () => {
    const url = newStream();
    let requested: Requested;
    await feed.close();
    try {
      requested = await newCamera(url);
      await gateway.app.idle();
      const error = "The feed server is unreachable: ECONNREFUSED";
      expect(await deliveryStateOf(requested)).toEqual(undelivered(error, later(1)));
    } finally {
      feed = await startFeedServer(feed.port);
    }
    await advanceClock(1);
    expect(feed.deliveriesOf(url)).toHaveLength(1);
    expect(await deliveryStateOf(requested)).toEqual(delivered(2));
  });

  it("does not block callers when it hangs, and receives a retry after ten seconds", async () => {
    // Shortens the ten seconds to a tenth of a second.
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    const spy = vi
      .spyOn(AbortSignal, "timeout")
      .mockImplementation((milliseconds) => timeout(milliseconds / 100));
    onTestFinished(() => spy.mockRestore());
    const url = newStream(neverRespond);
    const requested = await newCamera(url);
    await gateway.app.idle();
    const error = "The feed server did not respond within 10000 ms";
    expect(await deliveryStateOf(requested)).toEqual(undelivered(error, later(1)));
  });
});

describe("a stream request is no longer posted", () => {
  it("when a newer one superseded it while it was being posted", async () => {
    let respond = () => {};
    const url = newStream((response) => {
      respond = () => response.writeHead(503).end();
    });
    const requested = await newCamera(url);
    await expect.poll(() => feed.deliveriesOf(url).length).toBe(1);
    const next = newStream();
    await run(gateway, owner.admin, [
      "mutation ($id: UUID!, $url: String!) { updateCamera(id: $id, input: { url: $url }) { id } }",
      { id: requested.cameraId, url: next },
    ]);
    respond();
    await gateway.app.idle();
    for (const seconds of [1, 2, 4]) await advanceClock(seconds);
    expect([feed.deliveriesOf(url).length, feed.deliveriesOf(next).length]).toEqual([1, 1]);
    expect(await deliveryStateOf(requested)).toEqual(undelivered(respondedWith(503)));
  });

  it("when it has expired", async () => {
    const { url, requested } = await requestFailing();
    await advanceClock(lifetime - 1);
    expect(feed.deliveriesOf(url)).toHaveLength(2);
    await advanceClock(2);
    expect(feed.deliveriesOf(url)).toHaveLength(2);
    expect(await deliveryStateOf(requested)).toEqual(undelivered(respondedWith(503), null, 2));
  });

  it("when its camera is deleted", async () => {
    const { url, requested } = await requestFailing();
    await run(gateway, owner.admin, [
      "mutation ($id: UUID!) { deleteCamera(id: $id) { id } }",
      { id: requested.cameraId },
    ]);
    for (const seconds of [1, 2, 4]) await advanceClock(seconds);
    expect(feed.deliveriesOf(url)).toHaveLength(1);
  });
});

describe("the delivery of a stream request is no notification", () => {
  const deliveryOf = ({ id }: Requested) =>
    gateway.prisma.delivery.findFirst({ where: { streamRequestId: id } });

  it("so it is neither listed, nor found, nor sent again on request", async () => {
    const { requested } = await requestFailing();
    const delivery = await deliveryOf(requested);
    if (!delivery) throw new Error("The request is not queued");
    const query = "query ($id: ID!) { workspace { deliveries { totalCount } } node(nodeId: $id) { nodeId } }";
    const nodeId = encodeNodeId({ type: "Delivery", ...delivery });
    const found = await gateway.data<object>(query, { ...owner.admin, variables: { id: nodeId } });
    expect(found).toEqual({ workspace: { deliveries: { totalCount: 0 } }, node: null });
    const again: Call = ["mutation ($ids: [UUID!]!) { redeliver(ids: $ids) { id } }", { ids: [delivery.id] }];
    expect(await refusal(gateway, owner.admin, again)).toMatchObject({ code: "NOT_FOUND" });
  });

  it("so metrics do not count it", async () => {
    await requestFailing();
    const samples = (await metricsOf(gateway)).filter(({ name }) => name.startsWith("gateway_deliveries_"));
    expect(new Set(samples.map(({ labels }) => labels.channel))).toEqual(
      new Set(["WEBHOOK", "EMAIL", "SMS"]),
    );
  });

  it("and is gone once the feed server has accepted or refused the request", async () => {
    const requests = [await newCamera(newStream()), await newCamera(newStream(status(400)))];
    await gateway.app.idle();
    expect(await Promise.all(requests.map(deliveryOf))).toEqual([null, null]);
  });
});

describe("an undelivered stream request", () => {
  /**
   * Closes the gateway and starts the next one on the same data. That one does the work
   * that is due by then.
   */
  const restart = async (meanwhile: () => Promise<unknown> = async () => {}) => {
    await gateway.close();
    try {
      await meanwhile();
    } finally {
      gateway = await startOnSite();
    }
    await gateway.app.idle();
  };
  it("is posted by the next gateway when due, not earlier", async () => {
    const { url, requested } = await requestFailing();
    feed.respondWith(url, status(200));
    clock = later(0.999);
    await restart();
    expect(feed.deliveriesOf(url)).toHaveLength(1);
    // No other event wakes the gateway.
    clock = later(0.001);
    await expect.poll(() => feed.deliveriesOf(url).length).toBe(2);
    await gateway.app.idle();
    expect(feed.deliveriesOf(url)[1]).toMatchObject({ requestId: requested.requestId });
    expect(await deliveryStateOf(requested)).toEqual(delivered(2));
  });

  it("is aborted without retries by a gateway that shuts down, and posted immediately by the next one", async () => {
    const { url, requested } = await requestFailing();
    feed.respondWith(url, neverRespond);
    clock = later(1);
    await newCamera(newStream());
    await expect.poll(() => feed.deliveriesOf(url).length).toBe(2);
    await restart(async () => feed.respondWith(url, status(200)));
    expect(feed.deliveriesOf(url)).toHaveLength(3);
    expect(await deliveryStateOf(requested)).toEqual(delivered(3));
  });
});

describe.runIf(inject("resources").server)("places that become free while a workspace is asked", () => {
  it.each([
    ["has", /^\s*WITH RECURSIVE head/],
    ["waits for", /^SELECT .*"DeliveryTarget"/],
  ])(
    "are for its stream requests, not for those of the next one: asked what it %s",
    async (_what, question) => {
      const server = await feedServerForTest();
      const { gateway: own, proxy } = await ProxiedGateway.start({ environment: settingsFor(server) });
      onTestFinished(() => own.close());
      const [large, small] = [await setUp(own), await setUp(own)];
      let held: ServerResponse[] | undefined = [];
      const hold: Responder = (response) => (held ? held.push(response) : response.writeHead(202).end());
      for (let count = 0; count < 12; count += 1) await newCamera(newStream(hold, server), own, large);
      await expect.poll(() => held?.length).toBe(4);
      let letAnswer: (() => void) | undefined;
      // The database takes long to answer about the small workspace.
      proxy.decide = ({ text, bytes }) => {
        if (!question.test(text) || !bytes.includes(small.workspaceId)) return "forward";
        return new Promise((resolve) => {
          letAnswer = () => resolve("forward");
        });
      };
      const url = newStream();
      await newCamera(url, own, small);
      await expect.poll(() => letAnswer).toBeDefined();
      const posted = held;
      held = undefined;
      for (const response of posted) response.writeHead(202).end();
      await expect.poll(() => own.prisma.deliveryQueue.count()).toBe(0);
      proxy.decide = () => "forward";
      letAnswer?.();
      await own.app.idle();
      expect(server.received.findIndex(({ body }) => body.url === url)).toBe(4);
    },
  );
});
