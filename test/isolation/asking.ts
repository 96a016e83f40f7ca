import { randomUUID } from "node:crypto";
import { getNamedType, OperationTypeNode } from "graphql";
import { encodeNodeId, type NodeKey } from "../../src/engine/nodes/node-id.js";
import { openSocket } from "../live/live-socket.js";
import { type Gateway, type GraphQLAnswer, type Sender, startGateway } from "../support/harness.js";
import { plainPng } from "../support/png.js";
import {
  type AskingCaller,
  callerOf,
  type Expectation,
  edgeExpectations,
  fieldExpectations,
  groupsToWatch,
  hiddenFrom,
  hiddenId,
  type IdKind,
  idOf,
  kindsOfWorkspace,
  type Outcome,
  senderOf,
  visibleNodes,
} from "./expectations.js";
import {
  type Caller,
  createIsolationSite,
  HiddenContent,
  HiddenRows,
  type IsolationSite,
  type MarkedFacility,
} from "./isolation-site.js";
import { masked } from "./masked.js";
import {
  type AskedField,
  argumentText,
  documentOf,
  existenceOf,
  type FollowedEdge,
  followedFromRoot,
  fragmentsOf,
  type IdPosition,
  nodeTypes,
  positions,
  rootFields,
  selectionOfField,
  targetsOf,
  together,
  valuesIn,
  variablesOf,
} from "./schema-walk.js";

export let gateway: Gateway;
/** Sites for reading and for writing. */
export let shown: IsolationSite;
let changed: IsolationSite;
export const hiddenContent = new HiddenContent();
export let hiddenRows: HiddenRows;

/** Opens a gateway with the sites, which are those of the whole file. */
export async function openSites(): Promise<void> {
  // With a fixed clock, cached callers stay cached: the same requests run the same
  // statements.
  const now = new Date();
  gateway = await startGateway({
    now: () => now,
    environment: { MAX_QUERY_COST: "100000000", KEEP_DETECTIONS: "on", FEDERATION: "on" },
  });
  shown = await createIsolationSite(gateway.prisma, "shown");
  changed = await createIsolationSite(gateway.prisma, "changed");
  for (const { callers } of [shown, changed]) await hiddenContent.read(gateway, Object.values(callers));
  hiddenRows = new HiddenRows(gateway);
  for (const { callers } of [shown, changed])
    for (const { as } of Object.values(callers)) await gateway.graphql("{ workspace { id } }", { as });
}

/** Values of arguments that are not ids, by the field and the path, or by the name. */
export const values: Record<string, unknown> = {
  ...{ start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z", createdAt: "2026-11-20T12:00:00Z" },
  ...{
    email: "ada@test.example",
    timeZoneId: "Europe/Istanbul",
    locale: "de",
    region: "TR",
    phoneNumber: "0532 123 45 67",
    width: "1280",
    height: "720",
  },
  ...{
    actions: "alerts:read",
    permissions: "alerts:read",
    roles: "alerts:read",
    "Mutation.markSeen.at": "2026-11-20T12:00:00Z",
    "Mutation.setDigest.input.at": "07:00",
    // Nobody has an email address there.
    "Mutation.setDigest.input.enabled": false,
    "Mutation.createCamera.input.url": "rtsp://camera.example/1",
  },
  ...{
    "Mutation.reportConnector.input.unmapped.lastSeenAt": "2026-11-20T12:00:00Z",
    "Mutation.recordDetections.input.width": 1280,
    "Mutation.recordDetections.input.height": 720,
    "Mutation.recordDetections.input.objects.box.width": 1,
    "Mutation.recordDetections.input.objects.box.height": 1,
    "Mutation.testAlertRule.frames.at": "2026-11-20T12:00:00Z",
    "Mutation.testAlertRule.frames.width": 1280,
    "Mutation.testAlertRule.frames.height": 720,
    "Mutation.testAlertRule.frames.objects.box.width": 1,
    "Mutation.testAlertRule.frames.objects.box.height": 1,
  },
  group: {
    type: "GROUP",
    operator: "AND",
    children: [{ type: "STATIC_DELIMITATION_AREA", objects: ["PERSON"] }],
  },
};
const valuesByType: Record<string, unknown> = {
  String: "https://text.example/",
  Boolean: true,
  Int: 1,
  Float: 1,
  JSONObject: {},
  Upload: null,
};

/** The id of an object, its node id, or how a router names it. */
type Given = string | Record<string, string>;

let frames = 0;
/** Values that can be used once. */
const uniqueValues: Record<string, () => string> = {
  "Mutation.recordAlerts(input.id)": randomUUID,
  // Frames of a camera have to be in order.
  "Mutation.recordDetections(input.at)": () => {
    frames += 1;
    return new Date(Date.UTC(2026, 10, 20) + frames * 1000).toISOString();
  },
  "Mutation.createUser(input.authId)": randomUUID,
  "Mutation.inviteUser(input.email)": () => `${randomUUID()}@test.example`,
};

/**
 * Fills arguments: ids with those of a facility, except for given ones, and others with
 * valid values.
 */
export const valuesFor = (field: string, site: MarkedFacility, given: Record<string, Given> = {}) => {
  return (path: string, type: string) => {
    const position = `${field}(${path})`;
    if (given[path]) return given[path];
    const unique = uniqueValues[position];
    if (unique) return unique();
    if (type === "UUID" || type === "ID" || type === "_Any") return idsFor(position, site);
    if (position === "Camera.lastAlert(type)") return `https://${site.marker}.example/Alert.name`;
    const value =
      values[`${field}.${path}`] ?? values[path.split(".").at(-1) as string] ?? valuesByType[type];
    if (value === undefined) throw new Error(`Name a value for ${position}`);
    return value;
  };
};

const idsFor = (position: string, site: MarkedFacility) => {
  if (position === "Query.node(nodeId)") return nodeIdOf("Camera", site, site.cameraId);
  if (position === "Query._entities(representations)") return allKeys().map(representationOf);
  return position === "Query.nodes(nodeIds)" ? allKeys().map(encodeNodeId) : idOf[kindOf(position)](site);
};

const nodeIdOf = (type: string, { workspaceId }: { workspaceId: string }, id: string) =>
  encodeNodeId({ type, workspaceId, id });

/** How a router names an object: by its id, if that is a key. */
const representationOf = ({ type, ...key }: NodeKey): Record<string, string> =>
  type === "Alert"
    ? { __typename: type, nodeId: nodeIdOf(type, key, key.id) }
    : { __typename: type, id: key.id };

/** The keys of everything that any caller may see. */
const allKeys = (): NodeKey[] => {
  const { admin, otherAdmin } = shown.callers;
  return nodeTypes.flatMap((type) =>
    [admin, otherAdmin].flatMap(
      ({ workspaceId, ...caller }) =>
        visibleNodes[type]?.({ workspaceId, ...caller }, shown).map((id) => ({ type, workspaceId, id })) ??
        [],
    ),
  );
};

const keyFor = ({ name }: AskedField, key: NodeKey): Given =>
  name === "Query._entities" ? representationOf(key) : encodeNodeId(key);

function kindOf(position: string): IdKind {
  const kind = fieldExpectations[position]?.id;
  if (!kind) throw new Error(`Name the kind of the id ${position}`);
  return kind;
}

export const queries = rootFields.filter(({ operation }) => operation === OperationTypeNode.QUERY);

/** Reads everything below a field of Query, some levels deep. Returns the edges in it. */
async function crawl({ field, name }: AskedField, caller: Caller): Promise<FollowedEdge[]> {
  const text = (edge: string, each: typeof field) =>
    argumentText(each, valuesFor(edge, caller.sites[0] ?? shown.near));
  const targets = targetsOf(field);
  const levels = targets.length > 1 ? 1 : field.name === "workspace" ? 3 : 2;
  const found: FollowedEdge[] = [];
  for (const target of targets) {
    const selection = selectionOfField(field, levels, text, target);
    const query = `{ ${field.name}${text(name, field)} ${selection} } ${fragmentsOf(selection)}`;
    const { data, errors } = await gateway.graphql<Record<string, unknown> | null>(query, { as: caller.as });
    expect(errors?.filter(({ extensions }) => extensions.code !== "FORBIDDEN") ?? []).toEqual([]);
    expect(hiddenContent.in(JSON.stringify({ data, errors }), caller)).toEqual([]);
    found.push(...followedFromRoot(field, target, data ?? {}));
  }
  return targets.length > 1 ? together(found, undefined) : found;
}

/** The facility that a record belongs to; none for workspaces and users. */
const siteOf = (id: string | undefined, { near, far, other }: IsolationSite) =>
  [near, far, other].find(({ workspaceId, userId, ...own }) => id && Object.values(own).flat().includes(id));

const sorted = ({ targets, ...edge }: FollowedEdge) => ({
  ...edge,
  targets: Array.isArray(targets) ? targets.toSorted() : targets,
});

/** Follows the edges below fields of Query, and compares what they show with what the caller may see. */
export async function expectVisible(queries: AskedField[], caller: Caller): Promise<FollowedEdge[]> {
  const found: FollowedEdge[] = [];
  for (const query of queries) found.push(...(await crawl(query, caller)));
  const expected = found.map(({ edge, source }) => {
    const targets =
      edgeExpectations[edge]?.({ caller, isolation: shown, site: siteOf(source, shown), source }) ??
      "no expectation";
    return { edge, source, targets } as FollowedEdge;
  });
  expect(found.map(sorted)).toEqual(expected.map(sorted));
  return found;
}

export const isolationFor = ({ operation }: AskedField) =>
  operation === OperationTypeNode.QUERY ? shown : changed;

type Answer = GraphQLAnswer<object | null>;

export function ask(asked: AskedField, as: Sender, variables: Record<string, unknown>): Promise<Answer> {
  // Hidden objects do not exist, whatever is selected.
  const everything = asked.operation === OperationTypeNode.MUTATION;
  const query = documentOf(
    asked,
    variables,
    everything ? selectionOfField(asked.field, 0, () => "") : existenceOf(asked.field),
  );
  const isFile = asked.field.args.some(({ type }) => getNamedType(type).name === "Upload");
  const variable = isFile ? "image" : "input.image";
  if (isFile || "image" in ((variables.input as object) ?? {}))
    return gateway.upload({ query, variables, file: plainPng(), variable }, { as });
  return gateway.graphql<object | null>(query, { as, variables });
}

const isEmpty = (value: unknown) =>
  [value, (value as { nodes?: unknown } | null)?.nodes].some(
    (list) => Array.isArray(list) && list.length === 0,
  );

export function outcomeOf(asked: AskedField, { data, errors }: Answer): Outcome {
  const code = errors?.[0]?.extensions.code;
  if (code) return code as Outcome;
  const found = valuesIn(asked, data).flatMap((value) =>
    Array.isArray(value) && value.length > 0 ? value : [value],
  );
  if (found.length > 0 && found.every((value) => value === null)) return "null";
  return found.every(isEmpty) ? "empty" : "allowed";
}

const comparable = ({ status, data, errors }: Answer) => ({
  status,
  text: masked(JSON.stringify({ data, errors })),
});

/**
 * The caller who may ask with their own id. Admins read fields of the whole workspace.
 */
const controlFor = ({ name }: AskedField, kind: IdKind): AskingCaller =>
  name === "Query.auditLog" || kindsOfWorkspace.has(kind) ? "otherAdmin" : "siteUser";

/**
 * Removes the caller's own alerts that recording gave a hidden id: others must not find
 * it there. The ids of alerts are unique only within a workspace, and alerts may name any
 * area.
 */
async function removeRecorded(kind: IdKind, id: string, site: MarkedFacility, caller: Caller): Promise<void> {
  const { workspaceId } = caller;
  const { alert } = gateway.prisma;
  if (kind === "alert" && site.workspaceId !== workspaceId)
    await alert.deleteMany({ where: { workspaceId, id } });
  if (kind === "area") {
    const facilityId = { in: caller.sites.map((own) => own.facilityId) };
    await alert.deleteMany({ where: { workspaceId, facilityId, areaIds: { has: id } } });
  }
}

/** Asks with an id that never existed and with hidden ones, and compares. */
async function compare({ asked, position, path, nodeType }: IdPosition, name: AskingCaller): Promise<void> {
  const {
    id: kind = "camera",
    outcomes,
    inWorkspace,
    ifNamedByAlerts,
    alsoGiven = path,
    sameAs = path,
  } = fieldExpectations[position] as Expectation;
  const isolation = isolationFor(asked);
  const caller = callerOf(isolation, name);
  const [own = isolation.near] = caller.sites;
  const send = async (id: string) => {
    gateway.clearStatements();
    const given = nodeType ? keyFor(asked, { type: nodeType, workspaceId: caller.workspaceId, id }) : id;
    const variables = variablesOf(
      asked,
      [path, alsoGiven],
      valuesFor(asked.name, own, { [path]: given, [sameAs]: given }),
    );
    const answer = await ask(asked, senderOf(isolation, name), variables);
    // Background work follows a write that succeeds.
    const statements = outcomes[name] === "allowed" ? [] : gateway.statements.toSorted();
    return { answer, outcome: outcomeOf(asked, answer), statements };
  };
  // Other tests' writes may have changed the caller. Without this request, one of the two
  // would read the caller again.
  if (asked.operation === OperationTypeNode.MUTATION)
    await gateway.graphql("{ workspace { id } }", { as: senderOf(isolation, name) });
  const unknown = await send(randomUUID());
  // Asking with the caller's own id proves that the rest of the request is valid.
  const isControl =
    asked.operation === OperationTypeNode.QUERY &&
    outcomes[name] !== "FORBIDDEN" &&
    name === controlFor(asked, kind);
  if (isControl) expect((await send(idOf[kind](own))).outcome, name).toBe("allowed");
  for (const site of hiddenFrom(caller, kind)) {
    const id = hiddenId(kind, site, name);
    const { answer, outcome, statements } = await send(id);
    await removeRecorded(kind, id, site, caller);
    if (inWorkspace && site.workspaceId === caller.workspaceId && caller.sites.length > 0) {
      expect({ name, outcome }).toEqual({ name, outcome: inWorkspace });
      continue;
    }
    if (
      ifNamedByAlerts &&
      outcomes[name] !== "FORBIDDEN" &&
      caller.sites.some(({ alertRuleId }) => alertRuleId === id)
    ) {
      expect({ name, outcome }).toEqual({ name, outcome: ifNamedByAlerts });
      expect(hiddenContent.in(JSON.stringify(answer), caller, [id])).toEqual([]);
      continue;
    }
    expect({ name, outcome, statements }).toEqual({
      name,
      outcome: outcomes[name],
      statements: unknown.statements,
    });
    expect(comparable(answer)).toEqual(comparable(unknown.answer));
    expect(hiddenContent.in(JSON.stringify(answer), caller, [id])).toEqual([]);
  }
}

/** Compares for several callers, and checks that no row changes that is hidden from them. */
export async function expectHidden(each: IdPosition, askers: readonly AskingCaller[]): Promise<void> {
  const { outcomes } = fieldExpectations[each.position] as Expectation;
  for (const names of groupsToWatch(outcomes, askers)) {
    const caller = callerOf(isolationFor(each.asked), names.at(-1) as AskingCaller);
    const rows = each.asked.operation === OperationTypeNode.MUTATION && (await hiddenRows.of(caller));
    for (const name of names) await compare(each, name);
    if (rows) expect(await hiddenRows.of(caller)).toBe(rows);
  }
}

/** The ids that queries and mutations take, and those that subscriptions do. */
export const [askedPositions, subscribedPositions] = [false, true].map((subscribed) =>
  positions.filter(({ asked }) => (asked.operation === OperationTypeNode.SUBSCRIPTION) === subscribed),
) as [IdPosition[], IdPosition[]];

/** Subscribes with an id that never existed and with hidden ones, and compares. */
export async function expectNoSubscription(
  { asked, position, path }: IdPosition,
  askers: readonly AskingCaller[],
): Promise<void> {
  const { id: kind, outcomes } = fieldExpectations[position] as Required<(typeof fieldExpectations)[string]>;
  for (const name of askers) {
    const caller = callerOf(shown, name);
    const socket = await openSocket(gateway, name === "nobody" ? {} : { as: caller.as });
    if (name === "nobody") {
      socket.send({ type: "connection_init" });
      expect({ name, outcome: (await socket.closed()).code }).toEqual({ name, outcome: 4401 });
      continue;
    }
    const ids = [randomUUID(), ...hiddenFrom(caller, kind).map(idOf[kind])];
    for (const id of ids) {
      const variables = variablesOf(asked, [path], valuesFor(asked.name, shown.near, { [path]: id }));
      socket.subscribe(
        documentOf(
          asked,
          variables,
          selectionOfField(asked.field, 0, () => ""),
        ),
        { id, variables },
      );
    }
    await expect.poll(() => ids.map((id) => socket.errors(id))).toEqual(ids.map(() => [outcomes[name]]));
    const payloads = socket.messages.flatMap(({ type, payload }) =>
      type === "error" ? [masked(JSON.stringify(payload))] : [],
    );
    expect(new Set(payloads).size).toBe(1);
  }
}
