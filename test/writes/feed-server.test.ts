import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished, vi } from "vitest";
import { permissions } from "../../src/access/permissions.js";
import { gatewaySettings, startCommand } from "../operation/running-command.js";
import { createFacility, createWorkspace } from "../support/factories.js";
import { type Gateway, gatewayForTest, startGateway } from "../support/harness.js";
import { byGraphql, byRest, goodReports, reportKinds } from "./callbacks.js";
import { type Answer, type FeedServer, feedServerForTest, freePort, hang, startFeedServer, status } from "./feed-server.js";
import { newGround } from "./ground.js";
import { type Call, newWriter, refusal, run, unknownId, type Writer } from "./writer.js";

/** Seconds until a stream request expires. */
const lifetime = 1200;

let feed: FeedServer;
/** A gateway with a clock that stands still until a test moves it. */
let gateway: Gateway;
let owner: Owner;
let clock = new Date();
beforeAll(async () => {
  feed = await startFeedServer();
  gateway = await startGateway({ seed: "none", now: () => clock, environment: settingsFor(feed) });
  owner = await settle(gateway);
});
beforeEach(() => {
  clock = new Date(Math.floor(Date.now() / 1000) * 1000);
});
// What one test leaves to be tried again does not come in the way of the next.
afterEach(() => feed.takeAll());
afterAll(async () => {
  await gateway.close();
  await feed.close();
});

const settingsFor = ({ url }: { url: string }) => ({ FEED_SERVER_URL: url, STREAM_REQUEST_TTL: String(lifetime) });
const later = (seconds: number) => new Date(clock.getTime() + seconds * 1000);

interface Owner {
  facilityId: string;
  admin: Writer;
}

/** A workspace with a facility and somebody who may do everything there. */
async function settle({ prisma }: Gateway): Promise<Owner> {
  const workspaceId = await createWorkspace(prisma, {});
  const facilityId = await createFacility(prisma, { workspaceId });
  return { facilityId, admin: await newWriter(prisma, { workspaceId, roles: permissions }) };
}

/** The address of a stream that no other test asks for, and how the feed server answers of it. */
function newStream(answer?: Answer, at = feed): string {
  const url = `rtsp://operator:secret@10.0.0.1:554/${randomUUID()}`;
  if (answer) at.answer(url, answer);
  return url;
}

interface Requested {
  cameraId: string;
  requestId: string;
  /** The stream request's own id. */
  id: string;
}
interface Answered {
  made: { requestId: string; streamRequest: { id: string; cameraId: string } };
}

async function ask(call: Call, to = gateway, { admin } = owner): Promise<Requested> {
  const { requestId, streamRequest } = (await run<Answered>(to, admin, call)).made;
  return { requestId, cameraId: streamRequest.cameraId, id: streamRequest.id };
}

const createCall = (facilityId: string, url: string, input: object = {}): Call => [
  `mutation ($facilityId: UUID!, $input: CreateCameraInput!) {
    made: createCamera(facilityId: $facilityId, input: $input) { requestId streamRequest { id cameraId } } }`,
  { facilityId, input: { name: "Gate", url, streamType: "DIRECT", ...input } },
];
const probeCall = (cameraId: string): Call => [
  "mutation ($id: UUID!) { made: requestStreamProbe(cameraId: $id) { requestId streamRequest { id cameraId } } }",
  { id: cameraId },
];
const updateCall = (id: string, input: object): Call => [
  "mutation ($id: UUID!, $input: UpdateCameraInput!) { updateCamera(id: $id, input: $input) { id } }",
  { id, input },
];
const newCamera = (url: string, to = gateway, by = owner) => ask(createCall(by.facilityId, url), to, by);

/** Moves the clock and wakes the gateway by a write that has nothing to do with it; it then does what is due. */
async function pass(seconds: number): Promise<void> {
  clock = later(seconds);
  await newCamera(newStream());
  await gateway.app.idle();
}

const deliveryFields = "deliveryCount deliveredAt deliveryError nextDeliveryAt";
interface DeliveryState {
  deliveryCount: number;
  deliveredAt: string | null;
  deliveryError: string | null;
  nextDeliveryAt: string | null;
}
/** What is shown of a stream request's delivery. */
async function shown({ cameraId, id }: Requested, at = gateway, { admin } = owner): Promise<DeliveryState | undefined> {
  const query = `query ($id: UUID!) { camera(id: $id) { streamRequests { nodes { id ${deliveryFields} } } } }`;
  type Found = { camera: { streamRequests: { nodes: (DeliveryState & { id: string })[] } } };
  const { camera } = await at.data<Found>(query, { ...admin, variables: { id: cameraId } });
  const { id: _id, ...state } = camera.streamRequests.nodes.find((request) => request.id === id) ?? {};
  return state as DeliveryState;
}

const delivered = (deliveryCount = 1) => ({ deliveryCount, deliveredAt: clock.toISOString(), deliveryError: null, nextDeliveryAt: null });
const patience = { timeout: 10_000 };

describe("a stream request is posted to the feed server", () => {
  it("with exactly what it needs to open the stream and to report of it", async () => {
    const url = newStream();
    const { requestId, cameraId } = await ask(createCall(owner.facilityId, url, { streamType: "HOSTEDSERVER", streamProtocol: "RTMPS" }));
    await gateway.app.idle();
    const arrivals = feed.arrivals.filter(({ body }) => body.url === url);
    const here = gateway.url.replace("127.0.0.1", "localhost");
    const callbacks = {
      thumbnail: `${here}/cameras/thumbnail/${requestId}`,
      metadata: `${here}/cameras/metadata/${requestId}`,
      error: `${here}/cameras/feedserver/error/${requestId}`,
    };
    const body = { requestId, cameraId, url, streamType: "hostedserver", streamProtocol: "rtmps", callbacks };
    expect(arrivals.map(({ method, path, body: sent }) => ({ method, path, sent }))).toEqual([{ method: "POST", path: "/streams", sent: body }]);
    const [{ headers }] = arrivals as [(typeof arrivals)[number]];
    expect(headers["content-type"]).toBe("application/json");
    expect([headers.authorization, headers.cookie]).toEqual([undefined, undefined]);
  });

  it("with null for a protocol that was not told", async () => {
    const url = newStream();
    await newCamera(url);
    await gateway.app.idle();
    expect(feed.of(url)).toMatchObject([{ streamType: "direct", streamProtocol: null }]);
  });

  it("with callbacks that begin with PUBLIC_URL where that is set", async () => {
    const server = await feedServerForTest();
    const environment = { ...settingsFor(server), PUBLIC_URL: "https://gateway.example/base/" };
    const elsewhere = await gatewayForTest({ seed: "none", environment });
    const url = newStream();
    const { requestId } = await newCamera(url, elsewhere, await settle(elsewhere));
    await elsewhere.app.idle();
    expect(server.of(url)).toMatchObject([{ callbacks: { thumbnail: `https://gateway.example/base/cameras/thumbnail/${requestId}` } }]);
  });

  const occasions: [string, (cameraId: string, url: string) => Promise<unknown>][] = [
    ["a camera is added by GraphQL", (_id, url) => newCamera(url)],
    [
      "a camera is added by REST",
      (_id, url) =>
        gateway.fetch(`/facilities/${owner.facilityId}/cameras`, {
          ...owner.admin,
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ name: "Gate", url, streamType: "direct" }),
        }),
    ],
    ["a camera's address changes", (id, url) => run(gateway, owner.admin, updateCall(id, { url }))],
    [
      "it is asked for anew",
      async (id, url) => {
        await gateway.prisma.camera.update({ where: { id }, data: { url } });
        await ask(probeCall(id));
      },
    ],
  ];
  it.each(occasions)("when %s", async (_when, ofCamera) => {
    const { cameraId } = await newCamera(newStream());
    const url = newStream();
    await ofCamera(cameraId, url);
    await gateway.app.idle();
    expect(feed.of(url)).toHaveLength(1);
  });

  it("and not when anything else of the camera changes, or when the write is refused", async () => {
    const url = newStream();
    const { cameraId } = await newCamera(url);
    await run(gateway, owner.admin, updateCall(cameraId, { name: "Other", streamType: "VPN" }));
    const refused = newStream();
    expect(await refusal(gateway, owner.admin, createCall(unknownId, refused))).toMatchObject({ code: "NOT_FOUND" });
    await gateway.app.idle();
    expect([feed.of(url).length, feed.of(refused).length]).toEqual([1, 0]);
  });

  it("and when there are many, each of them once", async () => {
    const urls = Array.from({ length: 20 }, () => newStream());
    const made = await Promise.all(urls.map((url) => newCamera(url)));
    await gateway.app.idle();
    expect(urls.map((url) => feed.of(url).map(({ requestId }) => requestId))).toEqual(made.map(({ requestId }) => [requestId]));
  });

  it("and not at all where none is configured", async () => {
    const alone = await gatewayForTest({ seed: "none" });
    const by = await settle(alone);
    const made = await newCamera(newStream(), alone, by);
    await alone.app.idle();
    expect(await shown(made, alone, by)).toEqual({ deliveryCount: 0, deliveredAt: null, deliveryError: null, nextDeliveryAt: null });
  });
});

describe("the feed server", () => {
  const jsonPost = (body: object) => ({ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const reported = { imageLink: "https://feeds.example/yard.jpg", imageDimensions: { width: 1280, height: 720 } };
  const cameraOf = ({ cameraId }: Requested) => gateway.prisma.camera.findUniqueOrThrow({ where: { id: cameraId } });

  it("reports by the callbacks that it was given, and the camera shows it", async () => {
    const url = newStream();
    const made = await newCamera(url);
    await gateway.app.idle();
    const [delivery] = feed.of(url);
    for (const kind of reportKinds) {
      const response = await fetch(delivery?.callbacks[kind] as string, jsonPost(goodReports[kind]));
      expect({ kind, status: response.status }).toEqual({ kind, status: 200 });
    }
    expect(await cameraOf(made)).toMatchObject({ ...reported, statusDetail: "STREAM_ERROR" });
  });

  it("may report before it has answered", async () => {
    const statuses: number[] = [];
    const url = newStream(async (response, { callbacks }) => {
      for (const kind of ["thumbnail", "metadata"] as const) statuses.push((await fetch(callbacks[kind], jsonPost(goodReports[kind]))).status);
      response.writeHead(204).end();
    });
    const made = await newCamera(url);
    await gateway.app.idle();
    expect(statuses).toEqual([200, 200]);
    expect(await cameraOf(made)).toMatchObject(reported);
    expect(await shown(made)).toEqual(delivered());
  });

  it.each([200, 201, 202, 204])("takes a request with %i", async (code) => {
    const url = newStream(status(code));
    const made = await newCamera(url);
    await gateway.app.idle();
    expect(await shown(made)).toEqual(delivered());
    await pass(lifetime - 1);
    expect(feed.of(url)).toHaveLength(1);
  });

  it("takes a request as soon as it answers, whatever becomes of the answer's body", async () => {
    const url = newStream((response) => response.writeHead(200).write("and so on"));
    const made = await newCamera(url);
    await gateway.app.idle();
    expect(await shown(made)).toEqual(delivered());
  });

  it.each([400, 401, 403, 404, 410, 413, 422])("refuses a request for good with %i, which is kept", async (code) => {
    const url = newStream(status(code));
    const made = await newCamera(url);
    await gateway.app.idle();
    expect(await shown(made)).toEqual({ deliveryCount: 1, deliveredAt: null, deliveryError: `It answered ${code}`, nextDeliveryAt: null });
    await pass(600);
    expect(feed.of(url)).toHaveLength(1);
  });

  it.each([301, 302, 303, 307, 308])("is not followed to where it leads with %i", async (code) => {
    const { arrivals, url: elsewhere } = await feedServerForTest();
    const url = newStream(status(code, { location: elsewhere }));
    const made = await newCamera(url);
    await gateway.app.idle();
    expect(await shown(made)).toEqual({ deliveryCount: 1, deliveredAt: null, deliveryError: `It answered ${code}`, nextDeliveryAt: null });
    expect(arrivals).toEqual([]);
  });

  it.each([408, 425, 429, 500, 502, 503, 504])("is asked again after it answered %i", async (code) => {
    const url = newStream(status(code));
    const made = await newCamera(url);
    await gateway.app.idle();
    const state = { deliveryCount: 1, deliveredAt: null, deliveryError: `It answered ${code}`, nextDeliveryAt: later(1).toISOString() };
    expect(await shown(made)).toEqual(state);
    feed.answer(url, status(200));
    await pass(0.999);
    expect(await shown(made)).toEqual(state);
    await pass(0.001);
    expect(await shown(made)).toEqual(delivered(2));
    const [first, second] = feed.of(url);
    expect(second).toEqual(first);
  });

  it("is asked ever more rarely, and at least every five minutes", async () => {
    const url = newStream(status(503));
    const made = await newCamera(url);
    await gateway.app.idle();
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 11; attempt += 1) {
      const { deliveryCount, nextDeliveryAt } = (await shown(made)) as DeliveryState;
      expect(deliveryCount).toBe(attempt);
      waits.push((Date.parse(String(nextDeliveryAt)) - clock.getTime()) / 1000);
      await pass(waits.at(-1) as number);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  });

  it("is asked again by itself, without another write, a second after it failed", async () => {
    const server = await feedServerForTest();
    const live = await gatewayForTest({ seed: "none", environment: settingsFor(server) });
    const by = await settle(live);
    const url = newStream((response) => response.writeHead(server.of(url).length > 1 ? 200 : 503).end(), server);
    const made = await newCamera(url, live, by);
    await expect.poll(() => shown(made, live, by), patience).toMatchObject({ deliveryCount: 2, deliveryError: null, nextDeliveryAt: null });
    const { createdAt, deliveredAt } = await live.prisma.streamRequest.findUniqueOrThrow({ where: { id: made.id } });
    expect(Number(deliveredAt) - Number(createdAt)).toBeGreaterThanOrEqual(1000);
  });

  it("may hang up: it is asked again", async () => {
    const url = newStream((response) => response.destroy());
    const made = await newCamera(url);
    await gateway.app.idle();
    const unreachable = { deliveryCount: 1, deliveredAt: null, deliveryError: expect.stringMatching(/^It cannot be reached: \w+$/) };
    expect(await shown(made)).toEqual({ ...unreachable, nextDeliveryAt: later(1).toISOString() });
  });

  it("may not be there: it is asked again until it is", async () => {
    const port = await freePort();
    const waiting = await gatewayForTest({ seed: "none", now: () => clock, environment: settingsFor({ url: `http://127.0.0.1:${port}/streams` }) });
    const by = await settle(waiting);
    const url = newStream();
    const made = await newCamera(url, waiting, by);
    await waiting.app.idle();
    const error = { deliveryCount: 1, deliveredAt: null, deliveryError: "It cannot be reached: ECONNREFUSED" };
    expect(await shown(made, waiting, by)).toEqual({ ...error, nextDeliveryAt: later(1).toISOString() });
    const server = await feedServerForTest(port);
    clock = later(1);
    await newCamera(newStream(), waiting, by);
    await waiting.app.idle();
    expect(server.of(url)).toHaveLength(1);
    expect(await shown(made, waiting, by)).toEqual(delivered(2));
  });

  it("is heard to the end on each request, also when the outcome of another cannot be kept", async () => {
    const urls = [newStream(status(503)), newStream(status(503))] as const;
    const [lost, kept] = [await newCamera(urls[0]), await newCamera(urls[1])];
    await gateway.app.idle();
    const { prisma } = gateway;
    await prisma.$executeRawUnsafe(
      `ALTER TABLE "StreamRequest" ADD CONSTRAINT "refused" CHECK ("id" <> '${lost.id}' OR "deliveredAt" IS NULL) NOT VALID`,
    );
    onTestFinished(async () => void (await prisma.$executeRawUnsafe('ALTER TABLE "StreamRequest" DROP CONSTRAINT "refused"')));
    gateway.clearStatements();
    feed.answer(urls[0], status(200));
    feed.answer(urls[1], async (response) => {
      await expect.poll(() => gateway.statements.filter((sql) => /^UPDATE.*"deliveredAt" = /s.test(sql)).length, { interval: 5 }).toBeGreaterThan(0);
      response.writeHead(200).end();
    });
    await pass(1);
    expect(await shown(kept)).toEqual(delivered(2));
    expect(await shown(lost)).toMatchObject({ deliveryCount: 2, deliveredAt: null });
  });

  it("may hang: nobody waits for it, it has ten seconds, and it is asked again", async () => {
    // Ten seconds are a tenth of one here.
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    const spy = vi.spyOn(AbortSignal, "timeout").mockImplementation((milliseconds) => timeout(milliseconds / 100));
    onTestFinished(() => spy.mockRestore());
    const url = newStream(hang);
    const made = await newCamera(url);
    await gateway.app.idle();
    const error = { deliveryCount: 1, deliveredAt: null, deliveryError: "It did not answer within 10000 ms" };
    expect(await shown(made)).toEqual({ ...error, nextDeliveryAt: later(1).toISOString() });
  });
});

describe("a stream request is not posted any more", () => {
  const failing = async () => {
    const url = newStream(status(503));
    const made = await newCamera(url);
    await gateway.app.idle();
    expect(feed.of(url)).toHaveLength(1);
    return { url, made };
  };

  it("when a newer one superseded it", async () => {
    const { url, made } = await failing();
    const newer = await ask(probeCall(made.cameraId));
    await gateway.app.idle();
    expect(await shown(made)).toMatchObject({ deliveryCount: 1, nextDeliveryAt: null });
    for (const seconds of [1, 2, 4]) await pass(seconds);
    expect(feed.of(url).map(({ requestId }) => requestId)).toEqual([made, newer, newer, newer, newer].map(({ requestId }) => requestId));
  });

  it("when a newer one superseded it while it was posted", async () => {
    let answer = () => {};
    const url = newStream((response) => {
      answer = () => response.writeHead(503).end();
    });
    const made = await newCamera(url);
    await expect.poll(() => feed.of(url).length, patience).toBe(1);
    const next = newStream();
    await run(gateway, owner.admin, updateCall(made.cameraId, { url: next }));
    answer();
    await gateway.app.idle();
    for (const seconds of [1, 2, 4]) await pass(seconds);
    expect([feed.of(url).length, feed.of(next).length]).toEqual([1, 1]);
    expect(await shown(made)).toMatchObject({ deliveryCount: 1, deliveryError: "It answered 503", nextDeliveryAt: null });
  });

  it("when it has expired", async () => {
    const { url, made } = await failing();
    await pass(lifetime - 1);
    expect(feed.of(url)).toHaveLength(2);
    await pass(2);
    expect(feed.of(url)).toHaveLength(2);
    expect(await shown(made)).toEqual({ deliveryCount: 2, deliveredAt: null, deliveryError: "It answered 503", nextDeliveryAt: null });
  });

  it("when its camera was deleted", async () => {
    const { url, made } = await failing();
    await run(gateway, owner.admin, ["mutation ($id: UUID!) { deleteCamera(id: $id) { id } }", { id: made.cameraId }]);
    for (const seconds of [1, 2, 4]) await pass(seconds);
    expect(feed.of(url)).toHaveLength(1);
  });
});

describe("what is not delivered yet", () => {
  /** One database for gateways that run one after the other, and a feed server of the test's own that was asked in vain. */
  const place = async () => {
    const [ground, server] = [await newGround(), await feedServerForTest()];
    onTestFinished(ground.remove);
    const first = await ground.start({ now: () => clock, environment: settingsFor({ url: `http://127.0.0.1:${await freePort()}` }) });
    const by = await settle(first);
    const url = newStream();
    const made = await newCamera(url, first, by);
    await first.app.idle();
    await first.close();
    /** Starts a gateway of the test's own whose clock is ahead, and lets it do what is due. */
    const next = async (seconds: number) => {
      const gateway = await ground.start({ now: () => later(seconds), environment: settingsFor(server) });
      await gateway.app.idle();
      return gateway;
    };
    /** A gateway as a process of its own, which has begun to post the request to a feed server that does not answer. */
    const posting = async () => {
      server.answer(url, hang);
      const environment = gatewaySettings({ ...ground.variables, ...settingsFor(server), SHUTDOWN_DELAY: "300" });
      const running = startCommand("main", { environment });
      await expect.poll(() => server.of(url).length, { timeout: 20_000 }).toBe(1);
      server.answer(url, status(200));
      return running;
    };
    return { server, by, url, made, next, posting };
  };

  it("is posted by the next gateway when it is due, and not before", async () => {
    const { server, by, url, made, next } = await place();
    const early = await next(0.999);
    expect(server.of(url)).toEqual([]);
    await early.close();
    const second = await next(1);
    onTestFinished(() => second.close());
    expect(server.of(url)).toMatchObject([{ requestId: made.requestId }]);
    expect(await shown(made, second, by)).toEqual({ ...delivered(2), deliveredAt: later(1).toISOString() });
  });

  it("is broken off by a gateway that ends, which asks for nothing more, and is posted at once by the next one", async () => {
    const { server, by, url, made, next, posting } = await place();
    const running = await posting();
    const began = performance.now();
    running.signal("SIGTERM");
    expect((await running.ended).code).toBe(0);
    expect(performance.now() - began).toBeLessThan(8000);
    const second = await next((Date.now() - clock.getTime()) / 1000);
    onTestFinished(() => second.close());
    expect(server.of(url)).toHaveLength(2);
    expect(await shown(made, second, by)).toMatchObject({ deliveryCount: 3, deliveredAt: expect.any(String), deliveryError: null });
  });

  it("is posted again half a minute after a gateway crashed over it", async () => {
    const { server, by, url, made, next, posting } = await place();
    const running = await posting();
    const begun = (Date.now() - clock.getTime()) / 1000;
    running.signal("SIGKILL");
    await running.ended;
    const early = await next(begun + 20);
    expect(server.of(url)).toHaveLength(1);
    await early.close();
    const second = await next(begun + 31);
    onTestFinished(() => second.close());
    expect(server.of(url)).toHaveLength(2);
    expect(await shown(made, second, by)).toMatchObject({ deliveryCount: 3, deliveredAt: expect.any(String), deliveryError: null });
  });
});

describe.runIf(inject("templates").server)("two gateways on one database", () => {
  it("post each stream request once, and either takes the reports of it", async () => {
    const [ground, server] = [await newGround(), await feedServerForTest()];
    onTestFinished(ground.remove);
    const gateways = [await ground.start({ environment: settingsFor(server) }), await ground.start({ environment: settingsFor(server) })];
    for (const each of gateways) onTestFinished(() => each.close());
    const [one, two] = gateways as [Gateway, Gateway];
    const by = await settle(one);
    const urls = Array.from({ length: 40 }, () => newStream());
    const made = await Promise.all(urls.map((url, index) => newCamera(url, gateways[index % 2], by)));
    for (const each of gateways) await each.app.idle();
    await expect.poll(() => one.prisma.streamRequest.count({ where: { deliveredAt: null } }), patience).toBe(0);
    expect(urls.map((url) => server.of(url).map(({ requestId }) => requestId))).toEqual(made.map(({ requestId }) => [requestId]));
    const [first, second] = made as [Requested, Requested];
    expect(await byRest(two, "thumbnail", first.requestId)).toBe("OK");
    expect(await byGraphql(one, "error", second.requestId)).toBe("OK");
  });
});
