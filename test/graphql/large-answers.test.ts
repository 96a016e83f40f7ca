// Runs once: both kinds of databases run the same statements.

import { schema } from "../../src/api/graphql/schema.js";
import { permissions } from "../../src/engine/access/permissions.js";
import { createAlerts, createCamera, createPlace, createUser } from "../support/factories.js";
import { type GraphQLAnswer, ownGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { type Execution, observeExecutions } from "./execution-observer.js";

/** The number of alerts with this much data that exceeds the limit of an answer. */
const largeAlerts = 300;
const infoLength = 60_000;
const smallAlerts = 1_500;
const edge =
  "cursor node { id name createdAt localCreatedAt camera { name } facility { id cameras { id } } }";

const executions = observeExecutions(schema);
const admin = { user: "large|admin" };
const viewer = { user: "large|viewer" };
const gateway = await ownGateway({ environment: { MAX_QUERY_COST: "30000" } });

const { prisma } = gateway;
const place = await createPlace(prisma);
const { workspaceId, facilityId } = place;
await createUser(prisma, { workspaceId, authId: admin.user, roles: [...permissions] });
await createUser(prisma, {
  workspaceId,
  authId: viewer.user,
  roles: ["facilities:read", "alerts:read", "cameras:read"],
});
await createCamera(prisma, { workspaceId, facilityId });
const points = listOf(10, (index) => ({ x: index + 0.5, y: index }));
const small = listOf(smallAlerts, (index) => ({
  ...place,
  name: `SMALL "${index}" \\ {[,`,
  area: points,
}));
await createAlerts(prisma, small, new Date("2026-11-20T12:00:00.000Z"));
const large = listOf(largeAlerts, () => ({
  ...place,
  name: "LARGE",
  info: { text: "x".repeat(infoLength) },
}));
await createAlerts(prisma, large, new Date("2026-10-01T12:00:00.000Z"));

function ask<Data>(query: string, variables: object = {}): Promise<GraphQLAnswer<Data>> {
  return gateway.graphql<Data>(query, { as: admin, variables });
}

const period = (start: string, end: string) =>
  `filter: { start: "${start}T00:00:00Z", end: "${end}T00:00:00Z" }`;
const months = { small: period("2026-11-01", "2026-12-01"), large: period("2026-09-01", "2026-10-02") };

describe("a large answer", () => {
  const page = `query ($first: Int!, $after: String, $filter: AlertFilter!) {
    alerts(first: $first, after: $after, filter: $filter) { edges { ${edge} } nodes { id area { x y } } pageInfo { hasNextPage endCursor } }
  }`;
  const filter = { start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z" };
  interface Page {
    alerts: { edges: object[]; nodes: object[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
  }

  async function inPagesOf(first: number): Promise<{ edges: object[]; nodes: object[] }> {
    const read = { edges: [] as object[], nodes: [] as object[] };
    for (let after: string | null = null; ; ) {
      const { data } = (await ask<Page>(page, { first, after, filter })) as GraphQLAnswer<Page>;
      read.edges.push(...data.alerts.edges);
      read.nodes.push(...data.alerts.nodes);
      if (!data.alerts.pageInfo.hasNextPage) return read;
      after = data.alerts.pageInfo.endCursor;
    }
  }

  it("contains the same as many small ones, in the same order", async () => {
    const expected = await inPagesOf(100);
    expect(expected.nodes).toHaveLength(smallAlerts);
    expect(await inPagesOf(1000)).toEqual(expected);
  });

  it.each([
    [10, "gzip"],
    [30, null],
  ])(
    "of more than a mebibyte is sent without compression, which would keep it for slow clients: %i alerts, %s",
    async (first, encoding) => {
      const body = JSON.stringify({
        query: `{ alerts(first: ${first}, ${months.large}) { nodes { info } } }`,
      });
      const headers = { "content-type": "application/json", "accept-encoding": "gzip" };
      const response = await gateway.fetch("/graphql", { method: "POST", as: admin, headers, body });
      expect(response.headers.get("content-encoding")).toBe(encoding);
      expect((await response.text()).length).toBeGreaterThan(first * infoLength);
    },
  );

  it("contains the same on REST", async () => {
    const range = `start=${Date.parse(filter.start)}&end=${Date.parse(filter.end)}`;
    const listed = async (query: string) => {
      const response = await gateway.fetch(`/alerts?${range}&${query}`, { as: admin });
      expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
      return ((await response.json()) as { data: { alerts: object[] } }).data.alerts;
    };
    const expected = await Promise.all(listOf(10, (index) => listed(`page=${index + 1}&count=100`)));
    expect(await listed("page=1&count=1000")).toEqual(expected.flat());
  });
});

it("lists at most 100 errors", async () => {
  const query =
    "query ($filter: AlertFilter!) { alerts(first: 300, filter: $filter) { nodes { facility { access { actions } } } } }";
  const filter = { start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z" };
  const errors: (number | undefined)[] = [];
  for (let run = 0; run < 2; run += 1)
    errors.push((await gateway.graphql(query, { as: viewer, variables: { filter } })).errors?.length);
  expect(errors).toEqual(Array(2).fill(100));
});

describe("an answer of more than 16 MiB", () => {
  const tooLarge = {
    message: "query: the answer would exceed 16 MiB: ask for fewer objects or for fewer fields",
    extensions: { code: "BAD_REQUEST" },
  };

  it("is refused, and possible in smaller parts", async () => {
    const all = await ask(`{ alerts(first: 1000, ${months.large}) { nodes { info } } }`);
    expect(all).toMatchObject({ data: null, errors: [tooLarge] });
    const some = await ask<{ alerts: { nodes: object[] } }>(
      `{ alerts(first: 100, ${months.large}) { nodes { info } } }`,
    );
    expect(some.data.alerts.nodes).toHaveLength(100);
  });

  it("is refused if only its parts together are too large", async () => {
    const part = `alerts(first: 200, ${months.large}) { nodes { info } }`;
    expect(await ask(`{ ${part} other: ${part.replace("200", "199")} }`)).toMatchObject({
      data: null,
      errors: [tooLarge],
    });
  });

  it("is refused if the objects of many parents are too large together", async () => {
    const query = `{ cameras { alerts(first: 1000, ${months.large}) @include(if: true) { nodes { info } } } }`;
    expect(await ask(query)).toMatchObject({ data: null, errors: [tooLarge] });
  });

  it("is refused if objects that were read once are too many", async () => {
    const { id: facilityId, workspaceId } = await gateway.prisma.facility.findFirstOrThrow();
    const cameraIds = await Promise.all(
      listOf(200, () => createCamera(gateway.prisma, { workspaceId, facilityId })),
    );
    const cameras = (selection: string) => `facility { cameras { ${selection} } }`;
    // 200 times as many cameras at each level.
    const ofCameras = (first: number) =>
      `{ searchCameras(first: ${first}) { nodes { ${cameras(cameras("id"))} } } }`;
    expect((await ask(ofCameras(12))).errors?.[0]).toMatchObject(tooLarge);
    await gateway.prisma.camera.deleteMany({ where: { workspaceId, id: { in: cameraIds } } });
  });
});

describe("where a stored value is not what its type allows, nothing is counted twice when a query is executed after all:", () => {
  let cameraId: string;

  beforeAll(async () => {
    const { prisma } = gateway;
    // Simulates a database that has such values from before they were forbidden.
    await prisma.$executeRaw`ALTER TABLE "Camera" DROP CONSTRAINT "Camera_shown_values_check"`;
    ({ cameraId } = await prisma.alert.findFirstOrThrow({ select: { cameraId: true } }));
    await prisma.camera.updateMany({ where: { id: cameraId }, data: { imageDimensions: { width: 4 } } });
  });

  // 9 of 16 MiB count.
  const alerts = "alerts(filter: $filter, first: 160) { nodes { info } }";
  it.each<[string, string, Execution[]]>([
    [
      "the size of a list in another field",
      `query ($id: UUID!, $filter: AlertFilter!) { camera(id: $id) { imageDimensions { height } } ${alerts} }`,
      ["written", "written", "graphql-js", "graphql-js"],
    ],
    [
      "the size of a list in the same field",
      `query ($id: UUID!, $filter: AlertFilter!) { camera(id: $id) { imageDimensions { height } ${alerts} } }`,
      ["written", "graphql-js"],
    ],
  ])("%s", async (_what, query, path) => {
    executions.length = 0;
    const variables = {
      id: cameraId,
      filter: { start: "2026-09-01T00:00:00Z", end: "2026-10-02T00:00:00Z" },
    };
    const { data, errors } = await ask(query, variables);
    expect(executions).toEqual(path);
    expect(errors).toMatchObject([{ path: ["camera", "imageDimensions", "height"] }]);
    // PostgreSQL writes no answer of a document with a directive.
    const executed = await ask(query.replace("{", "{ skipped: __typename @skip(if: true) "), variables);
    expect(executed.errors).toEqual(errors);
    expect(JSON.stringify(executed.data) === JSON.stringify(data)).toBe(true);
  });

  it("the cost of a selection below a list that turned out long, more than half of the limit", async () => {
    const places = "facility { workspace { facilities { id } } }";
    const query = `query ($id: UUID!, $filter: AlertFilter!) {
      camera(id: $id) { imageDimensions { height } } alertStatistics(filter: $filter, groupBy: [DAY, FACILITY], fillGaps: true) { ${places} }
    }`;
    // 699 days with 22 objects each.
    const variables = {
      id: cameraId,
      filter: { start: "2025-01-01T00:00:00Z", end: "2026-12-01T00:00:00Z" },
    };
    executions.length = 0;
    const { errors } = await ask(query, variables);
    expect(errors).toMatchObject([{ path: ["camera", "imageDimensions", "height"] }]);
    expect(executions).toEqual(["written", "written", "graphql-js", "graphql-js"]);
  });
});
