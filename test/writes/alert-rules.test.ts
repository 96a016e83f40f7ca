// Runs once: both kinds of databases run the same statements.
import {
  createAdmin,
  createAlertRule,
  createAlerts,
  createPlace,
  createTestUser,
} from "../support/factories.js";
import { type Call, refusal, run, sharedGateway } from "../support/harness.js";

const gateway = await sharedGateway();
const { prisma } = gateway;
const { workspaceId, facilityId, cameraId } = await createPlace(prisma);
const admin = await createAdmin(prisma, workspaceId);

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
const newRule = (of = cameraId) => createAlertRule(prisma, { cameraId: of });
const secretOf = async (id: string) =>
  (await prisma.alertRule.findFirstOrThrow({ where: { id } })).notificationSecret;

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
      pretty: "Person detection (people)",
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
      pretty: "Person detection (people)",
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
});

describe("the secret of apiNotification", () => {
  const url = "https://hook.example/1";
  const withSecret = () => rule(create({ apiNotification: { url, secret: "hidden-word-of-a-test" } }));

  it("is kept when omitted", async () => {
    const { id } = await withSecret();
    const apiNotification = { url: "https://hook.example/2", enabled: false };
    expect(await rule(update(id, { apiNotification }))).toMatchObject({
      apiNotification: { ...apiNotification, hasSecret: true },
    });
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
    const [alert] = await createAlerts(prisma, [
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

  it("can be taken back for 30 days by restoreAlertRule, with areas and secret", async () => {
    const created = await rule(create(complete));
    const secret = await secretOf(created.id);
    const restore: Call = [
      `mutation ($id: UUID!) { rule: restoreAlertRule(id: $id) { ${fields} } }`,
      { id: created.id },
    ];
    await rule(remove(created.id));
    expect(await rule(restore)).toEqual(created);
    expect(await secretOf(created.id)).toBe(secret);
    expect(await refusal(gateway, admin, restore)).toMatchObject({ code: "NOT_FOUND" });
    await rule(remove(created.id));
    const reader = await createTestUser(prisma, { workspaceId, roles: ["cameras:read"] });
    expect(await refusal(gateway, reader, restore)).toMatchObject({ code: "FORBIDDEN" });
    await prisma.removedAlertRule.updateMany({
      where: { id: created.id },
      data: { removedAt: new Date(Date.now() - 30 * 86_400_000) },
    });
    expect(await refusal(gateway, admin, restore)).toMatchObject({ code: "NOT_FOUND" });
  });
});
