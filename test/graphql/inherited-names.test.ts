// Runs once: both kinds of databases run the same statements.

import { randomUUID } from "node:crypto";
import { permissions } from "../../src/engine/access/permissions.js";
import { openSocket, running } from "../live/live-socket.js";
import { eventually } from "../support/eventually.js";
import { createAlerts, createPlace, createUser } from "../support/factories.js";
import { sharedGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { plainPng } from "../support/png.js";

/**
 * Names that objects, lists, functions and promises inherit, and names that JavaScript
 * looks up in any object.
 */
const inherited = [
  ...new Set(
    [Object, Array, Function, Promise].flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype)),
  ),
  ...["then", "toJSON", "prototype", "default", "arguments", "caller", "$type"],
].filter((name, index, all) => all.indexOf(name) === index);
/** The names that GraphQL allows. */
const names = inherited.filter((name) => /^[_A-Za-z]\w*$/.test(name));
const [reserved, ordinary] = [true, false].map((isReserved) =>
  names.filter((name) => name.startsWith("__") === isReserved),
) as [string[], string[]];
/** No more aliases may be in a document. */
const groups = [
  reserved,
  ...listOf(Math.ceil(ordinary.length / 25), (index) => ordinary.slice(25 * index, 25 * (index + 1))),
];
/** Names that nothing inherits, as substitutes. */
const plainName = (name: string) => `plain_${name.replaceAll("_", "x")}`;

const caller = { user: "constructor" };
const gateway = await sharedGateway();
const { prisma } = gateway;
const ids = await createPlace(prisma);
await createUser(prisma, { workspaceId: ids.workspaceId, authId: caller.user, roles: [...permissions] });
await createAlerts(
  prisma,
  [true, false, false].map((bookmark) => ({ ...ids, bookmark })),
);

/** Runs an operation twice. Returns the different answers as texts. */
async function textsOf(query: string, variables: object): Promise<string[]> {
  const texts = new Set<string>();
  for (let run = 0; run < 2; run += 1) {
    const body = JSON.stringify({ query, variables });
    const response = await gateway.fetch("/graphql", {
      method: "POST",
      as: caller,
      headers: { "content-type": "application/json" },
      body,
    });
    // PostgreSQL writes spaces where graphql-js writes none.
    texts.add(JSON.stringify(JSON.parse(await response.text())));
  }
  return [...texts];
}

const period = { start: "2020-01-01T00:00:00Z", end: "2030-01-01T00:00:00Z" };

// As aliases they are tested in answers.test.ts.
describe.each(groups.map((group) => [group.join(", "), group] as const))("the names %s", (_title, group) => {
  it.each<[what: string, values: (name: string, index: number) => [string, unknown][]]>([
    ["omitted", () => []],
    ["null", (name) => [[name, null]]],
    ["given", (name, index) => [[name, index % 2 === 0]]],
  ])("mean nothing as variables that are %s", async (_what, values) => {
    const [actual, expected] = await Promise.all(
      [(name: string) => name, plainName].map((nameOf) => {
        const declared = group.map((name) => `$${nameOf(name)}: Boolean`).join();
        const fields = group.map(
          (name, index) =>
            `a${index}: alerts(filter: { start: $start, end: $end, bookmark: $${nameOf(name)} }) { totalCount }`,
        );
        // An own member `__proto__`, as JSON can contain.
        const given = Object.fromEntries(group.flatMap((name, index) => values(nameOf(name), index)));
        return textsOf(
          `query ($start: DateTimeISO!, $end: DateTimeISO!, ${declared}) { ${fields.join(" ")} }`,
          { ...period, ...given },
        );
      }),
    );
    expect(actual).toEqual(expected);
    expect(actual).toEqual([expect.stringContaining('"a0":{"totalCount"')]);
  });

  it("mean nothing as names of operations and fragments", async () => {
    for (const name of group) {
      const query = `query ${name} { workspace { ...${name} } } fragment ${name} on Workspace { id }`;
      const answer = await gateway.graphql(query, { as: caller, operationName: name });
      expect(answer).toMatchObject({ data: { workspace: { id: ids.workspaceId } }, errors: undefined });
      expect(
        (await gateway.graphql("query Other { me { id } }", { as: caller, operationName: name })).errors,
      ).toHaveLength(1);
    }
  });

  it("mean nothing over WebSockets: as ids and variables of subscriptions, and as aliases of their fields", async () => {
    const socket = await openSocket(gateway, { as: caller });
    const aliased = group.map((name) => `${name}: __typename`).join(" ");
    const field = (name: string) =>
      `alertRaised { id camera { alerts(first: 1, filter: $${name}) { nodes { __typename } } } ${aliased} }`;
    for (const name of group)
      socket.subscribe(`subscription ($${name}: AlertFilter) { ${field(name)} }`, { id: name });
    await running(gateway, group.length);
    const recorded: string[] = [];
    for (let event = 0; event < 2; event += 1) {
      recorded.push(randomUUID());
      await record([{ id: recorded.at(-1), name: "RAISED" }]);
      await eventually(
        async () => group.map((name) => socket.results(name).length),
        (counts) => counts.every((count) => count === recorded.length),
      );
    }
    const below = { camera: { alerts: { nodes: [{ __typename: "Alert" }] } } };
    const results = recorded.map((id) => ({
      data: { alertRaised: { id, ...below, ...Object.fromEntries(group.map((name) => [name, "Alert"])) } },
    }));
    for (const name of group) expect(JSON.stringify(socket.results(name))).toBe(JSON.stringify(results));
  });
});

const record = (alerts: object[]) =>
  gateway.data(
    "mutation ($input: [RecordAlertInput!]!) { recordAlerts(input: $input) { recorded alerts { id } } }",
    {
      as: caller,
      variables: {
        input: alerts.map((alert) => ({
          cameraId: ids.cameraId,
          createdAt: "2026-11-20T12:00:00Z",
          ...alert,
        })),
      },
    },
  );

const freeJson = Object.fromEntries([
  ...inherited.map((name) => [name, name]),
  ["within", Object.fromEntries(inherited.map((name) => [name, [{}]]))],
]);
/**
 * The same text for objects whose members differ in their order alone, with members of
 * any name.
 */
function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${sorted(member)}`);
  return `{${members.sort().join()}}`;
}

describe("free JSON whose members have inherited names", () => {
  it("of an alert is stored and read back as it was sent, through all doors", async () => {
    const id = randomUUID();
    // The newest alert is on the first page of its camera.
    const alert = { id, name: "FREE", createdAt: "2026-11-20T13:00:00Z", info: freeJson };
    await record([alert]);
    // The same alert with the same content: otherwise it would be a conflict.
    await record([alert]);
    const texts = [
      ...(await textsOf("query ($id: UUID!) { alert(id: $id) { info } }", { id })),
      ...(await textsOf(`{ alert(id: "${id}") { info toJSON: name } }`, {})),
      ...(await textsOf("{ cameras { alerts { nodes { info id } } } }", {})),
      await (
        await gateway.fetch(`/cameras/${ids.cameraId}/alerts?type=FREE&start=0&end=9999999999`, {
          as: caller,
        })
      ).text(),
    ];
    for (const text of texts) expect(sorted(JSON.parse(text))).toContain(sorted(freeJson));
  });

  it("as a literal in a document has its literal value", async () => {
    const id = randomUUID();
    const literal =
      `{ ${names.map((name) => `${name}: "${name}"`).join(" ")} within: { __proto__: { toString: 1 } } }`.replaceAll(
        "$",
        "",
      );
    const query = `mutation { recordAlerts(input: [{ id: "${id}", cameraId: "${ids.cameraId}", name: "LITERAL", createdAt: "2026-11-20T12:00:00Z", info: ${literal} }]) { recorded } }`;
    await gateway.data(query, { as: caller });
    const [text] = await textsOf("query ($id: UUID!) { alert(id: $id) { info } }", { id });
    const expected = Object.fromEntries([
      ...names.map((name) => [name, name]),
      ["within", JSON.parse('{"__proto__":{"toString":1}}')],
    ]);
    expect(sorted(JSON.parse(text as string))).toContain(sorted(expected));
  });

  it("of a camera's picture is stored and read back as it was sent, and audited", async () => {
    const { createClientCamera } = (
      await gateway.upload<{ createClientCamera: { id: string } }>(
        {
          query:
            "mutation ($id: UUID!, $input: CreateClientCameraInput!) { createClientCamera(facilityId: $id, input: $input) { id } }",
          variables: { id: ids.facilityId, input: { name: "Yard", metadata: freeJson } },
          file: plainPng(),
          variable: "input.image",
        },
        { as: caller },
      )
    ).data;
    const query = "query ($id: UUID!) { camera(id: $id) { advancedSettings } }";
    for (const text of await textsOf(query, { id: createClientCamera.id }))
      expect(sorted(JSON.parse(text))).toContain(sorted(freeJson));
  });
});

it("mean nothing as variables of uploads, of which two are refused", async () => {
  for (const name of names) {
    const upload = {
      query: `mutation ($${name}: Upload!) { updateMyPicture(image: $${name}) { id } }`,
      variables: {},
      file: Buffer.from("no picture"),
      variable: name,
    };
    const { status, errors } = await gateway.upload<unknown>(upload, { as: caller });
    // All other names reach the check of the file.
    const expected = ["constructor", "__proto__"].includes(name)
      ? [400, ["BAD_REQUEST"]]
      : [200, ["UNSUPPORTED_MEDIA_TYPE"]];
    expect([status, errors?.map(({ extensions }) => extensions.code)], name).toEqual(expected);
  }
});

it("mean nothing as parameters of REST, in queries, bodies and headers", async () => {
  const headers = Object.fromEntries(inherited.map((name) => [name.replace("$", ""), "x"]));
  const query = inherited
    .map((name) => `${encodeURIComponent(name)}=1&${encodeURIComponent(name)}[]=2`)
    .join("&");
  const plain = await gateway.fetch("/cameras", { as: caller });
  const decorated = await gateway.fetch(`/cameras?${query}`, { as: caller, headers });
  expect([decorated.status, await decorated.text()]).toEqual([200, await plain.text()]);
  const named = decorated.headers.get("x-ignored-parameters")?.split(", ").map(decodeURIComponent);
  expect(named).toEqual(inherited.flatMap((name) => [name, `${name}[]`]).slice(0, named?.length));
  expect(named?.length).toBeGreaterThan(40);
  const body = JSON.stringify({
    ...freeJson,
    ...JSON.parse(`{"__proto__":{"name":"Taken"},"name":"Given"}`),
  });
  const renamed = await gateway.fetch(`/facilities/${ids.facilityId}`, {
    method: "PATCH",
    as: caller,
    headers: { ...headers, "content-type": "application/json" },
    body,
  });
  expect(renamed.status).toBe(200);
  expect((await prisma.facility.findFirstOrThrow({ where: { id: ids.facilityId } })).name).toBe("Given");
  const missing = await gateway.fetch(`/facilities/${ids.facilityId}`, {
    method: "PATCH",
    as: caller,
    headers: { "content-type": "application/json" },
    body: '{"__proto__":{"name":"Taken"}}',
  });
  expect([missing.status, (await missing.json()).details]).toEqual([
    400,
    [{ path: "body.name", message: "is required" }],
  ]);
});

it("mean nothing as types and severities of alerts: each is counted and listed as itself", async () => {
  await record(inherited.map((name) => ({ id: randomUUID(), name })));
  const query = `query ($filter: AlertFilter!, $types: [AlertDimension!]!) { alertStatistics(filter: $filter, groupBy: $types) { type count } }`;
  for (const types of [["TYPE"], ["TYPE", "HOUR_OF_DAY"]]) {
    const filter = { ...period, types: inherited };
    const { alertStatistics } = await gateway.data<{ alertStatistics: { type: string }[] }>(query, {
      as: caller,
      variables: { filter, types },
    });
    expect(alertStatistics.map(({ type }) => type).sort()).toEqual([...inherited].sort());
  }
  const { workspace } = await gateway.data<{ workspace: { alertTypes: string[] } }>(
    "{ workspace { alertTypes } }",
    { as: caller },
  );
  expect(workspace.alertTypes).toEqual(expect.arrayContaining(inherited));
});
