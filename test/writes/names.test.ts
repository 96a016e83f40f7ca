// Runs once: both kinds of databases run the same statements.
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { permissions } from "../../src/access/permissions.js";
import { name, printableText } from "../../src/platform/text-rules.js";
import { createCamera, createFacility, createWorkspace } from "../support/factories.js";
import { type Gateway, sharedGateway } from "../support/harness.js";
import { type Call, createTestUser, refusal, run, type TestUser } from "../support/test-user.js";

let gateway: Gateway;
let admin: TestUser;
let workspaceId: string;
let ids: { facilityId: string; cameraId: string };
beforeAll(async () => {
  gateway = await sharedGateway();
  const { prisma } = gateway;
  workspaceId = await createWorkspace(prisma, {});
  const facilityId = await createFacility(prisma, { workspaceId });
  ids = { facilityId, cameraId: await createCamera(prisma, { workspaceId, facilityId }) };
  admin = await createTestUser(prisma, { workspaceId, roles: permissions });
});

interface NamedInput {
  /** The mutation with this name. Returns the object as `named`. */
  call: (text: string) => Call;
  /** The path of the name in the arguments. */
  path: string;
  named?: (answer: { it: never }) => string;
}

const rule = (input: object): Call => [
  `mutation ($cameraId: UUID!, $input: CreateAlertRuleInput!) { it: createAlertRule(cameraId: $cameraId, input: $input) { name severity status areas { name } group } }`,
  { cameraId: ids.cameraId, input: { name: "RULE", severity: "LOW", group: group({}), ...input } },
];
const group = (children: { area?: string; object?: string; itself?: string }) => ({
  type: "GROUP",
  operator: "AND",
  ...(children.itself !== undefined && { name: children.itself }),
  children: [
    { type: "AREA", name: children.area ?? "Area", points: [0, 1, 2].map((at) => ({ x: at, y: at * at })) },
    { type: "PERSON", objects: [children.object ?? "person"] },
  ],
});
const inputs: Record<string, NamedInput> = {
  "a facility": {
    call: (text) => [
      "mutation ($input: CreateFacilityInput!) { it: createFacility(input: $input) { name } }",
      { input: { name: text, timeZoneId: "UTC" } },
    ],
    path: "input.name",
  },
  "a facility that is renamed": {
    call: (text) => [
      "mutation ($id: UUID!, $name: String!) { it: renameFacility(id: $id, name: $name) { name } }",
      { id: ids.facilityId, name: text },
    ],
    path: "name",
  },
  "a facility that is changed": {
    call: (text) => [
      "mutation ($id: UUID!, $name: String!) { it: updateFacility(id: $id, input: { name: $name }) { name } }",
      { id: ids.facilityId, name: text },
    ],
    path: "input.name",
  },
  "a workspace": {
    call: (text) => [
      "mutation ($name: String!) { it: updateWorkspace(input: { name: $name }) { name } }",
      { name: text },
    ],
    path: "input.name",
  },
  "a camera": {
    call: (text) => [
      "mutation ($id: UUID!, $input: CreateCameraInput!) { it: createCamera(facilityId: $id, input: $input) { camera { name } } }",
      { id: ids.facilityId, input: { name: text, url: "rtsp://camera.example/1", streamType: "DIRECT" } },
    ],
    path: "input.name",
    named: ({ it }: { it: { camera: { name: string } } }) => it.camera.name,
  },
  "a camera that is changed": {
    call: (text) => [
      "mutation ($id: UUID!, $input: UpdateCameraInput!) { it: updateCamera(id: $id, input: $input) { name } }",
      { id: ids.cameraId, input: { name: text } },
    ],
    path: "input.name",
  },
  "a camera's state": {
    call: (text) => [
      "mutation ($id: UUID!, $input: StatusDetailInput!) { it: setCameraStatusDetail(id: $id, input: $input) { statusDetail } }",
      { id: ids.cameraId, input: { statusDetail: text, source: "TRACKER" } },
    ],
    path: "input.statusDetail",
    named: ({ it }: { it: { statusDetail: string } }) => it.statusDetail,
  },
  "a rule": { call: (text) => rule({ name: text }), path: "input.name" },
  "a rule's severity": {
    call: (text) => rule({ severity: text }),
    path: "input.severity",
    named: ({ it }: { it: { severity: string } }) => it.severity,
  },
  "an area": {
    call: (text) => rule({ group: group({ area: text }) }),
    path: "input.group.children.0.name",
    named: ({ it }: { it: { areas: { name: string }[] } }) => it.areas[0]?.name as string,
  },
  "a group of conditions": {
    call: (text) => rule({ group: group({ itself: text }) }),
    path: "input.group.name",
    named: ({ it }: { it: { group: { name: string } } }) => it.group.name,
  },
  "what is detected": {
    call: (text) => rule({ group: group({ object: text }) }),
    path: "input.group.children.1.objects.0",
    named: ({ it }: { it: { group: { children: { objects: string[] }[] } } }) =>
      it.group.children[1]?.objects[0] as string,
  },
  "an alert": {
    call: (text) => [
      "mutation ($input: [RecordAlertInput!]!) { it: recordAlerts(input: $input) { alerts { name } } }",
      {
        input: [{ id: randomUUID(), cameraId: ids.cameraId, name: text, createdAt: "2026-11-20T12:00:00Z" }],
      },
    ],
    path: "input.0.name",
    named: ({ it }: { it: { alerts: { name: string }[] } }) => it.alerts[0]?.name as string,
  },
  "a key": {
    call: (text) => [
      "mutation ($input: CreateApiKeyInput!) { it: createApiKey(input: $input) { apiKey { name } } }",
      { input: { name: text, permissions: ["alerts:read"] } },
    ],
    path: "input.name",
    named: ({ it }: { it: { apiKey: { name: string } } }) => it.apiKey.name,
  },
  "a user": {
    call: (text) => [
      "mutation ($input: CreateUserInput!) { it: createUser(input: $input) { name: firstName } }",
      { input: { authId: randomUUID(), email: "ada@test.example", firstName: text, roles: [] } },
    ],
    path: "input.firstName",
  },
  "a user who changes it": {
    call: (text) => [
      "mutation ($input: UpdateMeInput!) { it: updateMe(input: $input) { name: lastName } }",
      { input: { firstName: "Ada", lastName: text, jobTitle: "" } },
    ],
    path: "input.lastName",
  },
};

const everyInput = Object.entries(inputs).map(([what, input]) => [what, input] as const);
const nameIn = (answer: { it: { name: string } }) => answer.it.name;
const isBlank = "must not be blank";
const changesDirection =
  /must (?:not contain characters that change the direction of text|contain only printable characters)$/;

const invisible = [
  "\u200b",
  "\u3164",
  "\u2800",
  "\u00ad \u115f\ufeff",
  "\ufe0f\u200d",
  "\u{e0041}\u{e007f}",
  "\u200e\u200f",
  "\uffa0",
  "\u2060\u3000",
  "\u{13440}",
  "\u0300",
  " \u20dd\ufe0f",
  "\ufffc",
];
const directed = ["Gate \u202e12", "\u2066Gate\u2069", "Gate\u2069", "\u202aGate", "\u202dGate\u202c"];
const proper = [
  "دوربین\u200cها",
  "מצלמה\u200f 12",
  "القاهرة\u061c",
  "👩🏽\u200d🚒 Hangar",
  "❤\ufe0f",
  "🏴\u{e0067}\u{e0062}\u{e007f}",
  "क\u200dष",
  "ᄒ\u1160",
];

describe.each(everyInput)("the name of %s", (_what, { call, path, named = nameIn as never }) => {
  it("is refused where nothing of it is seen", async () => {
    for (const text of invisible)
      expect(await refusal(gateway, admin, call(text))).toEqual({
        code: "BAD_REQUEST",
        message: expect.stringContaining(isBlank),
        paths: [path],
      });
  });

  it("is refused where it changes the direction of text", async () => {
    for (const text of directed)
      expect(await refusal(gateway, admin, call(text))).toEqual({
        code: "BAD_REQUEST",
        message: expect.stringMatching(changesDirection),
        paths: [path],
      });
  });

  it("may contain the parts of scripts and emojis", async () => {
    for (const text of proper)
      expect((named as (answer: unknown) => string)(await run(gateway, admin, call(text)))).toBe(text);
  });
});

it.each([
  "a facility",
  "a facility that is renamed",
  "a camera",
  "a camera that is changed",
  "a key",
  "a rule",
  "an alert",
])("the name of %s may not have control characters", async (what) => {
  const { call, path } = inputs[what] as NamedInput;
  for (const text of ["\u0008a", "Gate\n12", "Gate\u001b[31m", "\u0085Gate"]) {
    const message = expect.stringContaining("must contain only printable characters");
    expect(await refusal(gateway, admin, call(text))).toEqual({
      code: "BAD_REQUEST",
      message,
      paths: [path],
    });
  }
});

it("the address of a facility may be empty, but not blank", async () => {
  const call = (address: string): Call => [
    "mutation ($input: CreateFacilityInput!) { it: createFacility(input: $input) { name: address } }",
    { input: { name: "Site", timeZoneId: "UTC", address } },
  ];
  for (const address of [...invisible, " ", "\n"])
    expect(await refusal(gateway, admin, call(address))).toEqual({
      code: "BAD_REQUEST",
      message: expect.stringContaining(isBlank),
      paths: ["input.address"],
    });
  for (const address of ["", "Quay 7\nİzmir", ...proper])
    expect(nameIn(await run(gateway, admin, call(address)))).toBe(address);
});

it("the subject of a user may not change the direction of text", async () => {
  for (const authId of directed) {
    const call: Call = [
      "mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }",
      { input: { authId, email: "ada@test.example", roles: [] } },
    ];
    expect(await refusal(gateway, admin, call)).toEqual({
      code: "BAD_REQUEST",
      message: expect.stringMatching(changesDirection),
      paths: ["input.authId"],
    });
  }
});

it("no character that Unicode shows nothing for makes a name", () => {
  const every = Array.from({ length: 0x110000 }, (_, codePoint) => codePoint).filter(
    (codePoint) => codePoint < 0xd800 || codePoint > 0xdfff,
  );
  const unseen = every
    .map((codePoint) => String.fromCodePoint(codePoint))
    .filter((each) => /[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{M}]/u.test(each));
  expect(unseen.length).toBeGreaterThan(4_000);
  for (const rule of [name(200), printableText(200)])
    expect(unseen.filter((each) => rule.safeParse(each).success)).toEqual([]);
});
