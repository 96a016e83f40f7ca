import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { completeDemo } from "../support/complete-demo.js";
import { createAlerts } from "../support/factories.js";
import { type Gateway, startGateway } from "../support/harness.js";

const filter = { start: "2000-01-01T00:00:00Z", end: "2100-01-01T00:00:00Z" };
const admin = { user: "demo|admin" };
let gateway: Gateway;
let cameraId: string;
let workspaceId: string;

beforeAll(async () => {
  // Signed links depend on the hour.
  const startTime = new Date();
  gateway = await startGateway({ seed: "demo", now: () => startTime });
  await completeDemo(gateway.prisma, startTime);
  ({ id: cameraId, workspaceId } = await gateway.prisma.camera.findFirstOrThrow({ where: { name: "A complete camera" } }));
});
afterAll(() => gateway.close());

/** Runs a query by the executor, and then until PostgreSQL writes the answer. Returns the texts of the first and of the last response. */
async function runBothWays(query: string, variables: object = {}): Promise<{ executed: string; written: string; statements: string[] }> {
  const texts: string[] = [];
  for (let run = 0; run < 6; run += 1) {
    gateway.clearStatements();
    const { data, errors } = await gateway.graphql(query, { as: admin, variables });
    texts.push(JSON.stringify({ data, errors }));
  }
  return { executed: texts[0] as string, written: texts.at(-1) as string, statements: [...gateway.statements] };
}

/** Whether nothing was read but columns under the names of the response, and the number of items in a list. */
const isWritten = (statements: string[]) =>
  statements.filter((statement) => statement.includes("level1")).length > 0 &&
  statements.every((statement) => statement.includes("level1") !== statement.includes("count(")) &&
  !statements.some((statement) => statement.includes("level1.*"));

const cameraFields = `__typename id nodeId name status statusDetail createdAt updatedAt dataCollectionEnabled dataCollectionObjects
  dataCollectionConfig { minWidth minHeight interval } customDataCollectionConfigs { type sensitivity } groundTruthKey facilityId
  collectSampleVideos imageDimensions { width height } streamType streamProtocol advancedSettings proxyHost facilityNodeId emailAddresses
  imageLink thumbnailUrl url`;
const alertFields = `__typename id nodeId cameraId name severity observation count createdAt localCreatedAt imageDimensions { width height }
  canvasDimensions { height width } violatingCoordinates { x y } area { x y } areaIds storageClass info bookmark bookmarkChangedAt
  bookmarkChangedById acknowledgedAt url thumbnailUrl annotatedUrl`;

describe("an answer that PostgreSQL writes", () => {
  it.each([
    ["a camera with all its fields", `query ($id: UUID!) { camera(id: $id) { ${cameraFields} } }`],
    [
      "cameras with what is nested in them",
      `{ cameras { ${cameraFields} alertRules { id severity } alerts(first: 3) { nodes { ${alertFields} } } calibration { id } } }`,
    ],
    [
      "alerts page by page",
      `query ($filter: AlertFilter!, $first: Int!) { alerts(filter: $filter, first: $first) { totalCount __typename nodes { ${alertFields} } } }`,
    ],
    [
      "a search",
      `query ($first: Int!) { searchCameras(first: $first) { nodes { name lastAlert: alerts(first: 1) { nodes { createdAt } } } totalCount } }`,
    ],
    ["facilities", "{ facilities { name online lastHeartbeatAt cameraCount cameras { name } } }"],
    [
      "aliases and fragments",
      "{ one: facilities { key: id ...Names } two: facilities { ...Names } } fragment Names on Facility { name list: cameras { key: id name } }",
    ],
    [
      "parts under other names, and in another order",
      "{ cameras { size: imageDimensions { height w: width } alerts(first: 2) { nodes { area { y x } } } } }",
    ],
    ["nothing", "query ($other: UUID!) { camera(id: $other) { id url } facility(id: $other) { name } }"],
  ])("is that of the executor: %s", async (_what, query) => {
    const variables = { filter, id: cameraId, first: 3, other: "00000000-0000-4000-8000-000000000000" };
    const { executed, written, statements } = await runBothWays(query, variables);
    expect(written).toBe(executed);
    expect(written).not.toContain('"errors":[');
    expect(isWritten(statements)).toBe(true);
  });

  it("has the text of values that look like the marks between what PostgreSQL and the gateway write", async () => {
    const mark = '{"" : 0, "" : {"id" : 1}, "" : null}';
    const where = { workspaceId_id: { workspaceId, id: cameraId } };
    await gateway.prisma.camera.update({
      where,
      data: { proxyHost: mark, advancedSettings: { [mark]: mark, "": { "": null, a: [mark, "\u0001", "ş🎥"] } }, groundTruthKey: ', "" : null}' },
    });
    const query =
      "query ($id: UUID!) { camera(id: $id) { proxyHost imageLink advancedSettings groundTruthKey url imageDimensions { width height } } }";
    const { executed, written, statements } = await runBothWays(query, { id: cameraId });
    expect(JSON.parse(written)).toEqual(JSON.parse(executed));
    expect(JSON.parse(written).data.camera.proxyHost).toBe(mark);
    expect(isWritten(statements)).toBe(true);
  });

  it.each([
    ["more members than there are fields", { width: 4, depth: { x: [1] }, height: 3 }],
    ["numbers with exponents", { width: 1e21, height: 1e-7 }],
    ["texts for numbers", { width: "4", height: "3.5" }],
    ["a missing member, which is an error of the executor", { width: 4 }],
    ["a list, which is an error of the executor", [1, 2]],
    ["a word, which is an error of the executor", { width: 1, height: "wide" }],
  ])("has the selected members of a value that has %s", async (_what, imageDimensions) => {
    await gateway.prisma.camera.update({ where: { workspaceId_id: { workspaceId, id: cameraId } }, data: { imageDimensions } });
    const query = "query ($id: UUID!) { camera(id: $id) { id imageDimensions { width height } } }";
    const { executed, written } = await runBothWays(query, { id: cameraId });
    expect(JSON.parse(written)).toEqual(JSON.parse(executed));
  });

  it("is left to the executor where a field is not read ahead, or more rows may come than are read at once", async () => {
    const queries = ["{ cameras { name facility { name } } }", "{ facilities { cameras { alerts(first: 1000) { nodes { name } } } } }"];
    for (const query of [...queries, "{ cameras { alerts(first: 1) { pageInfo { endCursor } nodes { name } } } }"]) {
      const { executed, written, statements } = await runBothWays(query);
      expect(written).toBe(executed);
      expect(isWritten(statements)).toBe(false);
    }
  });

  it("is an error like that of the executor where it would be too large", async () => {
    const [facility] = await gateway.prisma.facility.findMany({ where: { workspaceId }, take: 1 });
    const info = { text: "x".repeat(100_000) };
    await createAlerts(gateway.prisma, Array(200).fill({ workspaceId, facilityId: facility?.id as string, cameraId, info }), new Date("2099-01-01"));
    const { executed, written } = await runBothWays(
      "query ($filter: AlertFilter!, $first: Int!) { alerts(filter: $filter, first: $first) { nodes { info } } }",
      { filter, first: 500 },
    );
    expect(JSON.parse(executed).errors[0].message).toContain("would exceed");
    expect(JSON.parse(written)).toEqual(JSON.parse(executed));
  });
});
