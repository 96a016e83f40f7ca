import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Permission, permissions } from "../../src/access/permissions.js";
import { createAlertRule, createAlerts, createCamera, createFacility, createWorkspace } from "../support/factories.js";
import { type Gateway, startGateway } from "../support/harness.js";
import { type Call, newWriter, refusal, run, unknownId, type Writer } from "./writer.js";

let gateway: Gateway;
let workspaceId: string;
let facilityId: string;
let cameraId: string;
/** A camera of a facility that only the admin sees. */
let farCameraId: string;
let foreignCameraId: string;
let admin: Writer;
beforeAll(async () => {
  gateway = await startGateway({ seed: "none" });
  const { prisma } = gateway;
  workspaceId = await createWorkspace(prisma, {});
  const place = async (owner: string) => ({ workspaceId: owner, facilityId: await createFacility(prisma, { workspaceId: owner }) });
  const near = await place(workspaceId);
  facilityId = near.facilityId;
  cameraId = await createCamera(prisma, near);
  farCameraId = await createCamera(prisma, await place(workspaceId));
  foreignCameraId = await createCamera(prisma, await place(await createWorkspace(prisma, {})));
  admin = await newWriter(prisma, { workspaceId, roles: permissions });
});
afterAll(() => gateway.close());

interface Rule {
  id: string;
  pretty: string;
  group: { id: string; children: { id: string }[] };
  apiNotification: object | null;
}

const fields = `id cameraId name severity status dayRange timeRange emails phoneNumbers observation pretty group
  apiNotification { url enabled hasSecret } areas { id name color points { x y } } camera { id }`;
const detection = { type: "PERSON_DETECTION", objects: ["person"] };
const plainGroup = { type: "GROUP", operator: "AND", children: [detection] };
const create = (input: object, of = cameraId): Call => [
  `mutation ($cameraId: UUID!, $input: CreateAlertRuleInput!) { rule: createAlertRule(cameraId: $cameraId, input: $input) { ${fields} } }`,
  { cameraId: of, input: { name: "STATIC_DELIMITATION_AREA", severity: "MEDIUM", group: plainGroup, ...input } },
];
const update = (id: string, input: object): Call => [
  `mutation ($id: UUID!, $input: UpdateAlertRuleInput!) { rule: updateAlertRule(id: $id, input: $input) { ${fields} } }`,
  { id, input },
];
const remove = (id: string): Call => [`mutation ($id: UUID!) { rule: deleteAlertRule(id: $id) { ${fields} } }`, { id }];
const rule = async (call: Call, as = admin) => (await run<{ rule: Rule }>(gateway, as, call)).rule;
const shown = async (id: string) => {
  const { camera } = await gateway.data<{ camera: { alertRules: Rule[] } }>(`query ($id: UUID!) { camera(id: $id) { alertRules { ${fields} } } }`, {
    ...admin,
    variables: { id: cameraId },
  });
  return camera.alertRules.find((each) => each.id === id);
};
const newRule = (of = cameraId) => createAlertRule(gateway.prisma, { cameraId: of });
const secretOf = async (id: string) => (await gateway.prisma.alertRule.findUniqueOrThrow({ where: { id } })).notificationSecret;

const complete = {
  name: "QUEUE_LENGTH",
  severity: "HIGH",
  status: "PAUSED",
  dayRange: [1, 2, 5],
  timeRange: ["2026-11-20T08:00:00.000Z", "2026-11-20T18:00:00.000Z"],
  emails: ["guard@test.example"],
  phoneNumbers: ["+905321234567"],
  observation: true,
};

describe("createAlertRule", () => {
  it("adds a rule with all that is given, and shows it at once", async () => {
    const created = await rule(create({ ...complete, apiNotification: { url: "https://hook.example/1", secret: "hidden" } }));
    expect(created).toMatchObject({
      ...complete,
      cameraId,
      camera: { id: cameraId },
      apiNotification: { url: "https://hook.example/1", enabled: true, hasSecret: true },
      pretty: "Person detection (person)",
    });
    expect(await shown(created.id)).toEqual(created);
  });

  it("fills in what is not given", async () => {
    expect(await rule(create({}))).toMatchObject({
      name: "STATIC_DELIMITATION_AREA",
      severity: "MEDIUM",
      status: "ACTIVE",
      dayRange: [0, 1, 2, 3, 4, 5, 6],
      timeRange: null,
      emails: [],
      phoneNumbers: [],
      observation: false,
      apiNotification: null,
    });
  });

  it("gives an id to each node that has none, keeps the ids that are given in lower case, and shows the areas", async () => {
    const given = "AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE";
    const points = [0, 1, 2].map((x) => ({ x, y: x * 1.5 }));
    const area = { id: given, type: "AREA", name: "Dock", color: "#ff8800", points };
    const { group, areas } = (await rule(create({ group: { ...plainGroup, children: [detection, area] } }))) as Rule & { areas: object[] };
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

  it("keeps each day once, in order", async () => {
    expect(await rule(create({ dayRange: [6, 0, 6, 3] }))).toMatchObject({ dayRange: [0, 3, 6] });
  });
});

describe("updateAlertRule", () => {
  it("changes what is given and leaves the rest", async () => {
    const { id, ...before } = await rule(create(complete));
    const changed = await rule(update(id, { severity: "LOW", observation: false }));
    expect(changed).toEqual({ ...before, id, severity: "LOW", observation: false });
    expect(await shown(id)).toEqual(changed);
  });

  it("changes everything", async () => {
    const id = await newRule();
    expect(await rule(update(id, { ...complete, group: plainGroup }))).toMatchObject({ ...complete, pretty: "Person detection (person)" });
  });

  it("changes nothing with an empty input", async () => {
    const before = await rule(create(complete));
    expect(await rule(update(before.id, {}))).toEqual(before);
  });

  it("clears timeRange with null", async () => {
    const { id } = await rule(create(complete));
    expect(await rule(update(id, { timeRange: null }))).toMatchObject({ timeRange: null, dayRange: complete.dayRange });
  });

  it("empties lists with empty ones", async () => {
    const { id } = await rule(create(complete));
    const empty = { emails: [], phoneNumbers: [], dayRange: [] };
    expect(await rule(update(id, empty))).toMatchObject(empty);
  });

  it.each(["name", "severity", "status", "dayRange", "emails", "phoneNumbers", "observation", "group"])("refuses null as %s", async (field) => {
    const id = await newRule();
    const before = await shown(id);
    expect(await refusal(gateway, admin, update(id, { [field]: null }))).toMatchObject({ code: "BAD_REQUEST", paths: [`input.${field}`] });
    expect(await shown(id)).toEqual(before);
  });
});

describe("the secret of an apiNotification", () => {
  const url = "https://hook.example/1";
  const withSecret = () => rule(create({ apiNotification: { url, secret: "hidden-word" } }));

  it("is stored and never shown", async () => {
    const created = await withSecret();
    expect(await secretOf(created.id)).toBe("hidden-word");
    const { auditLog } = await gateway.data<{ auditLog: object }>("{ auditLog { nodes { changes } } }", admin);
    expect(JSON.stringify([created, await shown(created.id), auditLog])).not.toContain("hidden-word");
  });

  it("is kept when none is given", async () => {
    const { id } = await withSecret();
    const apiNotification = { url: "https://hook.example/2", enabled: false };
    expect(await rule(update(id, { apiNotification }))).toMatchObject({ apiNotification: { ...apiNotification, hasSecret: true } });
    expect(await secretOf(id)).toBe("hidden-word");
  });

  it("is kept when other things change", async () => {
    const { id } = await withSecret();
    await rule(update(id, { severity: "LOW" }));
    expect(await secretOf(id)).toBe("hidden-word");
  });

  it("is replaced by another", async () => {
    const { id } = await withSecret();
    await rule(update(id, { apiNotification: { url, secret: "other-word" } }));
    expect(await secretOf(id)).toBe("other-word");
  });

  it("goes with the apiNotification that is cleared with null", async () => {
    const { id } = await withSecret();
    expect(await rule(update(id, { apiNotification: null }))).toMatchObject({ apiNotification: null });
    expect(await secretOf(id)).toBeNull();
    expect(await rule(update(id, { apiNotification: { url } }))).toMatchObject({ apiNotification: { url, enabled: true, hasSecret: false } });
  });
});

describe("deleteAlertRule", () => {
  it("takes the rule away, answers it as it was, and keeps its alerts with their alertRuleId", async () => {
    const created = await rule(create(complete));
    const place = { workspaceId, facilityId, cameraId };
    const [alert] = await createAlerts(gateway.prisma, [{ ...place, alertRuleId: created.id, severity: "HIGH", observation: true }]);
    expect(await rule(remove(created.id))).toEqual(created);
    expect(await shown(created.id)).toBeUndefined();
    const query = "query ($id: UUID!) { alert(id: $id) { id alertRuleId severity observation alertRule { id } } }";
    expect(await gateway.data(query, { ...admin, variables: { id: alert } })).toEqual({
      alert: { id: alert, alertRuleId: created.id, severity: "HIGH", observation: true, alertRule: null },
    });
  });

  it("finds no rule that was deleted before", async () => {
    const id = await newRule();
    await rule(remove(id));
    expect(await refusal(gateway, admin, remove(id))).toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("a faulty field is refused with its path:", () => {
  it.each<[string, object, string]>([
    ["a blank name", { name: " " }, "input.name"],
    ["a line feed in the name", { name: "a\nb" }, "input.name"],
    ["a name of 101 characters", { name: "a".repeat(101) }, "input.name"],
    ["an empty severity", { severity: "" }, "input.severity"],
    ["a severity of 51 characters", { severity: "a".repeat(51) }, "input.severity"],
    ["a blank status", { status: " " }, "input.status"],
    ["the day 7", { dayRange: [0, 7] }, "input.dayRange.1"],
    ["the day -1", { dayRange: [-1] }, "input.dayRange.0"],
    ["8 days", { dayRange: Array(8).fill(0) }, "input.dayRange"],
    ["one moment as timeRange", { timeRange: [complete.timeRange[0]] }, "input.timeRange"],
    ["three moments as timeRange", { timeRange: Array(3).fill(complete.timeRange[0]) }, "input.timeRange"],
    ["an e-mail address that is none", { emails: ["guard@test.example", "guard"] }, "input.emails.1"],
    ["51 e-mail addresses", { emails: Array(51).fill("guard@test.example") }, "input.emails"],
    ["a national telephone number", { phoneNumbers: ["05321234567"] }, "input.phoneNumbers.0"],
    ["51 telephone numbers", { phoneNumbers: Array(51).fill("+905321234567") }, "input.phoneNumbers"],
    ["a notification by mail", { apiNotification: { url: "mailto:guard@test.example" } }, "input.apiNotification.url"],
    ["a notification to javascript:", { apiNotification: { url: "javascript:alert(1)" } }, "input.apiNotification.url"],
    ["a notification URL of 2049 characters", { apiNotification: { url: `https://hook.example/${"a".repeat(2028)}` } }, "input.apiNotification.url"],
    ["an empty secret", { apiNotification: { url: "https://hook.example/", secret: "" } }, "input.apiNotification.secret"],
    ["a secret of 501 characters", { apiNotification: { url: "https://hook.example/", secret: "a".repeat(501) } }, "input.apiNotification.secret"],
    ["a NUL in the secret", { apiNotification: { url: "https://hook.example/", secret: "a\0" } }, "input.apiNotification.secret"],
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
  const newUser = (at: Permission[]) => newWriter(gateway.prisma, { workspaceId, at: { [facilityId]: at } });
  const severities = () => gateway.prisma.alertRule.groupBy({ by: ["severity"], _count: true, orderBy: { severity: "asc" } });

  it("needs alert-rules:write at the camera's facility, and that is enough", async () => {
    await run(gateway, await newUser(["alert-rules:write"]), await call(cameraId));
    const caller = await newUser(permissions.filter((each) => each !== "alert-rules:write"));
    const refused = await call(cameraId);
    const before = await severities();
    expect(await refusal(gateway, caller, refused)).toEqual({
      code: "FORBIDDEN",
      message: "This needs the permission alert-rules:write at the facility",
    });
    expect(await severities()).toEqual(before);
  });

  it("answers for what the caller does not see exactly as for what never was", async () => {
    const caller = await newUser([...permissions]);
    const never = name === "createAlertRule" ? create({}, unknownId) : name === "updateAlertRule" ? update(unknownId, {}) : remove(unknownId);
    const answer = await refusal(gateway, caller, never);
    expect(answer).toEqual({ code: "NOT_FOUND", message: "Not found" });
    for (const unseen of [farCameraId, foreignCameraId]) {
      const refused = await call(unseen);
      const before = await severities();
      expect(await refusal(gateway, caller, refused)).toEqual(answer);
      expect(await severities()).toEqual(before);
    }
  });

  it("finds no camera that was deleted", async () => {
    const removed = await createCamera(gateway.prisma, { workspaceId, facilityId });
    const refused = await call(removed);
    await gateway.prisma.camera.update({ where: { id: removed }, data: { removedAt: new Date() } });
    expect(await refusal(gateway, admin, refused)).toMatchObject({ code: "NOT_FOUND" });
  });
});

it("gives new ids to the nodes of every tree", async () => {
  const [first, second] = [await rule(create({})), await rule(create({}))];
  expect(first.group.id).not.toBe(second.group.id);
});
