import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Permission, permissions } from "../../src/access/permissions.js";
import { createSite, type Site } from "../access/fleet.js";
import { createWorkspace } from "../support/factories.js";
import { type Gateway, startGateway } from "../support/harness.js";
import { type Call, newWriter, refusal, run, unknownId, type Writer } from "../writes/writer.js";
import { raiseAlerts } from "./alerts.js";
import { metric, openSocket, subscriber, subscriptionsOf } from "./live-socket.js";

let gateway: Gateway;
let workspaceId: string;
let here: Site;
let there: Site;
let elsewhere: Site;
let admin: Writer;
const newSite = (name: string, workspaceId: string) =>
  createSite(gateway.prisma, { workspaceId, name, alerts: 0, newest: new Date(Date.now() + 3600_000).toISOString() });
beforeAll(async () => {
  gateway = await startGateway({ seed: "none" });
  workspaceId = await createWorkspace(gateway.prisma, {});
  here = await newSite("Here", workspaceId);
  there = await newSite("There", workspaceId);
  elsewhere = await newSite("Elsewhere", await createWorkspace(gateway.prisma, {}));
  admin = await newWriter(gateway.prisma, { workspaceId, roles: permissions });
});
afterAll(() => gateway.close());

const newUser = (roles: readonly Permission[], at: Record<string, Permission[]> = {}) => newWriter(gateway.prisma, { workspaceId, roles, at });
const setStatus = (cameraId: string, statusDetail: string = randomUUID()): Call => [
  "mutation ($id: UUID!, $input: StatusDetailInput!) { setCameraStatusDetail(id: $id, input: $input) { id } }",
  { id: cameraId, input: { statusDetail, source: "TRACKER" } },
];
const heartbeat = (facilityId: string): Call => ["mutation ($id: UUID!) { recordHeartbeat(facilityId: $id) { id } }", { id: facilityId }];
const raise = (site: Site, ...values: object[]) => raiseAlerts(gateway, site === elsewhere ? "" : workspaceId, site, values);
/** Whatever happened before this, it was sent before this is. */
const marker = async () => {
  const facilityId = here.facilityId;
  const name = randomUUID();
  await gateway.prisma.facility.update({ where: { id: facilityId }, data: { name } });
  return name;
};

describe("alertRaised", () => {
  const query = "subscription ($facilityId: UUID, $cameraId: UUID) { alertRaised(facilityId: $facilityId, cameraId: $cameraId) { id } }";
  const idsOf = (live: { results<Data>(): { data?: Data | null }[] }) =>
    live.results<{ alertRaised: { id: string } }>().map(({ data }) => data?.alertRaised.id);

  it("shows each alert once, in the order in which they were raised, however many at a time", async () => {
    const live = await subscriber(gateway, admin.as, query);
    const ids = [...(await raise(here, {})), ...(await raise(there, ...Array(400).fill({}))), ...(await raise(here, {}, {}))];
    await expect.poll(() => idsOf(live)).toEqual(ids);
  });

  it("shows an alert with what hangs on it, as a query would", async () => {
    const fields = "{ id name localCreatedAt url camera { name facility { name } } alertRule { severity } }";
    const live = await subscriber(gateway, admin.as, `subscription { alertRaised ${fields} }`);
    const [id] = await raise(here, { alertRuleId: here.ruleId, url: "https://pictures.example/1.jpg" });
    const { alert } = await gateway.data<{ alert: object }>(`{ alert(id: "${id}") ${fields} }`, admin);
    expect(alert).toMatchObject({ camera: { name: "Here" }, alertRule: { severity: "MEDIUM" } });
    await expect.poll(() => live.results()).toEqual([{ data: { alertRaised: alert } }]);
  });

  it.each<[string, () => object]>([
    ["a facility", () => ({ facilityId: here.facilityId })],
    ["a camera", () => ({ cameraId: here.cameraId })],
    [
      "a facility and a camera, whose ids are written in capitals",
      () => ({ facilityId: here.facilityId.toUpperCase(), cameraId: here.cameraId.toUpperCase() }),
    ],
  ])("shows those of %s alone", async (_place, variables) => {
    const live = await subscriber(gateway, admin.as, query, variables());
    await raise(there, {});
    const ids = await raise(here, {});
    await expect.poll(() => idsOf(live)).toEqual(ids);
  });

  it("reads what one event names in as many statements as one alert takes, and once for all who ask the same", async () => {
    const nested = "subscription { alertRaised { id camera { name } } }";
    const lives = [
      await subscriber(gateway, admin.as, nested),
      await subscriber(gateway, admin.as, nested),
      await subscriber(gateway, admin.as, nested),
    ];
    const count = async (...alerts: object[]) => {
      gateway.clearStatements();
      const before = lives.map((live) => live.results().length);
      await raise(here, ...alerts);
      await expect.poll(() => lives.map((live, index) => live.results().length - (before[index] ?? 0))).toEqual(lives.map(() => alerts.length));
      return gateway.statements.filter((sql) => !/INSERT|BEGIN|COMMIT|pg_notify/.test(sql)).length;
    };
    await count({});
    const one = await count({});
    expect(await count(...Array(100).fill({}))).toBe(one);
    // The caller, the alert, its camera.
    expect(one).toBeLessThanOrEqual(3);
  });
});

describe("cameraStatusChanged", () => {
  const query = "subscription ($facilityId: UUID) { cameraStatusChanged(facilityId: $facilityId) { id statusDetail } }";
  const shown = (cameraId: string, statusDetail: string) => ({ data: { cameraStatusChanged: { id: cameraId, statusDetail } } });

  it("shows a camera when its status detail is set, but not when it is set to what it was", async () => {
    const live = await subscriber(gateway, admin.as, query);
    for (const status of ["BLURRED", "BLURRED", "DARK"]) await run(gateway, admin, setStatus(here.cameraId, status));
    await expect.poll(() => live.results()).toEqual([shown(here.cameraId, "BLURRED"), shown(here.cameraId, "DARK")]);
  });

  it("shows those of one facility alone", async () => {
    const live = await subscriber(gateway, admin.as, query, { facilityId: here.facilityId });
    await run(gateway, admin, setStatus(there.cameraId, "BLURRED"));
    await run(gateway, admin, setStatus(here.cameraId, "OUT_OF_FOCUS"));
    await expect.poll(() => live.results()).toEqual([shown(here.cameraId, "OUT_OF_FOCUS")]);
  });

  it("shows a camera when the feed server reports a failure and when it reports that the stream is back", async () => {
    const { requestId } = await gateway.prisma.streamRequest.findFirstOrThrow({ where: { cameraId: there.cameraId } });
    const live = await subscriber(gateway, admin.as, query, { facilityId: there.facilityId });
    await gateway.data(`mutation { recordStreamError(requestId: "${requestId}", input: { operation: "open", error: "refused" }) { id } }`, admin);
    await gateway.data(`mutation { recordStreamThumbnail(requestId: "${requestId}", input: { url: "https://x.example/1.jpg" }) { id } }`, admin);
    await gateway.data(`mutation { recordStreamThumbnail(requestId: "${requestId}", input: { url: "https://x.example/2.jpg" }) { id } }`, admin);
    const shown = { data: { cameraStatusChanged: expect.objectContaining({ id: there.cameraId }) } };
    await expect.poll(() => live.results()).toEqual([shown, shown]);
  });

  it("tells nobody of a write that was refused", async () => {
    const live = await subscriber(gateway, admin.as, query);
    const viewer = await newUser(["cameras:read"]);
    expect(await refusal(gateway, viewer, setStatus(here.cameraId))).toMatchObject({ code: "FORBIDDEN" });
    await run(gateway, admin, setStatus(here.cameraId, "AFTER"));
    await expect.poll(() => live.results()).toEqual([shown(here.cameraId, "AFTER")]);
  });
});

describe("facilityHeartbeat", () => {
  it("shows each facility whose device reports", async () => {
    const live = await subscriber(gateway, admin.as, "subscription { facilityHeartbeat { id online } }");
    for (const { facilityId } of [here, there]) await run(gateway, admin, heartbeat(facilityId));
    const shown = [here, there].map(({ facilityId }) => ({ data: { facilityHeartbeat: { id: facilityId, online: true } } }));
    await expect.poll(() => live.results()).toEqual(shown);
  });
});

describe("what a subscriber may not see", () => {
  const query = "subscription { facilityHeartbeat { id } }";
  const ids = (live: { results<Data>(): { data?: Data | null }[] }) =>
    live.results<{ facilityHeartbeat: { id: string } }>().map(({ data }) => data?.facilityHeartbeat.id);

  it("is not said: a facility without any permission", async () => {
    const site = await newUser([], { [there.facilityId]: ["alerts:read"] });
    const live = await subscriber(gateway, site.as, query);
    for (const { facilityId } of [here, there]) await run(gateway, admin, heartbeat(facilityId));
    await expect.poll(() => ids(live)).toEqual([there.facilityId]);
    expect(live.messages.map(({ type }) => type)).toEqual(["connection_ack", "next"]);
  });

  it("is not said: another workspace", async () => {
    const { workspaceId: other } = await gateway.prisma.facility.findUniqueOrThrow({ where: { id: elsewhere.facilityId } });
    const stranger = await newWriter(gateway.prisma, { workspaceId: other, roles: permissions });
    const live = await subscriber(gateway, stranger.as, query);
    for (const facilityId of [here.facilityId]) await run(gateway, admin, heartbeat(facilityId));
    await run(gateway, stranger, heartbeat(elsewhere.facilityId));
    await expect.poll(() => ids(live)).toEqual([elsewhere.facilityId]);
  });

  it("is found out anew for each event: what was granted and taken away counts at once", async () => {
    const user = await newUser([], { [there.facilityId]: ["alerts:read"] });
    const live = await subscriber(gateway, user.as, query);
    const change = (kind: string): Call => [
      `mutation ($facilityId: UUID!, $userId: UUID) { ${kind}FacilityAccess(facilityId: $facilityId, actions: ["cameras:read"], userId: $userId) { actions } }`,
      { facilityId: here.facilityId, userId: user.id },
    ];
    await run(gateway, admin, heartbeat(here.facilityId));
    await run(gateway, admin, change("grant"));
    await run(gateway, admin, heartbeat(here.facilityId));
    await expect.poll(() => ids(live)).toEqual([here.facilityId]);
    await run(gateway, admin, change("remove"));
    await run(gateway, admin, heartbeat(here.facilityId));
    await run(gateway, admin, heartbeat(there.facilityId));
    await expect.poll(() => ids(live)).toEqual([here.facilityId, there.facilityId]);
  });

  it("is not shown inside of what they see: a password in a camera's address", async () => {
    await gateway.prisma.camera.update({ where: { id: here.cameraId }, data: { url: "rtsp://user:secret@camera.example/" } });
    const viewer = await newUser(["cameras:read"]);
    const lives = [await subscriber(gateway, viewer.as, "subscription { cameraStatusChanged { url } }")];
    lives.push(await subscriber(gateway, admin.as, "subscription { cameraStatusChanged { url } }"));
    await run(gateway, admin, setStatus(here.cameraId));
    const shown = lives.map(
      (live) => () => live.results<{ cameraStatusChanged: { url: string } }>().map(({ data }) => data?.cameraStatusChanged.url),
    );
    await expect.poll(() => shown.map((show) => show())).toEqual([["rtsp://user:***@camera.example/"], ["rtsp://user:secret@camera.example/"]]);
  });

  it("is an error in the field that shows it, and the rest is shown", async () => {
    const viewer = await newUser(["facilities:read"]);
    const live = await subscriber(gateway, viewer.as, "subscription { facilityHeartbeat { id access { actions } } }");
    await run(gateway, admin, heartbeat(here.facilityId));
    await expect
      .poll(() => live.results())
      .toMatchObject([
        {
          data: { facilityHeartbeat: { id: here.facilityId, access: null } },
          errors: [{ path: ["facilityHeartbeat", "access"], extensions: { code: "FORBIDDEN" } }],
        },
      ]);
  });
});

describe("a subscription that cannot be started gets an error, and the socket goes on", () => {
  const unseen: [string, string, () => object][] = (["alertRaised", "cameraStatusChanged"] as const).flatMap((field) => [
    [
      `${field} of a facility of another workspace`,
      `subscription ($id: UUID) { ${field}(facilityId: $id) { id } }`,
      () => ({ id: elsewhere.facilityId }),
    ],
    [`${field} of a facility that never was`, `subscription ($id: UUID) { ${field}(facilityId: $id) { id } }`, () => ({ id: unknownId })],
  ]);
  it.each<[string, string, () => object, string]>([
    ...unseen.map(([name, query, variables]) => [name, query, variables, "NOT_FOUND"] as [string, string, () => object, string]),
    [
      "a camera of another workspace",
      "subscription ($id: UUID) { alertRaised(cameraId: $id) { id } }",
      () => ({ id: elsewhere.cameraId }),
      "NOT_FOUND",
    ],
    ["an id that is none", "subscription ($id: UUID) { alertRaised(cameraId: $id) { id } }", () => ({ id: "here" }), "BAD_REQUEST"],
    ["a text that is no GraphQL", "subscription {", () => ({}), "GRAPHQL_PARSE_FAILED"],
    ["a document of more than 5000 tokens", `subscription { ${"a ".repeat(5000)} }`, () => ({}), "GRAPHQL_PARSE_FAILED"],
    ["a field that is none", "subscription { cameraLost { id } }", () => ({}), "GRAPHQL_VALIDATION_FAILED"],
    ["two fields", "subscription { facilityHeartbeat { id } alertRaised { id } }", () => ({}), "GRAPHQL_VALIDATION_FAILED"],
    ["a field that may be left out", "subscription { facilityHeartbeat @skip(if: true) { id } }", () => ({}), "BAD_REQUEST"],
    [
      "a query that is nested too deep",
      `subscription { facilityHeartbeat ${"{ workspace { facilities ".repeat(7)}{ id }${"} }".repeat(7)} }`,
      () => ({}),
      "BAD_REQUEST",
    ],
    ["a list that is too long", "subscription { facilityHeartbeat { alerts(first: 1001) { nodes { id } } } }", () => ({}), "BAD_REQUEST"],
    [
      "too much at once",
      "subscription { facilityHeartbeat { cameras { alerts(first: 1000) { nodes { camera { alerts(first: 1000) { nodes { id } } } } } } } }",
      () => ({}),
      "BAD_REQUEST",
    ],
    ["a query", "{ facilities { id } }", () => ({}), "BAD_REQUEST"],
    ["a mutation", 'mutation { updateMe(input: { firstName: "A", lastName: "B", jobTitle: "C" }) { id } }', () => ({}), "BAD_REQUEST"],
  ])("%s", async (_case, query, variables, code) => {
    const live = await openSocket(gateway, { as: admin.as });
    live.subscribe(query, { variables: variables() });
    await expect.poll(() => live.errors()).toContain(code);
    live.send({ type: "ping" });
    await live.received("pong");
  });

  it("with words that name the fault", async () => {
    const live = await openSocket(gateway, { as: admin.as });
    live.subscribe("{ facilities { id } }");
    await live.received("error");
    expect(live.messages[1]?.payload).toEqual([
      { message: "Only subscriptions run over WebSocket: send queries and mutations by POST", extensions: { code: "BAD_REQUEST" } },
    ]);
  });
});

describe("by HTTP", () => {
  it("a subscription is refused with words that lead to the WebSocket", async () => {
    const { status, errors } = await gateway.graphql("subscription { facilityHeartbeat { id } }", admin);
    expect([status, errors?.[0]?.extensions.code]).toEqual([400, "BAD_REQUEST"]);
    expect(errors?.[0]?.message).toMatch(/graphql-transport-ws/);
  });

  it("a stranger's subscription is refused for that", async () => {
    expect((await gateway.graphql("subscription { facilityHeartbeat { id } }")).status).toBe(401);
  });
});

it("ends a subscription that is completed, and only that", async () => {
  const live = await subscriber(gateway, admin.as, "subscription { facilityHeartbeat { id } }");
  live.subscribe("subscription { facilityHeartbeat { name } }", { id: "2" });
  live.send({ type: "complete", id: "1" });
  const name = await marker();
  await expect
    .poll(async () => {
      await run(gateway, admin, heartbeat(here.facilityId));
      return live.results("2").length;
    })
    .toBeGreaterThan(0);
  expect(live.results("2")[0]).toEqual({ data: { facilityHeartbeat: { name } } });
  const before = live.results("1").length;
  const seen = live.results("2").length;
  await run(gateway, admin, heartbeat(here.facilityId));
  await expect.poll(() => live.results("2").length).toBeGreaterThan(seen);
  expect(live.results("1")).toHaveLength(before);
});

it("runs the one that is named of a document with several subscriptions", async () => {
  const live = await openSocket(gateway, { as: admin.as });
  live.subscribe("subscription One { alertRaised { id } } subscription Two { facilityHeartbeat { id } }", { operationName: "Two" });
  await expect
    .poll(async () => {
      await run(gateway, admin, heartbeat(here.facilityId));
      return live.results()[0];
    })
    .toEqual({ data: { facilityHeartbeat: { id: here.facilityId } } });
});

it("leaves nothing running of a socket that closed, also not of an id that was given up and taken again", async () => {
  const before = await subscriptionsOf(gateway);
  const live = await openSocket(gateway, { as: admin.as });
  for (let time = 0; time < 5; time += 1) {
    live.subscribe(`subscription { facilityHeartbeat { id alias${time}: name } }`);
    live.send({ type: "complete", id: "1" });
  }
  live.subscribe("subscription { facilityHeartbeat { id } }");
  await expect.poll(() => metric(gateway, "gateway_subscriptions_open")).toBeGreaterThan(before);
  live.socket.terminate();
  await expect.poll(() => metric(gateway, "gateway_subscriptions_open")).toBe(before);
});
