// Needs no gateway.

import { argumentRulesOf } from "../../src/api/graphql/argument-rules.js";
import { schema } from "../../src/api/graphql/schema.js";
import { name, printableText } from "../../src/platform/input/text-rules.js";
import { unknownId } from "../support/factories.js";
import { listOf } from "../support/list-of.js";

/** Arguments with a value at a path such as `input.names.0`, and nothing else that is on no path to it. */
function argumentsWith([first = "", ...rest]: string[], value: unknown): unknown {
  const inner = rest.length > 0 ? argumentsWith(rest, value) : value;
  if (!/^\d+$/.test(first)) return { [first]: inner };
  return [...Array(Number(first)).fill(""), inner];
}

/** The paths of the faults that the gateway would answer, which it finds before it reads anything. */
function faultsOf(mutation: string, given: unknown): string[] {
  const field = schema.getMutationType()?.getFields()[mutation];
  if (!field) throw new Error(`There is no mutation ${mutation}`);
  const { error } = argumentRulesOf(field)?.safeParse(given) ?? {};
  return error?.issues.map(({ path }) => path.join(".")) ?? [];
}

/** Whether a value is refused with its path. */
const isRefused = (mutation: string, path: string, value: unknown): boolean =>
  faultsOf(mutation, argumentsWith(path.split("."), value)).includes(path);

const textOf = (value: unknown) => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 40)}… (${text.length})` : text;
};

const ofList = (count: number, item: unknown = unknownId) => Array(count).fill(item);
const url = (length: number) => "https://hook.example/".padEnd(length, "x");

/** By mutation and path: what is refused, and what is just taken. */
const rules: Record<string, Record<string, { refused: unknown[]; taken?: unknown[] }>> = {
  createFacility: {
    "input.timeZoneId": {
      refused: [
        ...["", "Istanbul", "Europe/Atlantis", "+03:00", "GMT+3", "Factory"],
        ...["localtime", "posix/Europe/Istanbul", "Europe/Istanbul "],
      ],
      taken: ["UTC", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "Asia/Calcutta", "Europe/Kyiv"],
    },
    "input.geographicCoordinates.lat": { refused: [90.001, -91, undefined], taken: [90, 0, -90] },
    "input.geographicCoordinates.lng": { refused: [180.5, -181, undefined], taken: [180, 0, -180] },
  },
  updateFacility: { "input.name": { refused: [null] }, "input.timeZoneId": { refused: ["Mars/Base", null] } },
  createUser: {
    "input.email": { refused: ["nobody", `${"a".repeat(312)}@test.example`], taken: ["a@test.example"] },
    "input.roles.1": { refused: ["alerts:admin", "ALERTS:READ"], taken: ["alerts:read"] },
  },
  updateUser: { "input.email": { refused: ["nobody", null] } },
  requestSignInLink: { email: { refused: ["ada"] } },
  setUserRoles: { "roles.0": { refused: ["root"] } },
  inviteUser: {
    "input.email": { refused: ["nobody"] },
    "input.roles.0": { refused: ["alerts:admin"] },
    "input.accesses.0.actions": { refused: [[]] },
    "input.accesses.0.actions.0": { refused: ["alerts:admin"] },
  },
  grantFacilityAccess: { actions: { refused: [[]] }, "actions.1": { refused: ["alerts:admin", ""] } },
  removeFacilityAccess: { actions: { refused: [[]] }, "actions.1": { refused: ["alerts:admin", ""] } },
  createApiKey: {
    "input.permissions": { refused: [[]] },
    "input.permissions.1": { refused: ["root"] },
    "input.facilityIds": { refused: [[], ofList(1001)], taken: [ofList(1000)] },
  },
  rotateApiKey: { keepOldHours: { refused: [-1, 169], taken: [0, 168] } },
  updateApiKey: { "input.name": { refused: [null] } },
  reportConnector: {
    "input.unmapped": { refused: [ofList(101, {})] },
    "input.unmapped.0.count": { refused: [0], taken: [1] },
  },
  setDigest: {
    "input.at": { refused: ["24:00", "07:00:00"], taken: ["23:59"] },
    "input.timeZoneId": { refused: ["Europe/Nowhere"] },
    "input.facilityIds": { refused: [ofList(1001)] },
  },
  createCamera: {
    "input.url": {
      refused: ["file:///etc/passwd", "rtsp://", `rtsp://10.0.0.1/${"a".repeat(2033)}`, "rtsp://10.0.0.1/\n"],
      taken: ["rtmps://10.0.0.1/live"],
    },
  },
  updateCamera: Object.fromEntries(
    ["name", "url", "emailAddresses", "imageDimensions", "streamType", "streamProtocol"].map((field) => [
      `input.${field}`,
      { refused: [null] },
    ]),
  ),
  createAlertRule: {
    "input.dayRange": { refused: [ofList(8, 0)], taken: [ofList(7, 0)] },
    "input.dayRange.1": { refused: [7, -1], taken: [0, 6] },
    "input.timeRange": { refused: [ofList(1, new Date()), ofList(3, new Date())] },
    "input.emails": { refused: [ofList(51, "guard@test.example")] },
    "input.emails.1": { refused: ["guard"] },
    "input.phoneNumbers": { refused: [ofList(51, "+905321234567")] },
    "input.phoneNumbers.0": { refused: ["05321234567"] },
    "input.apiNotification.url": {
      refused: ["mailto:guard@test.example", "javascript:alert(1)", url(2049), "https://a:b@hook.example/"],
      taken: [url(2048)],
    },
    "input.apiNotification.secret": {
      refused: [
        ...["", "a".repeat(15), "a".repeat(501), `${"a".repeat(15)}\0`, "öffne-dich-bitte-sofort"],
        ...["whsec_", "whsec_!!!", "whsec_MDEyMzQ1Njc4OWFi!Y2RlZg==", "whsec_-_-_MDEyMzQ1Njc4OWFiY2RlZg=="],
        // Without its end, and a key of 15 bytes.
        ...["whsec_MDEyMzQ1Njc4OWFiY2RlZg", "whsec_MDEyMzQ1Njc4OWFiY2Rl"],
        ...[" whsec_MDEyMzQ1Njc4OWFiY2RlZg==", "whsec_MDEyMzQ1Njc4OWFiY2RlZg==\n"],
        // What people may take for a key of Standard Webhooks.
        ...["v1,whsec_MDEyMzQ1Njc4OWFiY2RlZg==", "WHSEC_MDEyMzQ1Njc4OWFiY2RlZg=="],
        ...["whsec-MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec:MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
        ...["whsecMfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "wh_sec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
        ...["v1,Whsec-MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsk_MDEyMzQ1Njc4OWFiY2RlZg=="],
      ],
      taken: ["a".repeat(16), "whsec_MDEyMzQ1Njc4OWFiY2RlZg=="],
    },
  },
  updateAlertRule: Object.fromEntries(
    [
      "name",
      "severity",
      "status",
      "dayRange",
      "emails",
      "phoneNumbers",
      "observation",
      "evaluated",
      "group",
    ].map((field) => [`input.${field}`, { refused: [null] }]),
  ),
  markAlerts: {
    ids: { refused: [[], ofList(1001)], taken: [ofList(1000)] },
    marks: { refused: [{}, { bookmark: null, falsePositive: null, acknowledged: null }] },
  },
  markMatchingAlerts: { marks: { refused: [{}], taken: [{ bookmark: false }] } },
  deleteAlerts: { ids: { refused: [[], ofList(1001)], taken: [ofList(1000)] } },
  recordAlerts: {
    input: { refused: [[], ofList(1001, {})] },
    "input.1.count": { refused: [-1, 1.5], taken: [0, null] },
    "input.1.url": { refused: ["alerts/1.jpg", "javascript:alert(1)", url(2049)], taken: [url(2048), null] },
    "input.1.thumbnailUrl": { refused: ["/files/x.jpg"] },
    "input.1.imageDimensions.width": { refused: [0, 1_000_001, undefined], taken: [0.5, 1_000_000] },
    "input.1.canvasDimensions.height": { refused: [0] },
    "input.1.area": { refused: [ofList(1001, { x: 1, y: 2 })], taken: [ofList(1000, { x: 1, y: 2 })] },
    "input.1.areaIds": { refused: [ofList(101)], taken: [ofList(100)] },
    "input.1.info": { refused: [{ text: "x".repeat(65_536) }], taken: [{ text: "x".repeat(65_525) }] },
  },
  recordStreamThumbnail: {
    "input.url": {
      refused: [
        ...[
          "javascript:alert(1)",
          "JavaScript://feeds.example/%0aalert(1)",
          "data:image/png;base64,iVBORw0KGgo=",
        ],
        ...[
          " https://x",
          "https://x ",
          "https:evil",
          "https:/evil/x.jpg",
          "https:\\\\evil",
          "https://\\evil",
        ],
        ...["alerts/picture.jpg", "../alerts/picture.jpg", "/files/alerts/picture.jpg", "//x"],
        ...["https://", "https:///x", "https://?x", "https://a.example/\u0000", "https://a.example/\u0085"],
        ...["ftp://a.example/x", "file:///etc/passwd", "blob:https://a.example/7", url(2049), ""],
      ],
      taken: [url(2048), "HTTP://FEEDS.EXAMPLE/YARD.JPG", "http://[2001:db8::1]/yard.jpg"],
    },
  },
};

const cases = Object.entries(rules).flatMap(([mutation, paths]) =>
  Object.entries(paths).flatMap(([path, { refused, taken = [] }]) => [
    ...refused.map((value) => ({ mutation, path, value, is: "refused" })),
    ...taken.map((value) => ({ mutation, path, value, is: "taken" })),
  ]),
);

it.each(cases.map((each) => [each.mutation, each.path, textOf(each.value), each.is, each] as const))(
  "%s: %s = %s is %s",
  (_mutation, _path, _value, _is, { mutation, path, value, is }) => {
    expect(isRefused(mutation, path, value)).toBe(is === "refused");
  },
);

describe("recordAlerts refuses", () => {
  const alert = (values: object) => ({ cameraId: unknownId, name: "A", createdAt: new Date(0), ...values });
  const [one, other] = [unknownId, unknownId.replace("8", "9")];

  it.each([
    ["an id with different content", [{ id: one }, { id: other }, { id: one, count: 2 }], "input.2.id"],
    [
      "an upload of two alerts",
      [
        { id: one, uploadId: one },
        { id: other, uploadId: one },
      ],
      "input.1.uploadId",
    ],
    ["an upload together with a url", [{ id: one, uploadId: one, url: url(30) }], "input.0.uploadId"],
    [
      "an upload with a thumbnail url",
      [{ id: one, uploadId: one, thumbnailUrl: url(30) }],
      "input.0.uploadId",
    ],
  ])("%s", (_what, given, path) => {
    expect(faultsOf("recordAlerts", { input: given.map(alert) })).toEqual([path]);
  });

  it("but not the same alert twice", () => {
    const input = [{ id: one }, { id: one, info: null }].map(alert);
    expect(faultsOf("recordAlerts", { input })).toEqual([]);
  });
});

/** What people write about something, by its longest length; each may be read by others. */
const texts: [mutation: string, path: string, maxLength: number][] = [
  ["createFacility", "input.name", 200],
  ["renameFacility", "name", 200],
  ["updateFacility", "input.name", 200],
  ["updateWorkspace", "input.name", 200],
  ["createCamera", "input.name", 200],
  ["createClientCamera", "input.name", 200],
  ["updateCamera", "input.name", 200],
  ["setCameraStatusDetail", "input.statusDetail", 100],
  ["createAlertRule", "input.name", 100],
  ["createAlertRule", "input.severity", 50],
  ["createAlertRule", "input.status", 50],
  ["recordAlerts", "input.0.name", 100],
  ["recordAlerts", "input.0.storageClass", 50],
  ["createApiKey", "input.name", 200],
  ["updateApiKey", "input.name", 200],
  ["reportConnector", "input.name", 100],
  ["reportConnector", "input.version", 100],
  ["reportConnector", "input.unmapped.0.name", 200],
  ["saveView", "input.name", 200],
  ["saveView", "input.query", 2000],
];
/** The same, but line breaks and other control characters are taken. */
const namesOfPeople: typeof texts = [
  ["createUser", "input.firstName", 100],
  ["createUser", "input.lastName", 100],
  ["createUser", "input.authId", 255],
  ["updateUser", "input.firstName", 100],
  ["updateMe", "input.lastName", 100],
  ["inviteUser", "input.firstName", 100],
  ["inviteUser", "input.lastName", 100],
];
/** The same, but tabs and line breaks are taken. */
const remarks: typeof texts = [
  ["commentAlert", "text", 2000],
  ["editAlertComment", "text", 2000],
];
/** The same, in the tree of a rule. */
const textsInTrees: [what: string, path: string, node: (text: string) => object, maxLength: number][] = [
  ["a group", "name", (text) => ({ name: text }), 200],
  [
    "an area",
    "children.0.name",
    (text) => ({ children: [{ type: "AREA", name: text, points: [0, 1, 2].map((x) => ({ x, y: x * x })) }] }),
    200,
  ],
  [
    "what is detected",
    "children.0.objects.0",
    (text) => ({ children: [{ type: "PERSON", objects: [text] }] }),
    100,
  ],
];

const invisible = [
  ...["", " ", "\t\n", "\u200b", "\u3164", "\u2800", "\u00ad \u115f\ufeff", "\ufe0f\u200d"],
  ...["\u{e0041}\u{e007f}", "\u200e\u200f", "\uffa0", "\u2060\u3000", "\u{13440}", "\u0300"],
  ...[" \u20dd\ufe0f", "\ufffc"],
];
const directed = ["Gate \u202e12", "\u2066Gate\u2069", "Gate\u2069", "\u202aGate", "\u202dGate\u202c"];
const control = ["\u0008a", "Gate\u001b[31m", "\u0085Gate"];
const proper = [
  ...["دوربین\u200cها", "מצלמה\u200f 12", "القاهرة\u061c", "👩🏽\u200d🚒 Hangar", "❤\ufe0f"],
  ...["🏴\u{e0067}\u{e0062}\u{e007f}", "क\u200dष", "ᄒ\u1160", "Quay 7 – İzmir"],
];

describe.each([...texts, ...namesOfPeople, ...remarks])(
  "the text of %s at %s",
  (mutation, path, maxLength) => {
    const wrong = (values: string[], isRight: boolean) =>
      values.filter((value) => isRefused(mutation, path, value) === isRight);

    it("is refused where nothing of it is seen, where it changes the direction of text, and if it is too long", () => {
      expect(wrong([...invisible, ...directed, "a".repeat(maxLength + 1)], false)).toEqual([]);
    });

    it("may contain the parts of scripts and emojis, up to its length", () => {
      expect(wrong([...proper, "a".repeat(maxLength)], true)).toEqual([]);
    });
  },
);

it.each([...texts, ...remarks])("the text of %s at %s has no control characters", (mutation, path) => {
  expect(control.filter((text) => !isRefused(mutation, path, text))).toEqual([]);
});

it.each(texts)("the text of %s at %s has one line", (mutation, path) => {
  expect(isRefused(mutation, path, "Gate\n12")).toBe(true);
});

it("a remark may have several lines", () => {
  expect(isRefused("commentAlert", "text", "Only a cat.\r\n\t=1+1 <b>")).toBe(false);
});

it.each(textsInTrees)("the name of %s in a tree is a text, too", (_what, path, node, maxLength) => {
  const isTaken = (text: string) => {
    const group = {
      type: "GROUP",
      operator: "AND",
      children: [{ type: "PERSON", objects: [] }],
      ...node(text),
    };
    return !faultsOf("createAlertRule", { input: { group } }).includes(`input.group.${path}`);
  };
  const refused = [...invisible, ...directed, ...control, "Gate\n12", "a".repeat(maxLength + 1)];
  expect(refused.filter(isTaken)).toEqual([]);
  expect(proper.filter((text) => !isTaken(text))).toEqual([]);
});

it("the address of a facility may be empty and have several lines, but not be blank", () => {
  const isTaken = (address: string) => !isRefused("createFacility", "input.address", address);
  const refused = [...invisible.filter((text) => text !== ""), ...directed, "a".repeat(501)];
  expect(refused.filter(isTaken)).toEqual([]);
  expect(["", "Quay 7\nİzmir", ...proper, "a".repeat(500)].filter((text) => !isTaken(text))).toEqual([]);
});

it("no character that Unicode shows nothing for makes a name", () => {
  const every = listOf(0x110000, (codePoint) => codePoint).filter(
    (codePoint) => codePoint < 0xd800 || codePoint > 0xdfff,
  );
  const unseen = every
    .map((codePoint) => String.fromCodePoint(codePoint))
    .filter((each) => /[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{M}]/u.test(each));
  expect(unseen.length).toBeGreaterThan(4_000);
  for (const rule of [name(200), printableText(200)])
    expect(unseen.filter((each) => rule.safeParse(each).success)).toEqual([]);
});
