import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Gateway, type Sender, startGateway } from "../support/harness.js";
import { bodyOf, caseOf, initOf, requestOf, routeCases } from "../support/route-cases.js";
import { badValues } from "./bad-values.js";
import { unknown } from "./fleet.js";
import { createWorld, fitting, stateOf, stateSettings, type World } from "./write-world.js";

let gateway: Gateway;
let worlds = 0;
beforeAll(async () => {
  gateway = await startGateway(stateSettings(new Date()));
});
afterAll(() => gateway.close());

const freshWorld = () => {
  worlds += 1;
  return createWorld(gateway.prisma, worlds);
};

type Ids = Record<"facilityId" | "cameraId" | "alertId" | "requestId", string>;
type Body = Record<string, unknown>;

/** The same write by GraphQL, with the variables that say what a request says. */
interface Twin {
  mutation: string;
  variables: (ids: Ids, body: Body) => object;
  /** The variable that is a file, where there is one. */
  file?: { variable: string; from: string };
  /** Bodies of good requests beside the least one. */
  bodies?: (world: World) => Body[];
}

const capitals = (value: unknown) => (typeof value === "string" ? value.toUpperCase() : value);

function streamOf(value: unknown): object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { streamType: capitals(value) };
  const { type, protocol } = value as { type?: unknown; protocol?: unknown };
  return { streamType: capitals(type), streamProtocol: capitals(protocol) };
}

const inCamelCase = (body: Body) =>
  Object.fromEntries(Object.entries(body).map(([name, value]) => [name.replace(/_[a-z]/g, (part) => part.slice(1).toUpperCase()), value]));

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
    mutation: "mutation ($id: UUID!, $input: UpdateCameraInput!) { updateCamera(id: $id, input: $input) { id } }",
    variables: ({ cameraId }, { streamType, streamProtocol, ...body }) => ({
      id: cameraId,
      input: { ...body, streamType: streamType === undefined ? undefined : capitals(streamType), streamProtocol: capitals(streamProtocol) },
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
    mutation: "mutation ($id: UUID!, $input: StreamThumbnailInput!) { recordStreamThumbnail(requestId: $id, input: $input) { id } }",
    variables: ({ requestId }, input) => ({ id: requestId, input }),
    bodies: () => [{ url: "HTTP://feeds.example/".padEnd(2048, "x") }],
  },
  6: {
    mutation: "mutation ($id: UUID!, $input: StreamMetadataInput!) { recordStreamMetadata(requestId: $id, input: $input) { id } }",
    variables: ({ requestId }, body) => ({ id: requestId, input: inCamelCase(body) }),
    bodies: () => [
      Object.fromEntries(Object.entries(caseOf(6).sends ?? {}).map(([name, { good }]) => [name, good])),
      { codec_name: null, duration_ts: null, nb_frames: "1" },
      { width: "9999999", height: "1", duration_ts: -5 },
    ],
  },
  7: {
    mutation: "mutation ($id: UUID!, $input: StreamErrorInput!) { recordStreamError(requestId: $id, input: $input) { id } }",
    variables: ({ requestId }, input) => ({ id: requestId, input }),
    bodies: () => [{ operation: "x".repeat(200), error: "x".repeat(10_000) }],
  },
  12: {
    mutation: "mutation ($id: UUID!, $input: StatusDetailInput!) { setCameraStatusDetail(id: $id, input: $input) { id } }",
    variables: ({ cameraId }, { status_detail, status_detail_source }) => ({
      id: cameraId,
      input: { statusDetail: status_detail, source: status_detail_source },
    }),
    bodies: () => [{ status_detail: "OPERATIONAL", status_detail_source: "CLIENT" }],
  },
  14: {
    mutation: "mutation ($facilityId: UUID!, $input: CreateCameraInput!) { createCamera(facilityId: $facilityId, input: $input) { camera { id } } }",
    variables: ({ facilityId }, { streamType, ...body }) => ({ facilityId, input: { ...body, ...streamOf(streamType) } }),
    bodies: () => [
      { streamType: { type: "vpn", protocol: "hls" }, facilityNodeId: unknown.cameraId.toUpperCase() },
      { url: "https://user:***@camera.example/new", facilityNodeId: null },
    ],
  },
  15: {
    mutation: "mutation ($facilityId: UUID!, $input: CreateClientCameraInput!) { createClientCamera(facilityId: $facilityId, input: $input) { id } }",
    variables: ({ facilityId }, { cameraName, metadata }) => ({ facilityId, input: { name: cameraName, metadata } }),
    file: { variable: "input.image", from: "cameraImage" },
    bodies: () => [{ metadata: { width: 1280.5, height: 720 } }, { cameraName: "Gate", metadata: {} }, { cameraImage: Buffer.from("no picture") }],
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

/** One write by REST; answers its code, OK for a good one. */
async function byRest(number: number, ids: Ids, changes: Body, as: Sender): Promise<string> {
  const each = caseOf(number);
  const response = await gateway.fetch(requestOf(each, { ...ids }), { as, ...initOf(each, changes) });
  const text = await response.text();
  return response.status === 200 ? "OK" : JSON.parse(text).code;
}

async function byGraphql(number: number, ids: Ids, changes: Body, as: Sender): Promise<string> {
  const { mutation, variables, file } = twins[number] as Twin;
  const body = bodyOf(caseOf(number), changes);
  const operation = { query: mutation, variables: variables(ids, body) };
  const send = () => {
    if (!file) return gateway.graphql(mutation, { as, ...operation });
    return gateway.upload({ ...operation, variable: file.variable, file: body[file.from] as Buffer }, { as });
  };
  return (await send()).errors?.[0]?.extensions.code ?? "OK";
}

const callers: [string, (number: number, world: World) => Sender][] = [
  ["an admin", (number, { admin }) => fitting(caseOf(number), admin)],
  ["somebody of one facility", (number, { local }) => fitting(caseOf(number), local)],
  ["an onlooker", (number, { onlooker }) => fitting(caseOf(number), onlooker)],
  ["an admin's key", (_number, { admin }) => admin.key],
  ["a key of one facility", (_number, { local }) => local.key],
];

describe("REST and GraphQL leave the same behind and refuse the same", () => {
  describe.each(callers)("for %s", (_who, as) => {
    it.each(writes.map(({ number, method, path }) => [`${number} ${method.toUpperCase()} ${path}`, number] as const))(
      "%s",
      async (_title, number) => {
        const [one, other] = [await freshWorld(), await freshWorld()];
        const codes: Record<"rest" | "graphql", string[]> = { rest: [], graphql: [] };
        for (const place of ["beside", "unknown", "foreign", "ids"] as const) {
          for (const index of [-1, ...(twins[number]?.bodies?.(one) ?? []).keys()]) {
            const idsOf = (world: World, foreign: World): Ids => ({ beside: world.beside, unknown, foreign: foreign.ids, ids: world.ids })[place];
            const bodyIn = (world: World) => twins[number]?.bodies?.(world)[index] ?? {};
            codes.rest.push(await byRest(number, idsOf(one, other), bodyIn(one), as(number, one)));
            codes.graphql.push(await byGraphql(number, idsOf(other, one), bodyIn(other), as(number, other)));
          }
        }
        expect(codes.rest).toEqual(codes.graphql);
        expect(await stateOf(gateway, one)).toEqual(await stateOf(gateway, other));
      },
    );
  });
});

describe("REST and GraphQL refuse the same input with BAD_REQUEST, and neither changes anything", () => {
  const withBody = writes.filter(({ sends, form }) => sends && !form);
  it.each(withBody.map(({ number, method, path }) => [`${number} ${method.toUpperCase()} ${path}`, number] as const))(
    "%s",
    async (_title, number) => {
      const world = await freshWorld();
      const before = await stateOf(gateway, world);
      const as = fitting(caseOf(number), world.admin);
      for (const [name, { kind, required, nullable }] of Object.entries(caseOf(number).sends ?? {})) {
        // GraphQL writes enums in capitals.
        const bad = badValues[kind].filter(([what]) => !/in capitals$/.test(what) || kind === "actions").map(([, value]) => value);
        for (const value of [...bad, ...(required ? [undefined] : []), ...(nullable ? [] : [null])]) {
          const body = { [name]: value };
          const codes = [await byRest(number, world.ids, body, as), await byGraphql(number, world.ids, body, as)];
          expect({ body, codes }).toEqual({ body, codes: ["BAD_REQUEST", "BAD_REQUEST"] });
        }
      }
      expect(await stateOf(gateway, world)).toEqual(before);
    },
  );
});

it("REST and GraphQL give an action that is named twice once", async () => {
  const [one, other] = [await freshWorld(), await freshWorld()];
  const actions = ["alerts:write", "alerts:write"];
  const codes = [
    await byRest(33, one.ids, { userId: one.memberId, actions }, one.admin.user),
    await byGraphql(33, other.ids, { userId: other.memberId, actions }, other.admin.user),
  ];
  expect(codes).toEqual(["OK", "OK"]);
  expect(await stateOf(gateway, other)).toEqual(await stateOf(gateway, one));
});
