// Runs once: both kinds of databases run the same statements.
import { beforeAll, describe, expect, it } from "vitest";
import { type Permission, permissions } from "../../src/access/permissions.js";
import {
  createAlertRule,
  createAlerts,
  createCamera,
  createFacility,
  createWorkspace,
} from "../support/factories.js";
import { type Gateway, sharedGateway } from "../support/harness.js";
import { type Call, createTestUser, refusal, run, type TestUser, unknownId } from "../support/test-user.js";

let gateway: Gateway;
let workspaceId: string;
let facilityId: string;
let cameraId: string;
/** A camera at a facility that only the admin can see. */
let hiddenCameraId: string;
let otherTenantCameraId: string;
let admin: TestUser;
beforeAll(async () => {
  gateway = await sharedGateway();
  const { prisma } = gateway;
  workspaceId = await createWorkspace(prisma, {});
  const newLocation = async (owner: string) => ({
    workspaceId: owner,
    facilityId: await createFacility(prisma, { workspaceId: owner }),
  });
  const near = await newLocation(workspaceId);
  facilityId = near.facilityId;
  cameraId = await createCamera(prisma, near);
  hiddenCameraId = await createCamera(prisma, await newLocation(workspaceId));
  otherTenantCameraId = await createCamera(prisma, await newLocation(await createWorkspace(prisma, {})));
  admin = await createTestUser(prisma, { workspaceId, roles: permissions });
});

interface Rule {
  id: string;
  pretty: string;
  group: { id: string; children: { id: string }[] };
  apiNotification: object | null;
}

const fields = `id cameraId name severity status dayRange timeRange emails phoneNumbers observation evaluated pretty group
  apiNotification { url enabled hasSecret } areas { id name color points { x y } } camera { id }`;
const detection = { type: "PERSON_DETECTION", objects: ["person"] };
const plainGroup = { type: "GROUP", operator: "AND", children: [detection] };
const create = (input: object, of = cameraId): Call => [
  `mutation ($cameraId: UUID!, $input: CreateAlertRuleInput!) { rule: createAlertRule(cameraId: $cameraId, input: $input) { ${fields} } }`,
  {
    cameraId: of,
    input: { name: "STATIC_DELIMITATION_AREA", severity: "MEDIUM", group: plainGroup, ...input },
  },
];
const update = (id: string, input: object): Call => [
  `mutation ($id: UUID!, $input: UpdateAlertRuleInput!) { rule: updateAlertRule(id: $id, input: $input) { ${fields} } }`,
  { id, input },
];
const remove = (id: string): Call => [
  `mutation ($id: UUID!) { rule: deleteAlertRule(id: $id) { ${fields} } }`,
  { id },
];
const rule = async (call: Call, as = admin) => (await run<{ rule: Rule }>(gateway, as, call)).rule;
const shown = async (id: string) => {
  const { camera } = await gateway.data<{ camera: { alertRules: Rule[] } }>(
    `query ($id: UUID!) { camera(id: $id) { alertRules { ${fields} } } }`,
    {
      ...admin,
      variables: { id: cameraId },
    },
  );
  return camera.alertRules.find((each) => each.id === id);
};
const newRule = (of = cameraId) => createAlertRule(gateway.prisma, { cameraId: of });
const secretOf = async (id: string) =>
  (await gateway.prisma.alertRule.findFirstOrThrow({ where: { id } })).notificationSecret;

const complete = {
  name: "QUEUE_LENGTH",
  severity: "HIGH",
  status: "PAUSED",
  dayRange: [1, 2, 5],
  timeRange: ["2026-11-20T08:00:00.000Z", "2026-11-20T18:00:00.000Z"],
  emails: ["guard@test.example"],
  phoneNumbers: ["+905321234567"],
  observation: true,
  evaluated: true,
};

describe("createAlertRule", () => {
  it("creates a rule with every field set and shows it immediately", async () => {
    const created = await rule(
      create({
        ...complete,
        apiNotification: { url: "https://hook.example/1", secret: "hidden-word-of-a-test" },
      }),
    );
    expect(created).toMatchObject({
      ...complete,
      cameraId,
      camera: { id: cameraId },
      apiNotification: { url: "https://hook.example/1", enabled: true, hasSecret: true },
      pretty: "Person detection (person)",
    });
    expect(await shown(created.id)).toEqual(created);
  });

  it("fills in defaults", async () => {
    expect(await rule(create({}))).toMatchObject({
      name: "STATIC_DELIMITATION_AREA",
      severity: "MEDIUM",
      status: "ACTIVE",
      dayRange: [0, 1, 2, 3, 4, 5, 6],
      timeRange: null,
      emails: [],
      phoneNumbers: [],
      observation: false,
      evaluated: false,
      apiNotification: null,
    });
  });

  it("assigns missing node ids, lowercases given ones, and shows the areas", async () => {
    const given = "AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE";
    const points = [0, 1, 2].map((x) => ({ x, y: x * 1.5 }));
    const area = { id: given, type: "AREA", name: "Dock", color: "#ff8800", points };
    const { group, areas } = (await rule(
      create({ group: { ...plainGroup, children: [detection, area] } }),
    )) as Rule & { areas: object[] };
    expect(group).toEqual({
      ...plainGroup,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      children: [
        { ...detection, id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
        { ...area, id: given.toLowerCase() },
      ],
    });
    expect(new Set([group.id, ...group.children.map(({ id }) => id)]).size).toBe(3);
    expect(areas).toEqual([{ id: given.toLowerCase(), name: "Dock", color: "#ff8800", points }]);
  });

  it("sorts and deduplicates days", async () => {
    expect(await rule(create({ dayRange: [6, 0, 6, 3] }))).toMatchObject({ dayRange: [0, 3, 6] });
  });
});

describe("updateAlertRule", () => {
  it("changes only the given fields", async () => {
    const { id, ...before } = await rule(create(complete));
    const changed = await rule(update(id, { severity: "LOW", observation: false, evaluated: false }));
    expect(changed).toEqual({ ...before, id, severity: "LOW", observation: false, evaluated: false });
    expect(await shown(id)).toEqual(changed);
  });

  it("changes every field", async () => {
    const id = await newRule();
    expect(await rule(update(id, { ...complete, group: plainGroup }))).toMatchObject({
      ...complete,
      pretty: "Person detection (person)",
    });
  });

  it("does nothing for an empty input", async () => {
    const before = await rule(create(complete));
    expect(await rule(update(before.id, {}))).toEqual(before);
  });

  it("clears timeRange when set to null", async () => {
    const { id } = await rule(create(complete));
    expect(await rule(update(id, { timeRange: null }))).toMatchObject({
      timeRange: null,
      dayRange: complete.dayRange,
    });
  });

  it("accepts empty lists", async () => {
    const { id } = await rule(create(complete));
    const empty = { emails: [], phoneNumbers: [], dayRange: [] };
    expect(await rule(update(id, empty))).toMatchObject(empty);
  });

  it.each([
    "name",
    "severity",
    "status",
    "dayRange",
    "emails",
    "phoneNumbers",
    "observation",
    "evaluated",
    "group",
  ])("rejects null for %s", async (field) => {
    const id = await newRule();
    const before = await shown(id);
    expect(await refusal(gateway, admin, update(id, { [field]: null }))).toMatchObject({
      code: "BAD_REQUEST",
      paths: [`input.${field}`],
    });
    expect(await shown(id)).toEqual(before);
  });
});

describe("the secret of apiNotification", () => {
  const url = "https://hook.example/1";
  const withSecret = () => rule(create({ apiNotification: { url, secret: "hidden-word-of-a-test" } }));

  it("is stored but never shown", async () => {
    const created = await withSecret();
    expect(await secretOf(created.id)).toBe("hidden-word-of-a-test");
    const { auditLog } = await gateway.data<{ auditLog: object }>(
      "{ auditLog { nodes { changes } } }",
      admin,
    );
    expect(JSON.stringify([created, await shown(created.id), auditLog])).not.toContain(
      "hidden-word-of-a-test",
    );
  });

  it("is kept when omitted", async () => {
    const { id } = await withSecret();
    const apiNotification = { url: "https://hook.example/2", enabled: false };
    expect(await rule(update(id, { apiNotification }))).toMatchObject({
      apiNotification: { ...apiNotification, hasSecret: true },
    });
    expect(await secretOf(id)).toBe("hidden-word-of-a-test");
  });

  it("is kept when other fields change", async () => {
    const { id } = await withSecret();
    await rule(update(id, { severity: "LOW" }));
    expect(await secretOf(id)).toBe("hidden-word-of-a-test");
  });

  it("can be replaced", async () => {
    const { id } = await withSecret();
    await rule(update(id, { apiNotification: { url, secret: "other-word-of-a-test" } }));
    expect(await secretOf(id)).toBe("other-word-of-a-test");
  });

  it("is deleted when apiNotification is set to null", async () => {
    const { id } = await withSecret();
    expect(await rule(update(id, { apiNotification: null }))).toMatchObject({ apiNotification: null });
    expect(await secretOf(id)).toBeNull();
    expect(await rule(update(id, { apiNotification: { url } }))).toMatchObject({
      apiNotification: { url, enabled: true, hasSecret: false },
    });
  });
});

describe("deleteAlertRule", () => {
  it("deletes the rule, returns its last state, and keeps its alerts with their alertRuleId", async () => {
    const created = await rule(create(complete));
    const newLocation = { workspaceId, facilityId, cameraId };
    const [alert] = await createAlerts(gateway.prisma, [
      { ...newLocation, alertRuleId: created.id, severity: "HIGH", observation: true },
    ]);
    expect(await rule(remove(created.id))).toEqual(created);
    expect(await shown(created.id)).toBeUndefined();
    const query =
      "query ($id: UUID!) { alert(id: $id) { id alertRuleId severity observation alertRule { id } } }";
    expect(await gateway.data(query, { ...admin, variables: { id: alert } })).toEqual({
      alert: { id: alert, alertRuleId: created.id, severity: "HIGH", observation: true, alertRule: null },
    });
  });

  it("returns NOT_FOUND for a deleted rule", async () => {
    const id = await newRule();
    await rule(remove(id));
    expect(await refusal(gateway, admin, remove(id))).toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("rejects an invalid field and reports its path:", () => {
  it.each<[string, object, string]>([
    ["a blank name", { name: " " }, "input.name"],
    ["a line feed in the name", { name: "a\nb" }, "input.name"],
    ["a name of 101 characters", { name: "a".repeat(101) }, "input.name"],
    ["an empty severity", { severity: "" }, "input.severity"],
    ["a severity of 51 characters", { severity: "a".repeat(51) }, "input.severity"],
    ["a blank status", { status: " " }, "input.status"],
    ["day 7", { dayRange: [0, 7] }, "input.dayRange.1"],
    ["day -1", { dayRange: [-1] }, "input.dayRange.0"],
    ["8 days", { dayRange: Array(8).fill(0) }, "input.dayRange"],
    ["a timeRange of one timestamp", { timeRange: [complete.timeRange[0]] }, "input.timeRange"],
    [
      "a timeRange of three timestamps",
      { timeRange: Array(3).fill(complete.timeRange[0]) },
      "input.timeRange",
    ],
    ["an invalid email address", { emails: ["guard@test.example", "guard"] }, "input.emails.1"],
    ["51 email addresses", { emails: Array(51).fill("guard@test.example") }, "input.emails"],
    ["a national phone number", { phoneNumbers: ["05321234567"] }, "input.phoneNumbers.0"],
    ["51 phone numbers", { phoneNumbers: Array(51).fill("+905321234567") }, "input.phoneNumbers"],
    [
      "a mailto: notification URL",
      { apiNotification: { url: "mailto:guard@test.example" } },
      "input.apiNotification.url",
    ],
    [
      "a javascript: notification URL",
      { apiNotification: { url: "javascript:alert(1)" } },
      "input.apiNotification.url",
    ],
    [
      "a notification URL of 2049 characters",
      { apiNotification: { url: `https://hook.example/${"a".repeat(2028)}` } },
      "input.apiNotification.url",
    ],
    [
      "an empty secret",
      { apiNotification: { url: "https://hook.example/", secret: "" } },
      "input.apiNotification.secret",
    ],
    [
      "a secret of 501 characters",
      { apiNotification: { url: "https://hook.example/", secret: "a".repeat(501) } },
      "input.apiNotification.secret",
    ],
    ...[
      ["no key after whsec_", "whsec_"],
      ["no Base64 after whsec_", "whsec_!!!"],
      ["other characters in the Base64", "whsec_MDEyMzQ1Njc4OWFi!Y2RlZg=="],
      ["URL-safe Base64", "whsec_-_-_MDEyMzQ1Njc4OWFiY2RlZg=="],
      ["Base64 without its end", "whsec_MDEyMzQ1Njc4OWFiY2RlZg"],
      ["a key of 15 bytes", "whsec_MDEyMzQ1Njc4OWFiY2Rl"],
      ["a text of 15 bytes", "a".repeat(15)],
      ["a leading blank", " whsec_MDEyMzQ1Njc4OWFiY2RlZg=="],
      ["a line break at its end", "whsec_MDEyMzQ1Njc4OWFiY2RlZg==\n"],
      ["a version before whsec_", "v1,whsec_MDEyMzQ1Njc4OWFiY2RlZg=="],
      ["whsec_ in upper case", "WHSEC_MDEyMzQ1Njc4OWFiY2RlZg=="],
      ["whsec and a hyphen", "whsec-MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
      ["whsec and a colon", "whsec:MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
      ["whsec and nothing between", "whsecMfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
      ["whsec in two parts", "wh_sec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
      ["Whsec and a hyphen behind a version", "v1,Whsec-MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
      ["a key for asymmetric signatures", "whsk_MDEyMzQ1Njc4OWFiY2RlZg=="],
      ["letters beyond ASCII", "öffne-dich-bitte-sofort"],
    ].map(([what, secret]): [string, object, string] => [
      `a secret with ${what}`,
      { apiNotification: { url: "https://hook.example/", secret } },
      "input.apiNotification.secret",
    ]),
    [
      "a NUL in the secret",
      { apiNotification: { url: "https://hook.example/", secret: "a\0" } },
      "input.apiNotification.secret",
    ],
  ])("%s", async (_what, input, path) => {
    const id = await newRule();
    const count = await gateway.prisma.alertRule.count();
    for (const call of [create(input), update(id, input)]) {
      expect(await refusal(gateway, admin, call)).toMatchObject({ code: "BAD_REQUEST", paths: [path] });
    }
    expect(await gateway.prisma.alertRule.count()).toBe(count);
  });
});

describe.each<[string, (of: string) => Promise<Call>]>([
  ["createAlertRule", async (of) => create({}, of)],
  ["updateAlertRule", async (of) => update(await newRule(of), { severity: "LOW" })],
  ["deleteAlertRule", async (of) => remove(await newRule(of))],
])("%s", (name, call) => {
  const newUser = (at: Permission[]) =>
    createTestUser(gateway.prisma, { workspaceId, at: { [facilityId]: at } });
  const severities = () =>
    gateway.prisma.alertRule.groupBy({ by: ["severity"], _count: true, orderBy: { severity: "asc" } });

  it("requires alert-rules:write at the camera's facility, and nothing else", async () => {
    await run(gateway, await newUser(["alert-rules:write"]), await call(cameraId));
    const caller = await newUser(permissions.filter((each) => each !== "alert-rules:write"));
    const rejectedCall = await call(cameraId);
    const before = await severities();
    expect(await refusal(gateway, caller, rejectedCall)).toEqual({
      code: "FORBIDDEN",
      message: "This needs the permission alert-rules:write at the facility",
    });
    expect(await severities()).toEqual(before);
  });

  it("treats records the caller cannot see exactly like unknown ones", async () => {
    const caller = await newUser([...permissions]);
    const notFound =
      name === "createAlertRule"
        ? create({}, unknownId)
        : name === "updateAlertRule"
          ? update(unknownId, {})
          : remove(unknownId);
    const error = await refusal(gateway, caller, notFound);
    expect(error).toEqual({ code: "NOT_FOUND", message: "Not found" });
    for (const invisible of [hiddenCameraId, otherTenantCameraId]) {
      const rejectedCall = await call(invisible);
      const before = await severities();
      expect(await refusal(gateway, caller, rejectedCall)).toEqual(error);
      expect(await severities()).toEqual(before);
    }
  });

  it("returns NOT_FOUND for a deleted camera", async () => {
    const removed = await createCamera(gateway.prisma, { workspaceId, facilityId });
    const rejectedCall = await call(removed);
    await gateway.prisma.camera.updateMany({ where: { id: removed }, data: { removedAt: new Date() } });
    expect(await refusal(gateway, admin, rejectedCall)).toMatchObject({ code: "NOT_FOUND" });
  });
});

it("assigns new node ids to every tree", async () => {
  const [first, second] = [await rule(create({})), await rule(create({}))];
  expect(first.group.id).not.toBe(second.group.id);
});
