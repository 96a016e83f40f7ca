// Runs once: both kinds of databases run the same statements.
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { WebSocket } from "ws";
import { createLog } from "../../src/platform/telemetry/log.js";
import { Tracing } from "../../src/platform/telemetry/tracing.js";
import { openTraceExport } from "../../src/programs/gateway/trace-export.js";
import { type Post, WebhookReceiver } from "../delivery/webhook-receiver.js";
import { Recorder } from "../ingestion/recorder.js";
import { LiveSocket } from "../live/live-socket.js";
import { eventually } from "../support/eventually.js";
import { createAlertRule } from "../support/factories.js";
import {
  authorizationOf,
  type Gateway,
  gatewayForTest,
  type Sender,
  startGateway,
} from "../support/harness.js";
import { startFeedServer } from "../writes/feed-server.js";
import { type Span, startTraceCollector } from "./trace-collector.js";

interface Line {
  msg: string;
  traceId?: string;
  requestId?: string;
  req?: { id: string };
}

/** A trace that begins at a client, and the header that says so. */
class ClientTrace {
  readonly traceId = randomBytes(16).toString("hex");
  readonly spanId = randomBytes(8).toString("hex");

  get headers() {
    return { traceparent: `00-${this.traceId}-${this.spanId}-01` };
  }
}

const spansOf = ({ traceId }: { traceId: string }) =>
  collector.spans.filter((span) => span.traceId === traceId);
const named = (spans: readonly Span[], name: string) => spans.find((span) => span.name === name) as Span;

/** The spans below one, by name, each with those below it. */
interface Tree {
  [name: string]: Tree;
}
const treeOf = (spans: readonly Span[], parentSpanId: string): Tree =>
  Object.fromEntries(
    spans
      .filter((span) => span.parentSpanId === parentSpanId)
      .map(({ name, spanId }) => [name, treeOf(spans, spanId)]),
  );

const lines: Line[] = [];
const secretName = "Hidden yard";
const traces = {
  query: new ClientTrace(),
  rest: new ClientTrace(),
  failed: new ClientTrace(),
  missing: new ClientTrace(),
  parse: new ClientTrace(),
  refused: new ClientTrace(),
  recorded: new ClientTrace(),
  unsampled: new ClientTrace(),
};
const answers: Record<
  string,
  { status: number; body: { errors?: { extensions: Record<string, unknown> }[]; traceId?: string } }
> = {};

let post: Post;

let live: LiveSocket;

/**
 * Send the requests of all tests to one gateway. It exports the last spans when it
 * closes.
 */
const collector = await startTraceCollector();
const receiver = await WebhookReceiver.start();
const feed = await startFeedServer();
const gateway = await startGateway({
  environment: {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8",
    FEED_SERVER_URL: feed.url,
  },
  logDestination: { write: (line) => void lines.push(JSON.parse(line)) },
});
const recorder = await Recorder.open(gateway);
await sendRequests(gateway, receiver);
await gateway.close();
await receiver.close();
afterAll(async () => {
  await feed.close();
  await collector.close();
});

async function sendRequests(gateway: Gateway, receiver: WebhookReceiver): Promise<void> {
  const { site, admin } = recorder;
  const { as } = admin;
  const post = async (
    name: keyof typeof traces,
    query: string,
    variables: object = {},
    headers: Record<string, string> = traces[name].headers,
  ) => {
    const init = {
      method: "POST",
      as,
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ query, variables }),
    };
    const response = await gateway.fetch("/graphql", init);
    answers[name] = { status: response.status, body: (await response.json()) as never };
  };
  const get = async (name: keyof typeof traces, target: string, sender: typeof as | "nobody" = as) => {
    const response = await gateway.fetch(target, { as: sender, headers: traces[name].headers });
    answers[name] = { status: response.status, body: (await response.json()) as never };
  };
  await gateway.prisma.facility.updateMany({ where: { id: site.facilityId }, data: { name: secretName } });
  await post("query", "query FleetOverview($id: UUID!) { facility(id: $id) { name cameras { name } } }", {
    id: site.facilityId,
  });
  await get("rest", `/cameras/${site.cameraId}`);
  await get("missing", `/cameras/${randomUUID()}`);
  await get("refused", "/cameras", "nobody");
  await post(
    "failed",
    `mutation Unheard { renameFacility(id: "${randomUUID()}", name: "${secretName}") { id } }`,
  );
  await post("parse", "{");
  await post(
    "unsampled",
    "{ me { id } }",
    {},
    { traceparent: `00-${traces.unsampled.traceId}-${traces.unsampled.spanId}-00` },
  );
  await recordAlert(gateway, receiver);
  const createCamera =
    "mutation ($facilityId: UUID!, $input: CreateCameraInput!) { createCamera(facilityId: $facilityId, input: $input) { requestId } }";
  const camera = { name: "Streamed", url: "rtsp://camera.example/yard", streamType: "DIRECT" };
  await gateway.data(createCamera, { as, variables: { facilityId: site.facilityId, input: camera } });
  await eventually(
    async () => feed.received.length,
    (count) => count > 0,
  );
  live = await openLiveSocket(gateway, as);
  live.subscribe("subscription Beats { facilityHeartbeat { id } }", { id: "1" });
  live.subscribe("subscription { nothing }", { id: "2" });
  await eventually(
    async () => [live.errors("2"), lines.some(({ msg }) => msg === "a subscription was started")],
    ([errors, isStarted]) => errors !== undefined && isStarted === true,
  );
  await gateway.app.idle();
}

async function openLiveSocket(gateway: Gateway, as: Sender): Promise<LiveSocket> {
  const socket = new WebSocket(`${gateway.url.replace("http", "ws")}/graphql`, "graphql-transport-ws");
  await once(socket, "open");
  const opened = new LiveSocket(socket);
  opened.send({ type: "connection_init", payload: { authorization: await authorizationOf(as) } });
  await eventually(
    async () => opened.messages.map(({ type }) => type),
    (types) => types.includes("connection_ack"),
  );
  return opened;
}

async function recordAlert(gateway: Gateway, receiver: WebhookReceiver): Promise<void> {
  const { site, admin, workspaceId } = recorder;
  const alertRuleId = await createAlertRule(gateway.prisma, {
    workspaceId,
    cameraId: site.cameraId,
    notificationUrl: receiver.url("/hook"),
    notificationEnabled: true,
  });
  const input = [recorder.alert({ alertRuleId, createdAt: new Date().toISOString() })];
  const query =
    "mutation RecordAlerts($input: [RecordAlertInput!]!) { recordAlerts(input: $input) { recorded } }";
  const { headers } = traces.recorded;
  await gateway.graphql(query, { as: admin.as, headers, variables: { input } });
  [post] = (await receiver.received(1, "/hook")) as [Post];
}

describe("a trace", () => {
  it("continues that of the client, with the request, its operation and the statements of it", () => {
    const spans = spansOf(traces.query);
    const tree = treeOf(spans, traces.query.spanId);
    expect(Object.keys(tree)).toEqual(["POST /graphql"]);
    const operation = tree["POST /graphql"]?.["query FleetOverview"];
    expect(Object.keys(operation ?? {})).toEqual([expect.stringMatching(/^SELECT \w+$/)]);
    const run = named(spans, "query FleetOverview");
    expect(named(spans, "POST /graphql")).toMatchObject({
      kind: "server",
      attributes: {
        "http.request.method": "POST",
        "http.route": "/graphql",
        "http.response.status_code": 200,
        "url.scheme": "http",
      },
      isFailed: false,
    });
    expect(run).toMatchObject({
      kind: "internal",
      attributes: { "graphql.operation.type": "query", "graphql.operation.name": "FleetOverview" },
      isFailed: false,
    });
    const [statement] = spans.filter(({ parentSpanId }) => parentSpanId === run.spanId);
    expect(statement).toMatchObject({
      kind: "client",
      attributes: { "db.system.name": "postgresql", "db.query.text": expect.stringContaining("$1") },
    });
  });

  it("shows a REST request by the pattern of its route, with its operation", () => {
    const tree = treeOf(spansOf(traces.rest), traces.rest.spanId);
    expect(Object.keys(tree)).toEqual(["GET /cameras/:cameraId"]);
    expect(tree["GET /cameras/:cameraId"]).toHaveProperty("query GetCamera");
  });

  it("leads from the alert to its webhook, which receives the trace", () => {
    const spans = spansOf(traces.recorded);
    const tree = treeOf(spans, traces.recorded.spanId);
    const operation = tree["POST /graphql"]?.["mutation RecordAlerts"];
    expect(Object.keys(operation ?? {})).toEqual(
      expect.arrayContaining(["WITH Alert", "INSERT AuditEntry", "deliver WEBHOOK"]),
    );
    const delivery = named(spans, "deliver WEBHOOK");
    expect(delivery).toMatchObject({
      kind: "client",
      attributes: { "gateway.delivery.channel": "WEBHOOK", "gateway.delivery.count": 1 },
    });
    expect(post.headers.traceparent).toBe(`00-${delivery.traceId}-${delivery.spanId}-01`);
  });

  it("of a request to the feed server continues there", () => {
    const span = named(collector.spans, "POST feed server");
    expect(feed.received[0]?.headers.traceparent).toBe(`00-${span.traceId}-${span.spanId}-01`);
  });

  it("of a subscription shows how it was started", () => {
    const { spans } = collector;
    const starts = spans.filter(({ name }) => name === "subscribe");
    expect(starts.map(({ attributes }) => attributes["gateway.error_codes"])).toEqual(
      expect.arrayContaining([undefined, ["GRAPHQL_VALIDATION_FAILED"]]),
    );
    const started = starts.find(({ spanId }) =>
      spans.some(({ parentSpanId, name }) => parentSpanId === spanId && name === "subscription other"),
    );
    expect(started).toBeDefined();
  });

  it("is not recorded if the client says so", () => {
    expect(spansOf(traces.unsampled)).toEqual([]);
  });

  it("shows no probes, and identifies its service", () => {
    const { spans, services } = collector;
    expect(spans.filter(({ name }) => /healthz|readyz|metrics/.test(name))).toEqual([]);
    expect([...services]).toEqual(["camera-monitoring-gateway"]);
  });

  it("has the codes of errors; only the gateway's own errors are failures", () => {
    expect(named(spansOf(traces.failed), "POST /graphql")).toMatchObject({
      attributes: { "gateway.error_codes": ["NOT_FOUND"] },
      isFailed: false,
    });
    expect(named(spansOf(traces.missing), "GET /cameras/:cameraId")).toMatchObject({
      attributes: { "gateway.error_codes": ["NOT_FOUND"], "http.response.status_code": 404 },
      isFailed: false,
    });
    expect(collector.spans.filter(({ isFailed }) => isFailed)).toEqual([]);
  });

  it("has no ids, names and addresses of customers, and no values of statements", () => {
    const { spans } = collector;
    const text = JSON.stringify(spans.map(({ name, attributes }) => ({ name, attributes })));
    const { site, admin, workspaceId } = recorder;
    const private_ = [
      site.cameraId,
      site.facilityId,
      workspaceId,
      admin.id,
      admin.authId,
      secretName,
      "Unheard",
      "127.0.0.1",
      "/hook",
      "2025-11-20",
    ];
    expect(private_.filter((value) => text.includes(value))).toEqual([]);
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
  });
});

describe("the id of the trace", () => {
  it.each(["failed", "parse"] as const)("is in every error of a GraphQL answer: %s", (name) => {
    const { errors } = answers[name]?.body ?? {};
    expect(errors?.length).toBeGreaterThan(0);
    expect(errors?.map(({ extensions }) => extensions.traceId)).toEqual(
      errors?.map(() => traces[name].traceId),
    );
  });

  it.each(["missing", "refused"] as const)("is in the error of a REST answer: %s", (name) => {
    expect(answers[name]?.body).toMatchObject({ status: "error", traceId: traces[name].traceId });
  });

  it("is in the errors of subscriptions", () => {
    const refused = live.messages.find(({ type, id }) => type === "error" && id === "2");
    expect(refused?.payload).toMatchObject([
      { extensions: { code: "GRAPHQL_VALIDATION_FAILED", traceId: expect.stringMatching(/^[0-9a-f]{32}$/) } },
    ]);
  });

  it("is in the lines of the log", () => {
    const logged = new Set(lines.map(({ traceId }) => traceId));
    expect(Object.values(traces).filter(({ traceId }) => !logged.has(traceId))).toEqual([]);
    const [started] = lines.filter(({ msg }) => msg === "a subscription was started");
    expect(started?.traceId).toMatch(/^[0-9a-f]{32}$/);
  });
});

const exportTo = (endpoint: string, { ratio = 1, log = createLog("silent") } = {}) =>
  openTraceExport({ endpoint, ratio }, log);

it("OTEL_TRACES_SAMPLER_ARG decides how many traces that start here are recorded, and clients decide about theirs", async () => {
  const { tracer, propagator, close } = exportTo(collector.url, { ratio: 0 });
  const tracing = new Tracing({ tracer, propagator, operationName: () => "other" });
  const { traceId, headers } = new ClientTrace();
  const own = tracing.startRequest("GET");
  own.end("GET", []);
  tracing.startRequest("GET", headers).end("GET", []);
  await close();
  expect([spansOf(own).length, spansOf({ traceId }).length]).toEqual([0, 1]);
});

it("spans that could not be exported are counted in the log", async () => {
  const written: string[] = [];
  const log = createLog("warn", { write: (line) => void written.push(line) });
  const { tracer, close } = exportTo(`${collector.url}/elsewhere`, { log });
  tracer.startSpan("lost").end();
  await close();
  expect(written.map((line) => JSON.parse(line))).toMatchObject([
    { level: "warn", msg: "traces could not be exported", spans: 1 },
  ]);
});

it("messages about several alerts are linked to the traces of all of them", async () => {
  const { tracer, propagator, close } = exportTo(collector.url);
  const tracing = new Tracing({ tracer, propagator, operationName: () => "other" });
  const [one, other] = [new ClientTrace(), new ClientTrace()];
  tracing.rememberRecording(["a", "b"], one.headers.traceparent);
  tracing.rememberRecording(["c"], other.headers.traceparent);
  tracing.startMessage("deliver EMAIL", {}, ["a", "b", "c", "unknown"]).end("not_accepted");
  await close();
  const { spans } = collector;
  expect(named(spans, "deliver EMAIL")).toMatchObject({
    parentSpanId: undefined,
    links: [one, other].map(({ traceId, spanId }) => ({ traceId, spanId })),
    isFailed: true,
    attributes: { "error.type": "not_accepted" },
  });
});

describe("without OTEL_EXPORTER_OTLP_ENDPOINT", () => {
  it("answers have no trace id", async () => {
    const gateway = await gatewayForTest();
    const { headers } = new ClientTrace();
    const rest = await (await gateway.fetch("/cameras", { headers })).json();
    expect(Object.keys(rest as object)).toEqual(["status", "code", "message", "reason"]);
    const answer = await gateway.graphql("{ cameras { id } }");
    expect(answer.errors).toEqual([
      { message: expect.any(String), extensions: { code: "UNAUTHENTICATED", reason: "MISSING" } },
    ]);
  });

  it("the SDK is not loaded", () => {
    const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".ts"),
    );
    const importing = (pattern: RegExp) =>
      files.filter((file) => pattern.test(readFileSync(`src/${file}`, "utf8")));
    expect(importing(/from "@opentelemetry\/(?!api")/)).toEqual(["programs/gateway/trace-export.ts"]);
    expect(importing(/from "[^"]*\/trace-export\.js"/)).toEqual([]);
    expect(importing(/await import\("\.\/trace-export\.js"\)/)).toEqual(["programs/gateway/app.ts"]);
  });
});
