// Runs once: both kinds of databases run the same statements.
// Takes long: it makes a workspace for each mutation.

import { schema } from "../../src/api/graphql/schema.js";
import { english } from "../../src/console/administration/audit/english.js";
import { german } from "../../src/console/administration/audit/german.js";
import { type Permission, permissions } from "../../src/engine/access/permissions.js";
import { type GraphQLAnswer, ownGateway, type Sender } from "../support/harness.js";
import { callOf, unansweredMessages } from "../support/mutation-calls.js";
import { plainPng } from "../support/png.js";
import { signInLink } from "../support/sign-in-link.js";
import { createTestWorkspace, type TestWorkspace } from "../support/test-workspace.js";
import { uuids } from "../support/uuids.js";

const gateway = await ownGateway({ environment: unansweredMessages });

let sites = 0;
function newSite(): Promise<TestWorkspace> {
  sites += 1;
  return createTestWorkspace(gateway.prisma, sites);
}

/** For what is refused, which changes nothing there. */
const unchanged = await newSite();

type Answer = Promise<GraphQLAnswer<Record<string, unknown> | null>>;
const withPicture = (query: string, variables: object, as: Sender): Answer =>
  gateway.upload({ query, variables, variable: "image", file: plainPng() }, { as });

/** The mutations that need more than a document and its variables. */
const otherCalls: Record<string, (site: TestWorkspace, as: Sender) => Answer> = {
  createClientCamera: ({ ids }, as) =>
    withPicture(
      'mutation ($id: UUID!, $image: Upload!) { createClientCamera(facilityId: $id, input: { name: "Made", image: $image, metadata: { site: "north" } }) { id } }',
      { id: ids.facilityId },
      as,
    ),
  updateMyPicture: (_site, as) =>
    withPicture("mutation ($image: Upload!) { updateMyPicture(image: $image) { id } }", {}, as),
  signIn: (site) => signIn(site),
  renewSession: async (site) => {
    const { data } = await signIn(site);
    const { token } = (data as { signIn: { token: string } }).signIn;
    return gateway.graphql("mutation { renewSession { expiresAt } }", {
      as: { authorization: `Bearer ${token}` },
    });
  },
};

function signIn({ ids: { workspaceId }, adminId: id }: TestWorkspace): Answer {
  const { code } = signInLink({ kind: "user", workspaceId, id, email: "admin@test.example" });
  return gateway.graphql("mutation ($code: String!) { signIn(code: $code) { token } }", {
    variables: { code },
  });
}

async function send(mutation: string, site: TestWorkspace, as: Sender) {
  const other = otherCalls[mutation];
  if (other) return other(site, as);
  const [query, variables] = await callOf(gateway.prisma, mutation, site);
  return gateway.graphql<Record<string, unknown> | null>(query, { as, variables });
}

/** All but the one that needs a gateway that sends mails, and that is nobody's. */
const mutations = Object.values(schema.getMutationType()?.getFields() ?? {}).filter(
  ({ name }) => name !== "requestSignInLink",
);

/** What the description says that a caller needs, and where. */
function requirementOf({ description }: { description?: string | null }) {
  const [, named = "", place] =
    /\. Requires (?:only )?((?:(?:, | and )?[a-z-]+:[a-z]+)+),? (in the workspace|at)/.exec(
      `. ${description}`,
    ) ?? [];
  return {
    needed: (named.match(/[a-z-]+:[a-z]+/g) ?? []) as Permission[],
    isOfWorkspace: place === "in the workspace",
  };
}

/** What hands out or takes away permissions, which its caller has to hold as well. */
const handingOut = [
  ...["createApiKey", "createUser", "grantFacilityAccess", "inviteUser", "removeFacilityAccess"],
  ...["rotateApiKey", "setUserRoles", "updateApiKey"],
];

/** Gives the administrator these permissions instead of all. */
async function hold(
  { ids, beside, adminId }: TestWorkspace,
  held: Partial<Record<"workspace" | "here" | "there", readonly Permission[]>>,
): Promise<void> {
  const { workspaceId, facilityId } = ids;
  const { workspace = [], here = [], there = [] } = held;
  await gateway.prisma.user.updateMany({ where: { id: adminId }, data: { roles: [...workspace] } });
  await gateway.prisma.facilityAccess.deleteMany({ where: { userId: adminId } });
  await gateway.prisma.facilityAccess.createMany({
    data: [
      { workspaceId, userId: adminId, facilityId, actions: [...here] },
      { workspaceId, userId: adminId, facilityId: beside.facilityId, actions: [...there] },
    ],
  });
}

const others = (permission: Permission) => permissions.filter((each) => each !== permission);

describe.each(
  mutations
    .map((mutation) => ({ name: mutation.name, ...requirementOf(mutation) }))
    .filter(({ needed }) => needed.length > 0),
)("$name requires what its description says:", ({ name, needed, isOfWorkspace }) => {
  it.each(needed)("%s, there and not elsewhere", async (permission) => {
    const lacking = others(permission);
    await hold(
      unchanged,
      isOfWorkspace ? { workspace: lacking, here: permissions } : { here: lacking, there: permissions },
    );
    const place = isOfWorkspace ? "in the workspace" : "at the facilit(?:y|ies)";
    expect((await send(name, unchanged, unchanged.admin.user)).errors).toMatchObject([
      {
        message: expect.stringMatching(`^This needs the permission ${permission} ${place}`),
        extensions: { code: "FORBIDDEN" },
      },
    ]);
    expect(await entriesOf(unchanged)).toEqual([]);
  });
});

it("mutations without a permission in their description are open to their callers", () => {
  const open = mutations.filter((mutation) => requirementOf(mutation).needed.length === 0);
  expect(open.map(({ name }) => name).toSorted()).toEqual(
    [
      // They require that the facility is visible.
      ...["createCamera", "createClientCamera", "recordHeartbeat"],
      // The caller's own.
      ...["deleteView", "endSession", "markSeen", "reportConnector", "saveView", "setDigest"],
      "signOutEverywhere",
      ...["updateMe", "updateMyLocale", "updateMyPhoneNumber", "updateMyPicture"],
      // What is sent with them authorizes them.
      ...["recordStreamError", "recordStreamMetadata", "recordStreamThumbnail", "renewSession", "signIn"],
    ].toSorted(),
  );
});

const entriesOf = ({ ids: { workspaceId } }: TestWorkspace) =>
  gateway.prisma.auditEntry.findMany({ where: { workspaceId }, orderBy: { id: "asc" } });
type Entry = Awaited<ReturnType<typeof entriesOf>>[number];

/** A text with names for the ids of a site, and without times and the ids of new rows. */
function readable(text: string, { ids, made, number, ...users }: TestWorkspace): string {
  const { adminId, localId, memberId } = users;
  return Object.entries({ ...made, ...ids, adminId, localId, memberId })
    .reduce((each, [name, id]) => each.replaceAll(id, `‹${name.replace("Id", "")}›`), text)
    .replaceAll(uuids, "‹new›")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "‹time›")
    .replaceAll(`workspace ${number}|`, "‹workspace›|");
}

/** What was changed, where, and each field with its values before and after. */
function changesOf({ targetType, targetId, facilityId, changes }: Entry): string {
  const fields = Object.entries((changes ?? {}) as Record<string, object>).map(([name, change]) => {
    expect(Object.keys(change).toSorted(), name).toEqual(["from", "to"]);
    const { from, to } = change as { from: unknown; to: unknown };
    return `\n    ${name}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`;
  });
  return `${targetType} ${targetId} at ${facilityId}${fields.join("")}`;
}

/** The entry that each mutation writes; none if nobody else is concerned. */
const entered: Record<string, string | undefined> = {
  addAlertClip: `Alert ‹alert› at ‹facility›
    clip: null → "‹new›"`,
  createAlertUpload: "AlertUpload ‹new› at ‹facility›",
  recordAlerts: `Alert ‹new› at ‹facility›
    recorded: null → 1
    cameraIds: null → ["‹camera›"]`,
  deleteAlerts: "Alert ‹alert› at ‹facility›",
  commentAlert: `AlertComment ‹new› at ‹facility›
    text: null → "Seen"
    alertId: null → "‹alert›"`,
  editAlertComment: `AlertComment ‹comment› at ‹facility›
    text: "Seen" → "Made"`,
  deleteAlertComment: `AlertComment ‹comment› at ‹facility›
    text: "Seen" → null
    alertId: "‹alert›" → null`,
  markAlerts: `Alert ‹alert› at ‹facility›
    acknowledged: false → true`,
  markMatchingAlerts: `Alert null at null
    alerts: null → 4
    filter: null → {"end":"‹time›","start":"‹time›"}
    bookmark: null → true
    changeId: null → "‹new›"`,
  undoMarks: `Alert null at null
    alerts: null → 0
    changeId: "‹change›" → null`,
  setAlertBookmark: `Alert ‹alert› at ‹facility›
    bookmark: false → true`,
  setAlertFalsePositive: `Alert ‹alert› at ‹facility›
    falsePositive: false → true`,
  createAlertRule: `AlertRule ‹new› at ‹facility›
    id: null → "‹new›"
    name: null → "STATIC_DELIMITATION_AREA"
    group: null → {"id":"‹new›","type":"GROUP","children":[{"id":"‹new›","type":"STATIC_DELIMITATION_AREA","objects":["PERSON"]}],"operator":"AND"}
    emails: null → []
    pretty: null → "A person is detected"
    status: null → "ACTIVE"
    cameraId: null → "‹camera›"
    dayRange: null → [0,1,2,3,4,5,6]
    severity: null → "LOW"
    evaluated: null → false
    observation: null → false
    workspaceId: null → "‹workspace›"
    phoneNumbers: null → []
    notificationEnabled: null → false`,
  updateAlertRule: `AlertRule ‹rule› at ‹facility›
    severity: "MEDIUM" → "HIGH"`,
  deleteAlertRule: `AlertRule ‹rule› at ‹facility›
    name: "STATIC_DELIMITATION_AREA" → null
    group: {"id":"‹new›","name":"All","type":"GROUP","children":[],"operator":"AND"} → null
    camera: "Yard" → null
    phoneNumbers: ["+905321234567"] → []`,
  snoozeCamera: `Camera ‹camera› at ‹facility›
    snoozedUntil: null → "‹time›"`,
  snoozeFacility: `Facility ‹facility› at ‹facility›
    snoozedUntil: null → "‹time›"`,
  restoreCamera: `Camera ‹new› at ‹facility›
    name: null → "Camera"`,
  restoreAlertRule: `AlertRule ‹new› at ‹facility›
    name: null → "STATIC_DELIMITATION_AREA"`,
  snoozeAlertRule: `AlertRule ‹rule› at ‹facility›
    snoozedUntil: null → "‹time›"`,
  createApiKey: `ApiKey ‹new› at null
    name: null → "Made"
    permissions: null → ["alerts:read"]`,
  rotateApiKey: `ApiKey ‹apiKey› at null
    oldSecretUntil: null → "‹time›"`,
  updateApiKey: `ApiKey ‹apiKey› at null
    name: "Key" → "Made"`,
  revokeApiKey: `ApiKey ‹apiKey› at null
    revokedAt: null → "‹time›"`,
  reportConnector: `Connector ‹new› at null
    kind: null → "OTHER"
    name: null → "yard"
    version: null → "1.0.0"`,
  createCamera: `Camera ‹new› at ‹facility›
    url: null → "rtsp://camera.example/1"
    name: null → "Made"
    streamType: null → "DIRECT"`,
  updateCamera: `Camera ‹camera› at ‹facility›
    url: "rtsp://operator:***@camera.example/***" → "rtsp://camera.example/2"`,
  deleteCamera: `Camera ‹camera› at ‹facility›
    name: "Yard" → null`,
  setCameraStatusDetail: `Camera ‹camera› at ‹facility›
    source: null → "TRACKER"
    statusDetail: "OPERATIONAL" → "DIRTY"`,
  createClientCamera: `Camera ‹new› at ‹facility›
    name: null → "Made"
    imageDimensions: null → {"width":8,"height":6}
    advancedSettings: null → {"metadata":{"site":"north"}}`,
  recordStreamThumbnail: `Camera ‹camera› at ‹facility›
    imageLink: null → "https://feed.example/1.jpg"
    thumbnailUrl: null → "https://feed.example/1.jpg"`,
  recordStreamMetadata: `Camera ‹camera› at ‹facility›
    metadata: null → {"width":"1280","height":"720"}
    imageDimensions: null → {"width":1280,"height":720}`,
  recordStreamError: `Camera ‹camera› at ‹facility›
    errorMessage: null → "refused"
    statusDetail: "OPERATIONAL" → "STREAM_ERROR"
    errorOperation: null → "open"`,
  requestStreamProbe: "Camera ‹camera› at ‹facility›",
  redeliver: `Delivery ‹delivery› at ‹facility›
    state: "SENT" → "PENDING"`,
  sendTestDelivery: "AlertRule ‹rule› at ‹facility›",
  testAlertRule: "",
  recordDetections: `Alert ‹new› at ‹facility›
    recorded: null → 1
    cameraIds: null → ["‹camera›"]`,
  createFacility: `Facility ‹new› at ‹new›
    name: null → "Made"
    timeZoneId: null → "Europe/Berlin"`,
  updateFacility: `Facility ‹facility› at ‹facility›
    timeZoneId: "Europe/Istanbul" → "Asia/Tokyo"`,
  renameFacility: `Facility ‹facility› at ‹facility›
    name: "Quay" → "Made"`,
  deleteFacility: `Facility ‹facility› at ‹facility›
    name: "Quay" → null
    cameraCount: 2 → 0`,
  recordHeartbeat: `Facility ‹facility› at ‹facility›
    online: false → true`,
  setDigest: `User ‹admin› at null
    at: null → "07:00"
    enabled: null → false
    timeZoneId: null → "Europe/Istanbul"
    facilityIds: null → []`,
  inviteUser: `Invitation ‹new› at null
    email: null → "made-‹new›@test.example"
    roles: null → ["alerts:read"]
    accesses: null → []`,
  revokeInvitation: `Invitation ‹invitation› at null
    revokedAt: null → "‹time›"`,
  resendInvitation: `Invitation ‹invitation› at null
    expiresAt: "‹time›" → "‹time›"
    invitedById: null → "‹admin›"
    invitedByKind: null → "USER"`,
  saveView: `SavedView ‹new› at null
    name: null → "Made"
    query: null → "open=true"`,
  deleteView: `SavedView ‹view› at null
    name: "Open" → null
    query: "open=true" → null`,
  signIn: "User ‹admin› at null",
  renewSession: "",
  endSession: "User ‹admin› at null",
  signOutEverywhere: "User ‹admin› at null",
  updateMe: `User ‹admin› at null
    jobTitle: "Safety" → "Admiral"
    lastName: "Lovelace" → "Hopper"
    firstName: "Ada" → "Grace"`,
  updateMyPhoneNumber: `User ‹admin› at null
    phoneNumber: null → {"region":"TR","e164Format":"+905321234567","countryCode":90,"nationalNumber":5321234567}`,
  updateMyLocale: `User ‹admin› at null
    locale: null → "de-AT"`,
  markSeen: "",
  updateMyPicture: `User ‹admin› at null
    picture: null → "users/‹new›-picture.webp"`,
  createUser: `User ‹new› at null
    email: null → "made@test.example"
    roles: null → ["alerts:read"]
    authId: null → "made|‹new›"`,
  updateUser: `User ‹member› at null
    firstName: "Ada" → "Grace"`,
  setUserRoles: `User ‹member› at null
    roles: [] → ["alerts:read"]`,
  removeUser: `User ‹member› at null
    email: "member@test.example" → null
    authId: "‹workspace›|member" → null`,
  grantFacilityAccess: `FacilityAccess ‹member› at ‹facility›
    actions: [] → ["alerts:read"]`,
  removeFacilityAccess: `FacilityAccess ‹local› at ‹facility›
    actions: ["facilities:read","facilities:write","cameras:read","cameras:write","alerts:read","alerts:write","alerts:delete","alert-rules:write","users:read","users:write","api-keys:write"] → ["facilities:read","facilities:write","cameras:read","cameras:write","alerts:write","alerts:delete","alert-rules:write","users:read","users:write","api-keys:write"]`,
  updateWorkspace: `Workspace ‹workspace› at null
    name: "Ours" → "Made"`,
};

/** Whether the console says in each language what an action is. */
const isInWords = (action: string): boolean =>
  [english, german].every(({ actions }) => Object.hasOwn(actions, action));

it.each(mutations.map((mutation) => [mutation.name, requirementOf(mutation)] as const))(
  "%s succeeds with that alone, and is entered in the audit log",
  async (name, { needed, isOfWorkspace }) => {
    const site = await newSite();
    const held: Permission[] = [
      ...(needed.length > 0 ? needed : (["api-keys:write"] as const)),
      ...(handingOut.includes(name) ? (["alerts:read", "users:read"] as const) : []),
    ];
    await hold(site, isOfWorkspace ? { workspace: held } : { here: held });
    const isOfKey = name === "reportConnector";
    const { errors } = await send(name, site, isOfKey ? site.admin.key : site.admin.user);
    expect(errors).toBeUndefined();
    const actorKind = isOfKey ? "API_KEY" : name.startsWith("recordStream") ? "FEED_SERVER" : "USER";
    const actorId = { API_KEY: expect.any(String), FEED_SERVER: null, USER: site.adminId }[actorKind];
    const written = (await entriesOf(site)).filter(({ action }) => action !== "signIn" || name === "signIn");
    const expected = entered[name];
    expect(written).toMatchObject(
      expected ? [{ action: name, actorKind, actorId, via: "GRAPHQL", client: "node" }] : [],
    );
    expect(written.map((entry) => readable(changesOf(entry), site))).toEqual(expected ? [expected] : []);
    expect(written.filter(({ action }) => !isInWords(action))).toEqual([]);
  },
);
