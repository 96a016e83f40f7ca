// Runs once: both kinds of databases run the same statements.

import fc from "fast-check";
import { createAlertRule, createApiKey, createTestUser, unknownId } from "../support/factories.js";
import { ownGateway, run } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { exactValue, isTaken, jsonDoors, numberText, openRequest } from "./json-doors.js";
import { countDifferences, Recorder, recordAlerts } from "./recorder.js";

const start = new Date();
let clock = start;
const hours = (count: number) => count * 3_600_000;
const gateway = await ownGateway({ now: () => clock });

const recorder = await Recorder.open(gateway);

const fullAlert = () => ({
  ...recorder.alert(),
  alertRuleId: recorder.site.ruleId,
  count: 3,
  url: "https://detector.example/a.jpg",
  thumbnailUrl: "https://detector.example/a-small.jpg",
  imageDimensions: { width: 1280, height: 720 },
  canvasDimensions: { width: 640, height: 360 },
  violatingCoordinates: [{ x: 1.5, y: 2.25 }],
  area: [
    { x: 0, y: 0 },
    { x: 10, y: 0 },
    { x: 10, y: -10 },
  ],
  areaIds: [recorder.site.areaId],
  info: { detector: "yolo", nested: { list: [1, null, "é"] }, nothing: null },
  storageClass: "detector",
});

describe("a recorded alert", () => {
  it("keeps all of its input", async () => {
    const alert = fullAlert();
    expect(await recorder.record([alert])).toEqual({ recorded: 1, alreadyRecorded: 0 });
    expect(await recorder.stored(alert.id)).toMatchObject({
      ...alert,
      createdAt: new Date("2025-11-20T09:30:00.000Z"),
    });
  });

  it("has defaults for omitted fields", async () => {
    const alert = recorder.alert();
    await recorder.record([alert]);
    expect(await recorder.stored(alert.id)).toEqual({
      ...alert,
      createdAt: new Date("2025-11-20T09:30:00.000Z"),
      recordedAt: expect.any(Date),
      workspaceId: recorder.workspaceId,
      facilityId: recorder.site.facilityId,
      alertRuleId: null,
      alertRuleName: null,
      severity: null,
      observation: false,
      count: 1,
      url: null,
      thumbnailUrl: null,
      pictureAt: null,
      pictureAwaitedUntil: null,
      imageDimensions: null,
      canvasDimensions: null,
      violatingCoordinates: null,
      area: null,
      areaIds: [],
      storageClass: "local",
      info: null,
      bookmark: false,
      bookmarkChangedById: null,
      bookmarkChangedAt: null,
      falsePositive: false,
      falsePositiveChangedById: null,
      falsePositiveChangedAt: null,
      acknowledgedById: null,
      acknowledgedAt: null,
    });
  });

  it("has the current severity and observation of its rule", async () => {
    const { cameraId } = recorder.site;
    const alertRuleId = await createAlertRule(gateway.prisma, {
      cameraId,
      severity: "CRITICAL",
      observation: true,
    });
    const alert = recorder.alert({ alertRuleId });
    await recorder.record([alert]);
    await gateway.prisma.alertRule.updateMany({
      where: { id: alertRuleId },
      data: { severity: "LOW", observation: false },
    });
    expect(await recorder.stored(alert.id)).toMatchObject({ severity: "CRITICAL", observation: true });
  });

  it("is recorded with the time of the database, not of the gateway", async () => {
    const [before] = await gateway.prisma.$queryRaw<[{ now: Date }]>`SELECT clock_timestamp() AS "now"`;
    const alert = recorder.alert();
    await recorder.record([alert]);
    const stored = await recorder.stored(alert.id);
    // Times are stored in milliseconds.
    expect(stored?.recordedAt.getTime()).toBeGreaterThanOrEqual(before.now.getTime() - 1);
    expect(Math.abs(Number(stored?.recordedAt) - Number(before.now))).toBeLessThan(60_000);
  });

  it("is returned once, in input order, with the selected fields", async () => {
    const alerts = [recorder.alert({ count: 1 }), recorder.alert({ count: 2 }), recorder.alert({ count: 3 })];
    const mutation = `mutation ($input: [RecordAlertInput!]!) {
      recordAlerts(input: $input) { recorded alerts { id count localCreatedAt camera { id facility { name } } } } }`;
    const result = await run(gateway, recorder.admin, [mutation, { input: [...alerts, alerts[0]] }]);
    const camera = { id: recorder.site.cameraId, facility: { name: "Site" } };
    const shown = alerts.map(({ id, count }) => ({
      id,
      count,
      localCreatedAt: "2025-11-20T12:30:00.000+03:00",
      camera,
    }));
    expect(result).toEqual({ recordAlerts: { recorded: 3, alerts: shown } });
  });

  it("costs as many statements in a batch as alone", async () => {
    const statements = async (count: number) => {
      const input = listOf(count, () => recorder.alert({ alertRuleId: recorder.site.ruleId }));
      gateway.clearStatements();
      await recorder.record(input);
      return gateway.statements.length;
    };
    expect(await statements(50)).toBe(await statements(1));
  });

  it("is counted immediately, and its call writes one audit entry", async () => {
    const { cameraId, facilityId } = await recorder.newSite();
    const input = [recorder.alert({ cameraId }), recorder.alert({ cameraId })];
    await recorder.record(input);
    const { camera } = await gateway.data<{ camera: unknown }>(
      `query ($id: UUID!) { camera(id: $id) { alerts { totalCount } } }`,
      {
        as: recorder.admin.as,
        variables: { id: cameraId },
      },
    );
    expect(camera).toEqual({ alerts: { totalCount: 2 } });
    expect(await gateway.prisma.auditEntry.findMany({ where: { facilityId } })).toMatchObject([
      {
        action: "recordAlerts",
        targetType: "Alert",
        targetId: null,
        changes: { recorded: { from: null, to: 2 }, cameraIds: { from: null, to: [cameraId] } },
      },
    ]);
  });

  it("may be one of a thousand from several facilities", async () => {
    const { cameraId } = await recorder.newSite();
    const input = listOf(1000, (n) =>
      recorder.alert({ cameraId: n % 2 ? cameraId : recorder.site.cameraId }),
    );
    expect(await recorder.record(input)).toEqual({ recorded: 1000, alreadyRecorded: 0 });
    expect(await countDifferences(gateway)).toEqual([]);
  });
});

describe("an alert that is recorded again", () => {
  it("with the same content is unchanged and reported as already recorded", async () => {
    const [one, other] = [fullAlert(), recorder.alert()];
    await recorder.record([one, other]);
    const before = await recorder.stored(one.id);
    const entries = await gateway.prisma.auditEntry.count();
    expect(await recorder.record([one, other])).toEqual({ recorded: 0, alreadyRecorded: 2 });
    expect(await recorder.stored(one.id)).toEqual(before);
    expect(await gateway.prisma.auditEntry.count()).toBe(entries);
  });

  it("is the same however its content is formatted", async () => {
    const alert = fullAlert();
    await recorder.record([alert]);
    const { nothing, nested, detector } = alert.info;
    const written = {
      ...alert,
      id: alert.id.toUpperCase(),
      createdAt: "2025-11-20T12:30:00+03:00",
      info: { nothing, nested, detector },
      imageDimensions: { height: 720.0, width: 1280.0 },
    };
    expect(await recorder.record([written])).toEqual({ recorded: 0, alreadyRecorded: 1 });
  });

  it("keeps its marks, and is the same even if its rule was changed or deleted", async () => {
    const alertRuleId = await createAlertRule(gateway.prisma, { cameraId: recorder.site.cameraId });
    const alert = recorder.alert({ alertRuleId });
    await recorder.record([alert]);
    await run(gateway, recorder.admin, [
      "mutation ($id: UUID!) { setAlertBookmark(id: $id, bookmark: true) { id } }",
      { id: alert.id },
    ]);
    await gateway.prisma.alertRule.deleteMany({ where: { id: alertRuleId } });
    expect(await recorder.record([alert])).toEqual({ recorded: 0, alreadyRecorded: 1 });
    expect(await recorder.stored(alert.id)).toMatchObject({ bookmark: true, severity: "MEDIUM" });
  });

  it("may be recorded again after it was deleted", async () => {
    const alert = recorder.alert();
    await recorder.record([alert]);
    await run(gateway, recorder.admin, [
      "mutation ($ids: [UUID!]!) { deleteAlerts(ids: $ids) { deletedIds } }",
      { ids: [alert.id] },
    ]);
    expect(await recorder.record([{ ...alert, count: 2 }])).toEqual({ recorded: 1, alreadyRecorded: 0 });
  });

  const others: [what: string, values: () => Record<string, unknown> | Promise<Record<string, unknown>>][] = [
    ["camera", async () => ({ cameraId: (await recorder.newSite()).cameraId, alertRuleId: null })],
    ["rule", () => ({ alertRuleId: null })],
    ["createdAt", () => ({ createdAt: "2025-11-20T09:30:00.001Z" })],
    ["violatingCoordinates", () => ({ violatingCoordinates: [] })],
    ["areaIds", () => ({ areaIds: [] })],
    ["info", () => ({ info: { detector: "yolo" } })],
    ["upload", () => ({ url: null, thumbnailUrl: null, uploadId: unknownId })],
  ];

  it.each(others)(
    "with a different %s is a CONFLICT, and nothing of its call is recorded",
    async (_what, values) => {
      const alert = fullAlert();
      await recorder.record([alert]);
      const before = await recorder.stored(alert.id);
      const others = await recorder.count();
      expect(await recorder.refused([recorder.alert(), { ...alert, ...(await values()) }])).toMatchObject({
        code: "CONFLICT",
      });
      expect(await recorder.stored(alert.id)).toEqual(before);
      expect(await recorder.count()).toBe(others);
    },
  );
});

describe("a number in free JSON", () => {
  it.each(Object.entries(jsonDoors))(
    "is kept as the nearest double, or refused as too large an integer, if it comes by %s",
    async (_name, door) => {
      const lists = fc.array(numberText, { minLength: 1, maxLength: 8 });
      const check = async (numbers: string[]) => {
        const object = `{"noNumber":"1e400, \\"9007199254740993","list":[${numbers.join(" ,")}]}`;
        const refused = numbers.findIndex((number) => !isTaken(number));
        const { stored, ...outcome } = await door.send(recorder, object);
        if (refused >= 0) {
          const path = door.namesNumber ? `${door.path}.list.${refused}` : door.path;
          expect({ ...outcome, stored }).toEqual({ code: door.code, paths: [path], stored: undefined });
        } else {
          const [, list = ""] = /"list": \[(.*)\]/.exec(stored as string) ?? [];
          expect(outcome.code).toBe("OK");
          expect(list.split(", ").map(exactValue)).toEqual(
            numbers.map((number) => exactValue(JSON.stringify(Number(number)))),
          );
        }
      };
      const examples: [string[]][] = [
        [["1", "9007199254740993"]],
        [["1e400"]],
        [["-0", "1E2", "0.1234567890123456789", "2e-400", "9007199254740991"]],
        [["-0", "1E2", "1e22"]],
      ];
      await fc.assert(fc.asyncProperty(lists, check), { numRuns: 25, examples });
    },
  );

  const sendFloat = async (fields: string, x: string) => {
    const { id, cameraId, name, createdAt } = recorder.alert();
    const alert = `id: "${id}", cameraId: "${cameraId}", name: "${name}", createdAt: "${createdAt}"`;
    const query = `mutation ($x: Float!) { recordAlerts(input: [{ ${alert}, ${fields} }]) { recorded } }`;
    const body = `{"query":${JSON.stringify(query)},"variables":{"x":${x}}}`;
    const headers = { "content-type": "application/json" };
    const response = await gateway.fetch("/graphql", {
      method: "POST",
      as: recorder.admin.as,
      headers,
      body,
    });
    return { answer: await response.json(), stored: await recorder.stored(id) };
  };

  it("is the nearest one where a Float is declared, in a variable or a literal", async () => {
    const fields = "violatingCoordinates: [{ x: $x, y: 0.1234567890123456789 }]";
    const { answer, stored } = await sendFloat(fields, "0.1234567890123456789");
    expect(answer).toEqual({ data: { recordAlerts: { recorded: 1 } } });
    expect(stored).toMatchObject({
      violatingCoordinates: [{ x: 0.12345678901234568, y: 0.12345678901234568 }],
    });
  });

  it("is refused if it comes by a Float inside of a literal", async () => {
    const { answer, stored } = await sendFloat("info: { list: [{ x: $x }] }", "9007199254740993");
    expect(answer).toMatchObject({
      errors: [{ extensions: { code: "BAD_REQUEST", details: [{ path: "input" }] } }],
    });
    expect(stored).toBeNull();
    expect((await sendFloat("info: { list: [{ x: $x }] }", "0.30000000000000004")).stored).toMatchObject({
      info: { list: [{ x: 0.30000000000000004 }] },
    });
  });

  it("is refused in the tree of a rule, with its path", async () => {
    const tree = (x: string) =>
      `{"type":"GROUP","operator":"AND","children":[{"type":"AREA","name":"Dock","points":[{"x":0,"y":0},{"x":${x},"y":0},{"x":1,"y":1}]}]}`;
    const send = async (mutation: string, input: string) => {
      const { cameraId, ruleId } = recorder.site;
      const body = `{"query":"${mutation}","variables":{"id":"${mutation.includes("create") ? cameraId : ruleId}","input":${input}}}`;
      const response = await gateway.fetch("/graphql", {
        method: "POST",
        as: recorder.admin.as,
        headers: { "content-type": "application/json" },
        body,
      });
      return ((await response.json()) as { errors?: { extensions: { details: unknown } }[] }).errors?.[0]
        ?.extensions.details;
    };
    const create =
      "mutation ($id: UUID!, $input: CreateAlertRuleInput!) { createAlertRule(cameraId: $id, input: $input) { id } }";
    const update =
      "mutation ($id: UUID!, $input: UpdateAlertRuleInput!) { updateAlertRule(id: $id, input: $input) { id } }";
    const inputs = (x: string) => [
      [create, `{"name":"DOCK","severity":"LOW","group":${tree(x)}}`] as const,
      [update, `{"group":${tree(x)}}`] as const,
    ];
    for (const [mutation, input] of inputs("9007199254740993"))
      expect(await send(mutation, input)).toMatchObject([{ path: "input.group" }]);
    for (const [mutation, input] of inputs("640.25")) expect(await send(mutation, input)).toBeUndefined();
  });

  it("is refused as a long integer by both APIs for the feed server's report, if JavaScript rounds it", async () => {
    const requestId = await openRequest(recorder);
    const report = async (path: string, body: string) => {
      const response = await gateway.fetch(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      return response.json();
    };
    const mutation =
      "mutation ($requestId: UUID!, $input: StreamMetadataInput!) { recordStreamMetadata(requestId: $requestId, input: $input) { id } }";
    const input = '"width":"1280","height":"720"';
    for (const duration of ["9007199254740993", "1e400"]) {
      expect(
        await report(`/cameras/metadata/${requestId}`, `{${input},"duration_ts":${duration}}`),
      ).toMatchObject({
        code: "BAD_REQUEST",
        details: [{ path: "body.duration_ts" }],
      });
      const variables = `{"requestId":"${requestId}","input":{${input},"durationTs":${duration}}}`;
      expect(await report("/graphql", `{"query":"${mutation}","variables":${variables}}`)).toMatchObject({
        errors: [{ extensions: { code: "BAD_REQUEST", details: [{ path: "input.durationTs" }] } }],
      });
    }
    expect(
      await report(`/cameras/metadata/${requestId}`, `{${input},"duration_ts":9E2,"unknown":1e400}`),
    ).toMatchObject({ status: "ok" });
  });
});

describe("a batch of alerts is rejected", () => {
  const invalidAlerts: [
    what: string,
    values: () => Record<string, unknown> | Promise<Record<string, unknown>>,
    path: string,
  ][] = [
    ["no camera", () => ({ cameraId: undefined }), "cameraId"],
    ["a time without a zone", () => ({ createdAt: "2025-11-20T09:30:00" }), "createdAt"],
    [
      "a time more than 24 hours ahead",
      () => ({ createdAt: new Date(start.getTime() + hours(24) + 1) }),
      "createdAt",
    ],
    ["a count beyond 32 bits", () => ({ count: 2 ** 31 }), "count"],
    ["an info with a lone surrogate", () => ({ info: { deep: ["\ud800"] } }), "info.deep.0"],
    ["an unknown field", () => ({ severity: "HIGH" }), "severity"],
    [
      "a rule of another camera",
      async () => ({ alertRuleId: (await recorder.newSite()).ruleId }),
      "alertRuleId",
    ],
  ];

  it.each(invalidAlerts)("if one has %s", async (_what, values, path) => {
    const before = await recorder.count();
    const refused = await recorder.refused([recorder.alert(), recorder.alert(await values())]);
    expect(refused).toMatchObject({ code: "BAD_REQUEST", paths: [`input.1.${path}`] });
    expect(await recorder.count()).toBe(before);
  });

  it("with the path of each issue that only the database can detect", async () => {
    const input = [
      recorder.alert({ alertRuleId: unknownId }),
      recorder.alert(),
      recorder.alert({ alertRuleId: unknownId, uploadId: unknownId }),
    ];
    expect((await recorder.refused(input)).paths?.toSorted()).toEqual([
      "input.0.alertRuleId",
      "input.2.alertRuleId",
      "input.2.uploadId",
    ]);
  });

  it("but not if a time is exactly 24 hours ahead by the gateway's clock", async () => {
    const { workspaceId } = recorder;
    // Tokens would have expired.
    const key = await createApiKey(gateway.prisma, { workspaceId, permissions: ["alerts:write"] });
    clock = new Date(start.getTime() + hours(1000));
    try {
      const input = [recorder.alert({ createdAt: new Date(clock.getTime() + hours(24)) })];
      expect(await run(gateway, { as: key }, [recordAlerts, { input }])).toMatchObject({
        recordAlerts: { recorded: 1 },
      });
    } finally {
      clock = start;
    }
  });
});

describe("recordAlerts", () => {
  it("inserts nothing for a user with visible cameras but no permission to record for some, until the batch's cameras are known", async () => {
    const { workspaceId, site } = recorder;
    const other = await recorder.newSite();
    const both = await createTestUser(gateway.prisma, {
      workspaceId,
      at: { [site.facilityId]: ["alerts:write"], [other.facilityId]: ["alerts:read"] },
    });
    gateway.clearStatements();
    expect(await recorder.refused([recorder.alert({ cameraId: other.cameraId })], both)).toMatchObject({
      code: "FORBIDDEN",
    });
    expect(gateway.statements.filter((sql) => sql.includes("INSERT"))).toEqual([]);
    const batch = [recorder.alert(), recorder.alert({ cameraId: other.cameraId })];
    expect(await recorder.refused(batch, both)).toMatchObject({ code: "FORBIDDEN" });
    expect(await recorder.record([recorder.alert()], both)).toMatchObject({ recorded: 1 });
  });

  it("records nothing if it cannot be entered in the audit log", async () => {
    const { prisma } = gateway;
    await prisma.$executeRaw`ALTER TABLE "AuditEntry" ADD CONSTRAINT "refused" CHECK ("action" <> 'recordAlerts') NOT VALID`;
    const alert = recorder.alert();
    try {
      expect(await recorder.refused([alert])).toMatchObject({ code: "INTERNAL" });
    } finally {
      await prisma.$executeRaw`ALTER TABLE "AuditEntry" DROP CONSTRAINT "refused"`;
    }
    expect(await recorder.stored(alert.id)).toBeNull();
    expect(await recorder.record([alert])).toEqual({ recorded: 1, alreadyRecorded: 0 });
  });
});
