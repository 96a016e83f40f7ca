// Runs once: both kinds of databases run the same statements.
// Takes long: it asks for each field as each caller.
import { randomUUID } from "node:crypto";
import { OperationTypeNode } from "graphql";
import { type LiveSocket, openSocket } from "../live/live-socket.js";
import {
  ask,
  askedPositions,
  expectHidden,
  expectNoSubscription,
  expectVisible,
  gateway,
  hiddenContent,
  hiddenRows,
  isolationFor,
  openSites,
  outcomeOf,
  queries,
  shown,
  subscribedPositions,
  values,
  valuesFor,
} from "./asking.js";
import {
  askingCallers,
  askingCallersOf,
  callerOf,
  type Expectation,
  edgeExpectations,
  eventExpectations,
  fieldExceptions,
  fieldExpectations,
  senderOf,
  visibleNodes,
} from "./expectations.js";
import { type CallerName, callerNames, createIsolationSite, unmarkedColumns } from "./isolation-site.js";
import {
  type AskedField,
  argumentText,
  documentOf,
  edges,
  nestedFields,
  nodeTypes,
  rootFields,
  selectionOfField,
  variablesOf,
  withoutIds,
} from "./schema-walk.js";

await openSites();
/** A site for events. */
const eventful = await createIsolationSite(gateway.prisma, "eventful");
await hiddenContent.read(gateway, Object.values(eventful.callers));
afterAll(() => gateway.close());

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

it.each(callerNames)("shows exactly the visible objects, through every edge, to %s", async (name) => {
  const found = await expectVisible(queries, shown.callers[name]);
  const leading = new Set(
    found
      .filter(({ targets }) => (Array.isArray(targets) ? targets.length : targets) > 0)
      .map(({ edge }) => edge),
  );
  if (name === "admin") expect(edges.filter((edge) => !leading.has(edge))).toEqual([]);
});

it.each(askedPositions.map((each) => [each.position, each] as const))(
  "a hidden id is answered like one that never existed, and changes nothing, by %s",
  (position, each) => expectHidden(each, askingCallersOf(position)),
);

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

it.each(subscribedPositions.map((each) => [each.position, each] as const))(
  "a subscription to a hidden object is answered like one to an object that never existed, by %s",
  (_position, each) => expectNoSubscription(each, askingCallers),
);

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
