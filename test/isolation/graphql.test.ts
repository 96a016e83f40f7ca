// Runs once: both kinds of databases run the same statements.
// Takes long: it asks for each field as each caller.
import { randomUUID } from "node:crypto";
import { getNamedType, OperationTypeNode } from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeNodeId, type NodeKey } from "../../src/relay/node-id.js";
import { type LiveSocket, openSocket } from "../live/live-socket.js";
import { type Gateway, type GraphQLAnswer, type Sender, startGateway } from "../support/harness.js";
import { plainPng } from "../support/png.js";
import {
  type AskingCaller,
  askingCallers,
  askingCallersOf,
  callerOf,
  type Expectation,
  edgeExpectations,
  eventExpectations,
  fieldExceptions,
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
  type CallerName,
  callerNames,
  createIsolationSite,
  HiddenContent,
  HiddenRows,
  type IsolationSite,
  type MarkedFacility,
  unmarkedColumns,
} from "./isolation-site.js";
import { masked } from "./masked.js";
import {
  type AskedField,
  argumentText,
  documentOf,
  edges,
  existenceOf,
  type FollowedEdge,
  followedFromRoot,
  fragmentsOf,
  type IdPosition,
  nestedFields,
  nodeTypes,
  positions,
  rootFields,
  selectionOfField,
  targetsOf,
  together,
  valuesIn,
  variablesOf,
  withoutIds,
} from "./schema-walk.js";

let gateway: Gateway;
/** Sites for reading, for writing, and for events. */
let shown: IsolationSite;
let changed: IsolationSite;
let eventful: IsolationSite;
const hiddenContent = new HiddenContent();
let hiddenRows: HiddenRows;
beforeAll(async () => {
  // With a fixed clock, cached callers stay cached: the same requests run the same
  // statements.
  const now = new Date();
  gateway = await startGateway({
    seed: "none",
    now: () => now,
    environment: { MAX_QUERY_COST: "100000000", KEEP_DETECTIONS: "on", FEDERATION: "on" },
  });
  shown = await createIsolationSite(gateway.prisma, "shown");
  changed = await createIsolationSite(gateway.prisma, "changed");
  eventful = await createIsolationSite(gateway.prisma, "eventful");
  for (const { callers } of [shown, changed, eventful])
    await hiddenContent.read(gateway, Object.values(callers));
  hiddenRows = new HiddenRows(gateway);
  for (const { callers } of [shown, changed])
    for (const { as } of Object.values(callers)) await gateway.graphql("{ workspace { id } }", { as });
});
afterAll(() => gateway.close());

/** Values of arguments that are not ids, by the field and the path, or by the name. */
const values: Record<string, unknown> = {
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
const valuesFor = (field: string, site: MarkedFacility, given: Record<string, Given> = {}) => {
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

it("has exceptions of fields and ids that exist alone", () => {
  const names = [...rootFields, ...nestedFields].map(({ name }) => name);
  const known = new Set([...names, ...Object.keys(fieldExpectations)]);
  expect(Object.keys(fieldExceptions).filter((name) => !known.has(name))).toEqual([]);
});

it("has an expectation for every edge and every event, and no other", () => {
  expect(Object.keys(edgeExpectations).toSorted()).toEqual(edges);
  const subscriptions = rootFields
    .filter(({ operation }) => operation === OperationTypeNode.SUBSCRIPTION)
    .map(({ name }) => name);
  expect(Object.keys(eventExpectations).toSorted()).toEqual(subscriptions.toSorted());
  expect(Object.keys(visibleNodes).toSorted()).toEqual(nodeTypes.toSorted());
});

it("marks every text of the facilities, so that the tests notice any text in the wrong place", async () => {
  for (const site of [shown.near, shown.far, shown.other])
    expect(await unmarkedColumns(gateway.prisma, site)).toEqual([]);
});

const queries = rootFields.filter(({ operation }) => operation === OperationTypeNode.QUERY);

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

it.each(callerNames)("shows exactly the visible objects, through every edge, to %s", async (name) => {
  const caller = shown.callers[name];
  const found: FollowedEdge[] = [];
  for (const query of queries) found.push(...(await crawl(query, caller)));
  const expected = found.map(({ edge, source }) => {
    const targets =
      edgeExpectations[edge]?.({ caller, isolation: shown, site: siteOf(source, shown), source }) ??
      "no expectation";
    return { edge, source, targets } as FollowedEdge;
  });
  expect(found.map(sorted)).toEqual(expected.map(sorted));
  const leading = new Set(
    found
      .filter(({ targets }) => (Array.isArray(targets) ? targets.length : targets) > 0)
      .map(({ edge }) => edge),
  );
  if (name === "admin") expect(edges.filter((edge) => !leading.has(edge))).toEqual([]);
});

const isolationFor = ({ operation }: AskedField) => (operation === OperationTypeNode.QUERY ? shown : changed);

type Answer = GraphQLAnswer<object | null>;

function ask(asked: AskedField, as: Sender, variables: Record<string, unknown>): Promise<Answer> {
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

function outcomeOf(asked: AskedField, { data, errors }: Answer): Outcome {
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

describe("a hidden id is answered like one that never existed, and changes nothing, by", () => {
  const asked = positions.filter(({ asked: { operation } }) => operation !== OperationTypeNode.SUBSCRIPTION);
  it.each(asked.map((each) => [each.position, each] as const))("%s", async (_position, each) => {
    const { outcomes } = fieldExpectations[each.position] as Expectation;
    for (const names of groupsToWatch(outcomes, askingCallersOf(each.position))) {
      const caller = callerOf(isolationFor(each.asked), names.at(-1) as AskingCaller);
      const rows = each.asked.operation === OperationTypeNode.MUTATION && (await hiddenRows.of(caller));
      for (const name of names) await compare(each, name);
      if (rows) expect(await hiddenRows.of(caller)).toBe(rows);
    }
  });
});

describe("without an id, each caller gets exactly the visible objects by", () => {
  const asked = withoutIds.filter(({ operation }) => operation !== OperationTypeNode.SUBSCRIPTION);
  it.each(asked.map((each) => [each.name, each] as const))("%s", async (field, each) => {
    const isolation = isolationFor(each);
    const { outcomes, alsoGiven } = fieldExpectations[field] as Expectation;
    const included = alsoGiven ? [alsoGiven] : [];
    for (const name of askingCallers) {
      const caller = callerOf(isolation, name);
      const rows = await hiddenRows.of(caller);
      const answer = await ask(
        each,
        senderOf(isolation, name),
        variablesOf(each, included, valuesFor(field, caller.sites[0] ?? isolation.near)),
      );
      expect({ name, outcome: outcomeOf(each, answer) }).toEqual({
        name,
        outcome: outcomes[name],
      });
      expect(hiddenContent.in(JSON.stringify(answer), caller)).toEqual([]);
      expect(await hiddenRows.of(caller)).toBe(rows);
    }
  });
});

it("hidden cameras in a filter match nothing beside visible ones", async () => {
  const { as, sites, hidden } = shown.callers.siteUser;
  const query = "query ($filter: AlertFilter!) { alerts(filter: $filter) { nodes { id } totalCount } }";
  const filter = {
    start: values.start,
    end: values.end,
    cameraIds: [...hidden, ...sites].map(({ cameraId }) => cameraId),
  };
  const nodes = shown.near.alertIds.map((id) => ({ id }));
  expect(await gateway.data(query, { as, variables: { filter } })).toEqual({
    alerts: { nodes, totalCount: nodes.length },
  });
});

it("a cursor from another workspace is only a time", async () => {
  type Page = {
    alerts: { nodes: { id: string }[]; totalCount: number; pageInfo: { endCursor: string | null } };
  };
  const query = `query ($filter: AlertFilter!, $after: String) {
    alerts(filter: $filter, first: 4, after: $after) { nodes { id } totalCount pageInfo { endCursor } }
  }`;
  const page = async (name: CallerName, after?: string) => {
    const variables = { filter: { start: values.start, end: values.end }, after };
    return (await gateway.data<Page>(query, { as: shown.callers[name].as, variables })).alerts;
  };
  // The alerts of the other workspace lie between the alerts of the two facilities.
  const after = (await page("otherAdmin")).pageInfo.endCursor as string;
  expect(await page("admin", after)).toMatchObject({
    nodes: shown.far.alertIds.map((id) => ({ id })),
    totalCount: 5,
  });
  expect(await page("siteUser", after)).toEqual({ nodes: [], totalCount: 2, pageInfo: { endCursor: null } });
});

describe("a subscription to a hidden object is answered like one to an object that never existed, by", () => {
  const asked = positions.filter(({ asked: { operation } }) => operation === OperationTypeNode.SUBSCRIPTION);
  it.each(asked.map(({ position, ...each }) => [position, each] as const))(
    "%s",
    async (position, { asked, path }) => {
      const { id: kind, outcomes } = fieldExpectations[position] as Required<
        (typeof fieldExpectations)[string]
      >;
      for (const name of askingCallers) {
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
    },
  );
});

it("sends events of visible facilities alone, on every subscription", async () => {
  const subscriptions = rootFields.filter(({ operation }) => operation === OperationTypeNode.SUBSCRIPTION);
  const sockets = new Map<CallerName, LiveSocket>();
  for (const name of callerNames) {
    const socket = await openSocket(gateway, { as: eventful.callers[name].as });
    sockets.set(name, socket);
    for (const asked of subscriptions) {
      const selection = selectionOfField(asked.field, 1, (edge, field) =>
        argumentText(field, valuesFor(edge, eventful.near)),
      );
      socket.subscribe(documentOf(asked, {}, selection), { id: asked.name });
    }
  }
  const subscribed = async () =>
    /^gateway_subscriptions_open (\d+)/m.exec(await (await gateway.fetch("/metrics")).text())?.[1];
  await expect.poll(subscribed).toBe(String(callerNames.length * subscriptions.length));
  // Events arrive in order: once those of the second round are there, none of the first
  // is still coming.
  for (const detail of ["FIRST", "SECOND"]) {
    for (const site of [eventful.near, eventful.far, eventful.other]) {
      const { as } = site === eventful.other ? eventful.callers.otherAdmin : eventful.callers.admin;
      const variables = { ...site, alertId: randomUUID(), detail, now: new Date().toISOString() };
      for (const { mutation } of Object.values(eventExpectations))
        await gateway.data(mutation, { as, variables });
    }
  }
  const ofEvent = (field: AskedField, data: object | null | undefined) => {
    const record = (data as Record<string, { alert?: object }>)[field.field.name];
    const { id, cameraId } = (record?.alert ?? record) as { id: string; cameraId?: string };
    return cameraId ?? id;
  };
  for (const [name, socket] of sockets) {
    const caller = eventful.callers[name];
    for (const asked of subscriptions) {
      const ids = caller.sites.map((site) => eventExpectations[asked.name]?.shows(site));
      await expect
        .poll(() => socket.results(asked.name).map(({ data }) => ofEvent(asked, data)), {
          message: `${name} ${asked.name}`,
        })
        .toEqual([...ids, ...ids]);
    }
    expect(hiddenContent.in(JSON.stringify(socket.messages), caller)).toEqual([]);
  }
});
