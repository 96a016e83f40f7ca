import { randomUUID } from "node:crypto";
import type { Permission } from "../../src/engine/access/permissions.js";
import { type CompleteFacility, createCompleteFacility } from "../support/complete-facility.js";
import {
  createAdmin,
  createAlerts,
  createTestUser,
  createWorkspace,
  unknownId,
} from "../support/factories.js";
import { type Call, refusal, run, sharedWorkspace } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { raiseAlerts } from "./alerts.js";
import {
  heartbeat,
  heartbeats,
  type LiveSocket,
  metric,
  openSocket,
  subscriber,
  subscriptionsOf,
} from "./live-socket.js";

const newSite = (name: string, workspaceId: string) =>
  createCompleteFacility(prisma, {
    workspaceId,
    name,
    alerts: 0,
    newest: new Date(Date.now() + 3600_000).toISOString(),
  });
const { gateway, prisma, workspaceId } = await sharedWorkspace();
const siteA = await newSite("Here", workspaceId);
const siteB = await newSite("There", workspaceId);
const otherTenantSite = await newSite("Elsewhere", await createWorkspace(prisma));
const admin = await createAdmin(prisma, workspaceId);

const newUser = (roles: readonly Permission[], at: Record<string, Permission[]> = {}) =>
  createTestUser(prisma, { workspaceId, roles, at });
const setStatus = (cameraId: string, statusDetail: string = randomUUID()): Call => [
  "mutation ($id: UUID!, $input: StatusDetailInput!) { setCameraStatusDetail(id: $id, input: $input) { id } }",
  { id: cameraId, input: { statusDetail, source: "TRACKER" } },
];
const subscribe = (query: string, variables?: object) => subscriber(gateway, admin.as, query, variables);
const raise = (site: CompleteFacility, ...values: object[]) =>
  raiseAlerts(gateway, site === otherTenantSite ? "" : workspaceId, site, values);
/** Sends a marker event: earlier events were sent before it. */
const sendMarker = async () => {
  const facilityId = siteA.facilityId;
  const name = randomUUID();
  await prisma.facility.updateMany({ where: { id: facilityId }, data: { name } });
  return name;
};

describe("alertRaised", () => {
  const query =
    "subscription ($facilityId: UUID, $cameraId: UUID) { alertRaised(facilityId: $facilityId, cameraId: $cameraId) { id } }";

  it("sends each alert once and in order, however many are raised at a time", async () => {
    const live = await subscribe(query);
    const ids = [
      ...(await raise(siteA, {})),
      ...(await raise(siteB, ...Array(400).fill({}))),
      ...(await raise(siteA, {}, {})),
    ];
    await expect.poll(() => live.ids()).toEqual(ids);
  });

  it("sends an alert with related data, like a query", async () => {
    const fields = "{ id name localCreatedAt url camera { name facility { name } } alertRule { severity } }";
    const live = await subscribe(`subscription { alertRaised ${fields} }`);
    const [id] = await raise(siteA, { alertRuleId: siteA.ruleId, url: "https://pictures.example/1.jpg" });
    const { alert } = await gateway.data<{ alert: object }>(`{ alert(id: "${id}") ${fields} }`, admin);
    for (const related of ['"Here"', '"MEDIUM"']) expect(JSON.stringify(alert)).toContain(related);
    await expect.poll(() => live.results()).toEqual([{ data: { alertRaised: alert } }]);
  });

  it.each<[string, () => object]>([
    ["a facility", () => ({ facilityId: siteA.facilityId })],
    ["a camera", () => ({ cameraId: siteA.cameraId })],
    [
      "a facility and a camera with ids in upper case",
      () => ({ facilityId: siteA.facilityId.toUpperCase(), cameraId: siteA.cameraId.toUpperCase() }),
    ],
  ])("sends only those of %s", async (_scope, variables) => {
    const live = await subscribe(query, variables());
    await raise(siteB, {});
    const ids = await raise(siteA, {});
    await expect.poll(() => live.ids()).toEqual(ids);
  });

  it("reads the alerts of an event in as many statements as one alert, once for all equal subscriptions", async () => {
    const nested = "subscription { alertRaised { id camera { name } } }";
    const clients = [await subscribe(nested), await subscribe(nested), await subscribe(nested)];
    const count = async (...alerts: object[]) => {
      gateway.clearStatements();
      const before = clients.map((live) => live.results().length);
      await raise(siteA, ...alerts);
      await expect
        .poll(() => clients.map((live, index) => live.results().length - (before[index] ?? 0)))
        .toEqual(clients.map(() => alerts.length));
      return gateway.statements.filter((sql) => !/INSERT|BEGIN|COMMIT|pg_notify/.test(sql)).length;
    };
    await count({});
    const one = await count({});
    expect(await count(...Array(100).fill({}))).toBe(one);
    // The caller, the alert, its camera.
    expect(one).toBeLessThanOrEqual(3);
  });
});

describe("alertRaised of some kinds", () => {
  const kinds =
    "subscription ($types: [String!], $severities: [String!]) { alertRaised(types: $types, severities: $severities) { id } }";
  const raised = [
    { name: "SMOKE", severity: "HIGH" },
    { name: "SMOKE", severity: "LOW" },
    { name: "FENCE", severity: "HIGH" },
    { name: "CROWD", severity: null },
  ];
  it.each<[string, object, number[]]>([
    ["types", { types: ["SMOKE", "CROWD"] }, [0, 1, 3]],
    ["severities, which excludes alerts without one", { severities: ["HIGH", "LOW"] }, [0, 1, 2]],
    ["types and severities", { types: ["SMOKE"], severities: ["LOW", "MEDIUM"] }, [1]],
    ["null, which is all", { types: null, severities: null }, [0, 1, 2, 3]],
    ["no types, which are none", { types: [] }, []],
  ])("sends only those of %s", async (_kinds, variables, expected) => {
    const live = await subscribe(kinds, variables);
    const all = await subscribe(kinds);
    const ids = await raise(siteA, ...raised);
    await expect.poll(() => all.ids()).toEqual(ids);
    await expect.poll(() => live.ids()).toEqual(expected.map((index) => ids[index]));
  });
});

describe("alertChanged", () => {
  const change =
    "alertChanged(facilityId: $facilityId, cameraId: $cameraId) { alertId kind alert { id bookmark acknowledgedAt comments { nodes { text } } } }";
  const query = `subscription ($facilityId: UUID, $cameraId: UUID) { ${change} }`;
  type Change = { alertChanged: { alertId: string; kind: string; alert: object | null } };
  const changesOf = (live: { results<Data>(): { data?: Data | null; errors?: unknown }[] }) =>
    live
      .results<Change>()
      .map(({ data, errors }) => errors ?? [data?.alertChanged.kind, data?.alertChanged.alertId]);
  const newAlert = async (site = siteA) => {
    const [id] = await createAlerts(prisma, [
      { workspaceId, facilityId: site.facilityId, cameraId: site.cameraId },
    ]);
    return id as string;
  };
  const mark = (ids: string[], marks: object = { bookmark: true }): Call => [
    "mutation ($ids: [UUID!]!, $marks: AlertMarksInput!) { markAlerts(ids: $ids, marks: $marks) { alerts { id } } }",
    { ids, marks },
  ];
  const comment = (id: string): Call => [
    'mutation ($id: UUID!) { commentAlert(id: $id, text: "Seen") { id } }',
    { id },
  ];
  const remove = (...ids: string[]): Call => [
    "mutation ($ids: [UUID!]!) { deleteAlerts(ids: $ids) { deletedIds } }",
    { ids },
  ];

  it("sends each change of an alert, with the alert after the change", async () => {
    const id = await newAlert();
    const live = await subscribe(query);
    await run(gateway, admin, [
      "mutation ($id: UUID!) { setAlertBookmark(id: $id, bookmark: true) { id } }",
      { id },
    ]);
    await expect.poll(() => changesOf(live)).toEqual([["MARKED", id]]);
    const { commentAlert } = await run<{ commentAlert: { id: string } }>(gateway, admin, comment(id));
    await expect.poll(() => changesOf(live)).toHaveLength(2);
    await run(gateway, admin, [
      'mutation ($id: UUID!) { editAlertComment(id: $id, text: "Looked at") { id } }',
      { id: commentAlert.id },
    ]);
    await expect.poll(() => changesOf(live)).toHaveLength(3);
    await run(gateway, admin, [
      "mutation ($id: UUID!) { deleteAlertComment(id: $id) { id } }",
      { id: commentAlert.id },
    ]);
    await expect.poll(() => changesOf(live)).toHaveLength(4);
    await run(gateway, admin, remove(id));
    const shown = { id, bookmark: true, acknowledgedAt: null, comments: { nodes: [] } };
    await expect
      .poll(() => live.results<Change>().map(({ data }) => data?.alertChanged))
      .toEqual([
        { alertId: id, kind: "MARKED", alert: shown },
        { alertId: id, kind: "COMMENTED", alert: { ...shown, comments: { nodes: [{ text: "Seen" }] } } },
        { alertId: id, kind: "COMMENTED", alert: { ...shown, comments: { nodes: [{ text: "Looked at" }] } } },
        { alertId: id, kind: "COMMENTED", alert: shown },
        { alertId: id, kind: "DELETED", alert: null },
      ]);
  });

  it("sends one change for each alert that several marks change, and none for an alert that has them", async () => {
    const ids = [await newAlert(), await newAlert(), await newAlert(siteB)] as [string, string, string];
    await run(gateway, admin, mark([ids[0]], { bookmark: true, acknowledged: true }));
    const live = await subscribe(query);
    for (const _time of [1, 2]) await run(gateway, admin, mark(ids, { bookmark: true, acknowledged: true }));
    await run(gateway, admin, remove(ids[0]));
    await expect.poll(() => changesOf(live).at(-1)).toEqual(["DELETED", ids[0]]);
    expect(changesOf(live).toSorted()).toEqual([
      ["DELETED", ids[0]],
      ...[
        ["MARKED", ids[1]],
        ["MARKED", ids[2]],
      ].toSorted(),
    ]);
  });

  it("sends only changes of a facility's or a camera's alerts, including deleted ones", async () => {
    const lives = [
      await subscribe(query, { facilityId: siteA.facilityId }),
      await subscribe(query, { cameraId: siteB.cameraId }),
    ];
    const [near, far] = [await newAlert(siteA), await newAlert(siteB)];
    await run(gateway, admin, mark([near, far]));
    await run(gateway, admin, remove(near, far));
    const expected = [near, far].map((id) => [
      ["MARKED", id],
      ["DELETED", id],
    ]);
    await expect.poll(() => lives.map(changesOf)).toEqual(expected);
  });

  it("reports a deletion to those who see the alert's facility, and to nobody else", async () => {
    const near = await newUser([], { [siteA.facilityId]: ["alert-rules:write"] });
    const far = await newUser([], { [siteB.facilityId]: ["alerts:read"] });
    const { workspaceId: other } = await prisma.facility.findFirstOrThrow({
      where: { id: otherTenantSite.facilityId },
    });
    const userElsewhere = await createAdmin(prisma, other);
    const lives: LiveSocket[] = [];
    for (const { as } of [near, far, userElsewhere]) lives.push(await subscriber(gateway, as, query));
    const ids = [await newAlert(siteA), await newAlert(siteB)] as [string, string];
    const place = {
      workspaceId: other,
      facilityId: otherTenantSite.facilityId,
      cameraId: otherTenantSite.cameraId,
    };
    // An alert with the same id in another workspace.
    await createAlerts(prisma, [{ ...place, id: ids[0] }]);
    await run(gateway, admin, remove(...ids));
    await run(gateway, userElsewhere, remove(ids[0]));
    await expect
      .poll(() => lives.map(changesOf))
      .toEqual([[["DELETED", ids[0]]], [["DELETED", ids[1]]], [["DELETED", ids[0]]]]);
  });

  it("sends nothing for a write that was rejected", async () => {
    const id = await newAlert();
    const live = await subscribe(query);
    expect(await refusal(gateway, admin, mark([id, unknownId]))).toMatchObject({ code: "NOT_FOUND" });
    expect(await refusal(gateway, admin, remove(id, unknownId))).toMatchObject({ code: "NOT_FOUND" });
    await run(gateway, admin, comment(id));
    await expect.poll(() => changesOf(live)).toEqual([["COMMENTED", id]]);
  });

  it("does not report alerts that are deleted with their camera", async () => {
    const own = await newSite("Removed", workspaceId);
    const alertId = await newAlert(own);
    const live = await subscribe(query);
    await run(gateway, admin, [
      "mutation ($id: UUID!) { deleteCamera(id: $id) { id } }",
      { id: own.cameraId },
    ]);
    await expect.poll(() => prisma.alert.count({ where: { id: alertId } })).toBe(0);
    const id = await newAlert();
    await run(gateway, admin, mark([id]));
    await expect.poll(() => changesOf(live)).toEqual([["MARKED", id]]);
  });
});

describe("cameraStatusChanged", () => {
  const query =
    "subscription ($facilityId: UUID) { cameraStatusChanged(facilityId: $facilityId) { id statusDetail } }";
  const shown = (cameraId: string, statusDetail: string) => ({
    data: { cameraStatusChanged: { id: cameraId, statusDetail } },
  });

  it("sends a camera when its status detail changes, but not when it is set to the same value", async () => {
    const live = await subscribe(query);
    for (const status of ["BLURRED", "BLURRED", "DARK"])
      await run(gateway, admin, setStatus(siteA.cameraId, status));
    await expect
      .poll(() => live.results())
      .toEqual([shown(siteA.cameraId, "BLURRED"), shown(siteA.cameraId, "DARK")]);
  });

  it("sends only those of one facility", async () => {
    const live = await subscribe(query, { facilityId: siteA.facilityId });
    await run(gateway, admin, setStatus(siteB.cameraId, "BLURRED"));
    await run(gateway, admin, setStatus(siteA.cameraId, "OUT_OF_FOCUS"));
    await expect.poll(() => live.results()).toEqual([shown(siteA.cameraId, "OUT_OF_FOCUS")]);
  });

  it("sends a camera when the feed server reports a failure or a recovery", async () => {
    const { requestId } = await prisma.streamRequest.findFirstOrThrow({
      where: { cameraId: siteB.cameraId },
    });
    const live = await subscribe(query, { facilityId: siteB.facilityId });
    for (const reported of [
      'recordStreamError(requestId: $id, input: { operation: "open", error: "refused" })',
      'recordStreamThumbnail(requestId: $id, input: { url: "https://x.example/1.jpg" })',
      'recordStreamThumbnail(requestId: $id, input: { url: "https://x.example/2.jpg" })',
    ])
      await run(gateway, admin, [`mutation ($id: UUID!) { ${reported} { id } }`, { id: requestId }]);
    const shown = { data: { cameraStatusChanged: expect.objectContaining({ id: siteB.cameraId }) } };
    await expect.poll(() => live.results()).toEqual([shown, shown]);
  });
});

it("facilityHeartbeat sends each facility whose device reports", async () => {
  const live = await subscribe("subscription { facilityHeartbeat { id online } }");
  for (const { facilityId } of [siteA, siteB]) await run(gateway, admin, heartbeat(facilityId));
  const shown = [siteA, siteB].map(({ facilityId }) => ({
    data: { facilityHeartbeat: { id: facilityId, online: true } },
  }));
  await expect.poll(() => live.results()).toEqual(shown);
});

it("a facility whose time zone the database knows by another name has its events sent, with the time of its zone", async () => {
  const site = await newSite("Elsewhere", workspaceId);
  const facility = { timeZoneId: "CET", effectiveTimeZoneId: "Europe/Brussels" };
  // Written by SQL, because the gateway refuses such a zone: the database, or its next
  // version, may no longer know every zone.
  await prisma.$executeRawUnsafe(
    'UPDATE "Facility" SET "timeZoneId" = $1 WHERE "id" = $2::uuid',
    facility.timeZoneId,
    site.facilityId,
  );
  const zone = "timeZoneId effectiveTimeZoneId";
  const raised = await subscribe(`subscription { alertRaised { id localCreatedAt facility { ${zone} } } }`);
  const changed = await subscribe(
    `subscription { alertChanged { kind alert { id localCreatedAt facility { ${zone} } } } }`,
  );
  const status = await subscribe(`subscription { cameraStatusChanged { id facility { ${zone} } } }`);
  const alive = await subscribe(`subscription { facilityHeartbeat { id ${zone} } }`);
  const [id] = await raise(site, { createdAt: new Date("2026-07-01T23:30:00.000Z") });
  await run(gateway, admin, [
    "mutation ($id: UUID!) { setAlertBookmark(id: $id, bookmark: true) { id } }",
    { id },
  ]);
  await run(gateway, admin, setStatus(site.cameraId));
  await run(gateway, admin, heartbeat(site.facilityId));
  const alert = { id, localCreatedAt: "2026-07-02T01:30:00.000+02:00", facility };
  for (const [live, data] of [
    [raised, { alertRaised: alert }],
    [changed, { alertChanged: { kind: "MARKED", alert } }],
    [status, { cameraStatusChanged: { id: site.cameraId, facility } }],
    [alive, { facilityHeartbeat: { id: site.facilityId, ...facility } }],
  ] as const)
    await expect.poll(() => live.results()).toEqual([{ data }]);
});

describe("data that a subscriber may not see", () => {
  it("is determined for each event, so that grants and revocations apply immediately", async () => {
    const user = await newUser([], { [siteB.facilityId]: ["alerts:read"] });
    const live = await subscriber(gateway, user.as, heartbeats);
    const change = (kind: string): Call => [
      `mutation ($facilityId: UUID!, $userId: UUID) { ${kind}FacilityAccess(facilityId: $facilityId, actions: ["cameras:read"], userId: $userId) { actions } }`,
      { facilityId: siteA.facilityId, userId: user.id },
    ];
    await run(gateway, admin, heartbeat(siteA.facilityId));
    await run(gateway, admin, change("grant"));
    await run(gateway, admin, heartbeat(siteA.facilityId));
    await expect.poll(() => live.ids()).toEqual([siteA.facilityId]);
    await run(gateway, admin, change("remove"));
    await run(gateway, admin, heartbeat(siteA.facilityId));
    await run(gateway, admin, heartbeat(siteB.facilityId));
    await expect.poll(() => live.ids()).toEqual([siteA.facilityId, siteB.facilityId]);
  });

  it("is not part of visible data: the password in a camera's URL", async () => {
    await prisma.camera.updateMany({
      where: { id: siteA.cameraId },
      data: { url: "rtsp://user:secret@camera.example/" },
    });
    const viewer = await newUser(["cameras:read"]);
    const urls = "subscription { cameraStatusChanged { url } }";
    const clients = [await subscriber(gateway, viewer.as, urls), await subscribe(urls)];
    await run(gateway, admin, setStatus(siteA.cameraId));
    await expect
      .poll(() => clients.map((live) => live.results()))
      .toEqual(
        ["rtsp://user:***@camera.example/", "rtsp://user:secret@camera.example/"].map((url) => [
          { data: { cameraStatusChanged: { url } } },
        ]),
      );
  });

  it("is an error of its field, and the rest is sent", async () => {
    const viewer = await newUser(["facilities:read"]);
    const live = await subscriber(
      gateway,
      viewer.as,
      "subscription { facilityHeartbeat { id access { actions } } }",
    );
    await run(gateway, admin, heartbeat(siteA.facilityId));
    await expect
      .poll(() => live.results())
      .toMatchObject([
        {
          data: { facilityHeartbeat: { id: siteA.facilityId, access: null } },
          errors: [{ path: ["facilityHeartbeat", "access"], extensions: { code: "FORBIDDEN" } }],
        },
      ]);
  });
});

describe("a subscription that cannot be started gets an error, and the socket stays open", () => {
  it.each<[string, string, code?: string]>([
    ["an invalid id", 'subscription { alertRaised(cameraId: "here") { id } }', "GRAPHQL_VALIDATION_FAILED"],
    ["a syntax error", "subscription {", "GRAPHQL_PARSE_FAILED"],
    [
      "two fields",
      "subscription { facilityHeartbeat { id } alertRaised { id } }",
      "GRAPHQL_VALIDATION_FAILED",
    ],
    ["a field that may be skipped", "subscription { facilityHeartbeat @skip(if: true) { id } }"],
    [
      "a field that may be skipped, below fragments that spread others twice",
      `subscription { ...F0 } ${listOf(40, (level) => `fragment F${level} on Subscription { ...F${level + 1} ...F${level + 1} }`).join(" ")}
        fragment F40 on Subscription { facilityHeartbeat @skip(if: true) { id } }`,
    ],
    [
      "a selection over the cost limit",
      "subscription { facilityHeartbeat { cameras { alerts(first: 1000) { nodes { camera { alerts(first: 1000) { nodes { id } } } } } } } }",
    ],
    [
      "a field that is worked out of many rows",
      'subscription { alertRaised { camera { alertHeatmap(filter: { start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z" }) { alerts } } } }',
    ],
    ["a mutation", 'mutation { updateMe(input: { firstName: "A", lastName: "B", jobTitle: "C" }) { id } }'],
  ])("%s", async (_case, query, code = "BAD_REQUEST") => {
    const live = await openSocket(gateway, { as: admin.as });
    live.subscribe(query);
    await expect.poll(() => live.errors()).toContain(code);
    live.send({ type: "ping" });
    await live.received("pong");
  });

  it("with a message that explains the error", async () => {
    const live = await openSocket(gateway, { as: admin.as });
    live.subscribe("{ facilities { id } }");
    await live.received("error");
    expect(live.messages[1]?.payload).toEqual([
      {
        message: "Only subscriptions run over WebSocket: send queries and mutations by POST",
        extensions: { code: "BAD_REQUEST" },
      },
    ]);
  });
});

it("over HTTP, a subscription is rejected with a message that refers to the WebSocket", async () => {
  const { status, errors } = await gateway.graphql(heartbeats, admin);
  expect([status, errors?.[0]?.extensions.code]).toEqual([400, "BAD_REQUEST"]);
  expect(errors?.[0]?.message).toMatch(/graphql-transport-ws/);
});

it("ends only the subscription that is completed", async () => {
  const live = await subscribe(heartbeats);
  live.subscribe("subscription { facilityHeartbeat { name } }", { id: "2" });
  live.send({ type: "complete", id: "1" });
  const name = await sendMarker();
  await expect
    .poll(async () => {
      await run(gateway, admin, heartbeat(siteA.facilityId));
      return live.results("2").length;
    })
    .toBeGreaterThan(0);
  expect(live.results("2")[0]).toEqual({ data: { facilityHeartbeat: { name } } });
  const before = live.results("1").length;
  const seen = live.results("2").length;
  await run(gateway, admin, heartbeat(siteA.facilityId));
  await expect.poll(() => live.results("2").length).toBeGreaterThan(seen);
  expect(live.results("1")).toHaveLength(before);
});

it("runs the subscription selected by operationName", async () => {
  const live = await openSocket(gateway, { as: admin.as });
  live.subscribe("subscription One { alertRaised { id } } subscription Two { facilityHeartbeat { id } }", {
    operationName: "Two",
  });
  await expect
    .poll(async () => {
      await run(gateway, admin, heartbeat(siteA.facilityId));
      return live.results()[0];
    })
    .toEqual({ data: { facilityHeartbeat: { id: siteA.facilityId } } });
});

it("ends all subscriptions of a closed socket, including those with a reused id", async () => {
  const before = await subscriptionsOf(gateway);
  const live = await openSocket(gateway, { as: admin.as });
  for (let time = 0; time < 5; time += 1) {
    live.subscribe(`subscription { facilityHeartbeat { id alias${time}: name } }`);
    live.send({ type: "complete", id: "1" });
  }
  live.subscribe(heartbeats);
  await expect.poll(() => metric(gateway, "gateway_subscriptions_open")).toBeGreaterThan(before);
  live.socket.terminate();
  await expect.poll(() => metric(gateway, "gateway_subscriptions_open")).toBe(before);
});
