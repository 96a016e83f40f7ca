// Runs once: REST runs the statements of GraphQL, which are tested on every kind of
// database.
// Takes long: it sends each change twice, to as many workspaces.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unknown } from "../support/fixed-fleet.js";
import { type Gateway, type Sender, startGateway } from "../support/harness.js";
import { bodyOf, caseOf, initOf, type RouteCase, requestOf, routeCases } from "../support/route-cases.js";
import {
  createTestWorkspace,
  senderFor,
  stateOf,
  stateSettings,
  type TestWorkspace,
} from "../support/test-workspace.js";
import { invalidValues } from "./bad-values.js";

let gateway: Gateway;
let workspaces = 0;
beforeAll(async () => {
  gateway = await startGateway(stateSettings(new Date()));
});
afterAll(() => gateway.close());

const freshWorkspace = () => {
  workspaces += 1;
  return createTestWorkspace(gateway.prisma, workspaces);
};

type Pair = [TestWorkspace, TestWorkspace];
const freshPair = async (): Promise<Pair> => [await freshWorkspace(), await freshWorkspace()];

type Ids = Record<"facilityId" | "cameraId" | "alertId" | "requestId", string>;
type Body = Record<string, unknown>;

/** The equivalent GraphQL mutation and its variables. */
interface Twin {
  mutation: string;
  variables: (ids: Ids, body: Body) => object;
  /** The variable for the uploaded file, if any. */
  file?: { variable: string; from: string };
  /** Bodies of valid requests besides the minimal one. */
  bodies?: (workspace: TestWorkspace) => Body[];
}

const upperCase = (value: unknown) => (typeof value === "string" ? value.toUpperCase() : value);

function streamOf(value: unknown): object {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { streamType: upperCase(value) };
  const { type, protocol } = value as { type?: unknown; protocol?: unknown };
  return { streamType: upperCase(type), streamProtocol: upperCase(protocol) };
}

const inCamelCase = (body: Body) =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name.replace(/_[a-z]/g, (part) => part.slice(1).toUpperCase()),
      value,
    ]),
  );

const accessOf = (name: string): Twin => ({
  mutation: `mutation ($facilityId: UUID!, $actions: [String!]!, $userId: UUID) {
    ${name}(facilityId: $facilityId, actions: $actions, userId: $userId) { actions } }`,
  variables: ({ facilityId }, body) => ({ facilityId, ...body }),
  bodies: ({ memberId, localId }) => [
    { userId: memberId },
    { userId: localId, actions: ["cameras:read", "alerts:read"] },
    { userId: localId.toUpperCase(), actions: ["cameras:read", "users:write"] },
    { userId: unknown.cameraId },
    { userId: null },
  ],
});

const twins: Record<number, Twin> = {
  3: {
    mutation:
      "mutation ($id: UUID!, $input: UpdateCameraInput!) { updateCamera(id: $id, input: $input) { id } }",
    variables: ({ cameraId }, { streamType, streamProtocol, ...body }) => ({
      id: cameraId,
      input: {
        ...body,
        streamType: streamType === undefined ? undefined : upperCase(streamType),
        streamProtocol: upperCase(streamProtocol),
      },
    }),
    bodies: () => [
      Object.fromEntries(Object.entries(caseOf(3).sends ?? {}).map(([name, { good }]) => [name, good])),
      { url: "rtsp://other:***@camera.example/gate" },
      { facilityNodeId: null },
      { emailAddresses: [] },
    ],
  },
  4: {
    mutation: "mutation ($id: UUID!) { deleteCamera(id: $id) { id } }",
    variables: ({ cameraId }) => ({ id: cameraId }),
  },
  5: {
    mutation:
      "mutation ($id: UUID!, $input: StreamThumbnailInput!) { recordStreamThumbnail(requestId: $id, input: $input) { id } }",
    variables: ({ requestId }, input) => ({ id: requestId, input }),
    bodies: () => [{ url: "HTTP://feeds.example/".padEnd(2048, "x") }],
  },
  6: {
    mutation:
      "mutation ($id: UUID!, $input: StreamMetadataInput!) { recordStreamMetadata(requestId: $id, input: $input) { id } }",
    variables: ({ requestId }, body) => ({ id: requestId, input: inCamelCase(body) }),
    bodies: () => [
      Object.fromEntries(Object.entries(caseOf(6).sends ?? {}).map(([name, { good }]) => [name, good])),
      { codec_name: null, duration_ts: null, nb_frames: "1" },
      { width: "9999999", height: "1", duration_ts: -5 },
    ],
  },
  7: {
    mutation:
      "mutation ($id: UUID!, $input: StreamErrorInput!) { recordStreamError(requestId: $id, input: $input) { id } }",
    variables: ({ requestId }, input) => ({ id: requestId, input }),
    bodies: () => [{ operation: "x".repeat(200), error: "x".repeat(10_000) }],
  },
  12: {
    mutation:
      "mutation ($id: UUID!, $input: StatusDetailInput!) { setCameraStatusDetail(id: $id, input: $input) { id } }",
    variables: ({ cameraId }, { status_detail, status_detail_source }) => ({
      id: cameraId,
      input: { statusDetail: status_detail, source: status_detail_source },
    }),
    bodies: () => [{ status_detail: "OPERATIONAL", status_detail_source: "CLIENT" }],
  },
  14: {
    mutation:
      "mutation ($facilityId: UUID!, $input: CreateCameraInput!) { createCamera(facilityId: $facilityId, input: $input) { camera { id } } }",
    variables: ({ facilityId }, { streamType, ...body }) => ({
      facilityId,
      input: { ...body, ...streamOf(streamType) },
    }),
    bodies: () => [
      { streamType: { type: "vpn", protocol: "hls" }, facilityNodeId: unknown.cameraId.toUpperCase() },
      { url: "https://user:***@camera.example/new", facilityNodeId: null },
    ],
  },
  15: {
    mutation:
      "mutation ($facilityId: UUID!, $input: CreateClientCameraInput!) { createClientCamera(facilityId: $facilityId, input: $input) { id } }",
    variables: ({ facilityId }, { cameraName, metadata }) => ({
      facilityId,
      input: { name: cameraName, metadata },
    }),
    file: { variable: "input.image", from: "cameraImage" },
    bodies: () => [
      { metadata: { width: 1280.5, height: 720 } },
      { cameraName: "Gate", metadata: {} },
      { cameraImage: Buffer.from("no picture") },
    ],
  },
  20: {
    mutation: "mutation ($id: UUID!) { deleteAlerts(ids: [$id]) { deletedIds } }",
    variables: ({ alertId }) => ({ id: alertId }),
  },
  21: {
    mutation: "mutation ($ids: [UUID!]!) { deleteAlerts(ids: $ids) { deletedIds } }",
    variables: ({ alertId }) => ({ ids: [alertId] }),
  },
  25: {
    mutation: "mutation ($id: UUID!, $name: String!) { renameFacility(id: $id, name: $name) { id } }",
    variables: ({ facilityId }, body) => ({ id: facilityId, ...body }),
  },
  28: {
    mutation: "mutation ($id: UUID!) { recordHeartbeat(facilityId: $id) { id } }",
    variables: ({ facilityId }) => ({ id: facilityId }),
  },
  30: {
    mutation: "mutation ($input: UpdateMeInput!) { updateMe(input: $input) { id } }",
    variables: (_ids, input) => ({ input }),
    bodies: () => [{ jobTitle: "" }],
  },
  31: {
    mutation: "mutation ($image: Upload!) { updateMyPicture(image: $image) { id } }",
    variables: () => ({}),
    file: { variable: "image", from: "image" },
    bodies: () => [{ image: Buffer.from("no picture") }],
  },
  32: {
    mutation: "mutation ($input: PhoneNumberInput!) { updateMyPhoneNumber(input: $input) { id } }",
    variables: (_ids, input) => ({ input }),
    bodies: () => [{ phoneNumber: "+31 20 624 1111", region: "nl" }, { region: "NL" }],
  },
  33: accessOf("grantFacilityAccess"),
  34: accessOf("removeFacilityAccess"),
};

const writes = routeCases.filter(({ method }) => method !== "get");

it("has a mutation for every endpoint that writes", () => {
  expect(Object.keys(twins).map(Number)).toEqual(writes.map(({ number }) => number));
});

/** Sends a write by REST; returns its error code, or OK. */
async function writeByRest(number: number, ids: Ids, changes: Body, as: Sender): Promise<string> {
  const each = caseOf(number);
  const response = await gateway.fetch(requestOf(each, { ...ids }), { as, ...initOf(each, changes) });
  const text = await response.text();
  return response.status === 200 ? "OK" : JSON.parse(text).code;
}

async function writeByGraphql(number: number, ids: Ids, changes: Body, as: Sender): Promise<string> {
  const { mutation, variables, file } = twins[number] as Twin;
  const body = bodyOf(caseOf(number), changes);
  const operation = { query: mutation, variables: variables(ids, body) };
  const send = () => {
    if (!file) return gateway.graphql(mutation, { as, ...operation });
    return gateway.upload({ ...operation, variable: file.variable, file: body[file.from] as Buffer }, { as });
  };
  return (await send()).errors?.[0]?.extensions.code ?? "OK";
}

/**
 * Callers other than an admin, who sends every body. Their rights depend on the endpoint
 * and on the facility.
 */
const callers: [string, (number: number, workspace: TestWorkspace) => Sender][] = [
  ["a user of one facility", (number, { local }) => senderFor(caseOf(number), local)],
  ["a user with few permissions", (number, { onlooker }) => senderFor(caseOf(number), onlooker)],
  ["an admin's key", (_number, { admin }) => admin.key],
  ["a key of one facility", (_number, { local }) => local.key],
];
const titles = writes.map(
  ({ number, method, path }) => [`${number} ${method.toUpperCase()} ${path}`, number] as const,
);

type Owner = "beside" | "unknown" | "otherTenant" | "ids";

/** The two endpoints that delete alerts delete different ones. */
const ownIds = (number: number, { ids, alertIds }: TestWorkspace): Ids => ({
  ...ids,
  ...(number === 21 && { alertId: alertIds[1] as string }),
});

/**
 * Sends the minimal body to each owner's ids and others to the caller's own, by REST in
 * one workspace and by GraphQL in another.
 */
async function expectSameCodes(
  number: number,
  [rest, graphql]: Pair,
  as: (typeof callers)[number][1],
  owners: Owner[],
  bodies = Infinity,
) {
  const codes: Record<"rest" | "graphql", Partial<Record<Owner, string[]>>> = { rest: {}, graphql: {} };
  const { path, query, open } = caseOf(number);
  for (const owner of path.includes(":") || query ? owners : owners.slice(-1)) {
    const byRest: string[] = [];
    const byGraphql: string[] = [];
    const indexes = owner === "ids" ? [...(twins[number]?.bodies?.(rest) ?? []).keys()].slice(0, bodies) : [];
    for (const index of [-1, ...indexes]) {
      const idsOf = (workspace: TestWorkspace, otherTenant: TestWorkspace): Ids =>
        ({ beside: workspace.beside, unknown, otherTenant: otherTenant.ids, ids: ownIds(number, workspace) })[
          owner
        ];
      const bodyIn = (workspace: TestWorkspace) => twins[number]?.bodies?.(workspace)[index] ?? {};
      byRest.push(await writeByRest(number, idsOf(rest, graphql), bodyIn(rest), as(number, rest)));
      byGraphql.push(
        await writeByGraphql(number, idsOf(graphql, rest), bodyIn(graphql), as(number, graphql)),
      );
    }
    codes.rest[owner] = byRest;
    codes.graphql[owner] = byGraphql;
  }
  expect({ number, codes: codes.rest }).toEqual({ number, codes: codes.graphql });
  // Everyone who knows a capability may use it.
  if (open) return;
  const { unknown: ofUnknown = [], otherTenant: ofOthers = [], ids: [ofOwn] = [] } = codes.rest;
  // Input that is refused everywhere is not looked up.
  const expected = ofOwn === "BAD_REQUEST" ? ofOwn : "NOT_FOUND";
  for (const code of [...ofUnknown, ...ofOthers])
    expect({ number, code }).toEqual({ number, code: expected });
}

describe("REST and GraphQL write and reject the same", () => {
  it.each(titles)("for an admin, by %s", async (_title, number) => {
    const pair = await freshPair();
    await expectSameCodes(number, pair, (each, { admin }) => senderFor(caseOf(each), admin), [
      "beside",
      "unknown",
      "otherTenant",
      "ids",
    ]);
    expect(await stateOf(gateway, pair[0])).toEqual(await stateOf(gateway, pair[1]));
  });

  // Callbacks need no credentials. The audit log, as part of the state, has each of the
  // writes.
  it.each(callers)("for %s, by every endpoint", async (_who, as) => {
    const pair = await freshPair();
    for (const each of [...writes.filter(({ open, number }) => !open && number !== 4), caseOf(4)])
      await expectSameCodes(each.number, pair, as, ["beside", "unknown", "otherTenant", "ids"], 1);
    expect(await stateOf(gateway, pair[0])).toEqual(await stateOf(gateway, pair[1]));
  });
});

/**
 * One invalid value of each member of a route's body, and nothing where that is invalid.
 */
const invalidBodies = ({ sends = {}, form }: RouteCase): Body[] =>
  Object.entries(form ? {} : sends).flatMap(([name, { kind, required, nullable }]) => {
    // GraphQL enums are in upper case.
    const invalid = invalidValues[kind].filter(([what]) => !/in upper case$/.test(what)).at(-1)?.[1];
    return [invalid, ...(required ? [undefined] : []), ...(nullable ? [] : [null])].map((value) => ({
      [name]: value,
    }));
  });

it("REST and GraphQL reject invalid members, by the same rules, with BAD_REQUEST, and neither changes anything", async () => {
  const workspace = await freshWorkspace();
  const before = await stateOf(gateway, workspace);
  for (const each of writes) {
    const as = senderFor(each, workspace.admin);
    for (const body of invalidBodies(each)) {
      const codes = [
        await writeByRest(each.number, workspace.ids, body, as),
        await writeByGraphql(each.number, workspace.ids, body, as),
      ];
      expect({ number: each.number, body, codes }).toEqual({
        number: each.number,
        body,
        codes: ["BAD_REQUEST", "BAD_REQUEST"],
      });
    }
  }
  expect(await stateOf(gateway, workspace)).toEqual(before);
});

it("REST and GraphQL deduplicate actions", async () => {
  const [restWorkspace, graphqlWorkspace] = await freshPair();
  const actions = ["alerts:write", "alerts:write"];
  const codes = [
    await writeByRest(
      33,
      restWorkspace.ids,
      { userId: restWorkspace.memberId, actions },
      restWorkspace.admin.user,
    ),
    await writeByGraphql(
      33,
      graphqlWorkspace.ids,
      { userId: graphqlWorkspace.memberId, actions },
      graphqlWorkspace.admin.user,
    ),
  ];
  expect(codes).toEqual(["OK", "OK"]);
  expect(await stateOf(gateway, graphqlWorkspace)).toEqual(await stateOf(gateway, restWorkspace));
});
