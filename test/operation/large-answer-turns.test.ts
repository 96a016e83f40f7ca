// Runs once: both kinds of databases run the same statements.

import type { GraphQLFieldResolver, GraphQLObjectType } from "graphql";
import { schema } from "../../src/api/graphql/schema.js";
import { Recorder } from "../ingestion/recorder.js";
import { openSocket, running, subscriptionsOf } from "../live/live-socket.js";
import { createAdmin, createAlerts } from "../support/factories.js";
import { uploadRequest } from "../support/forms.js";
import { sharedGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { pictureAs } from "../uploads/sample-pictures.js";

const simultaneous = 8;
/** How many answers of these root fields are being read, and have been read at once. */
const reads = { active: 0, most: 0, all: 0 };

function countReads(field: ReturnType<GraphQLObjectType["getFields"]>[string] | undefined): void {
  const resolve = field?.resolve as GraphQLFieldResolver<unknown, unknown>;
  Object.assign(field as object, {
    resolve: async (...parameters: Parameters<typeof resolve>) => {
      reads.active += 1;
      reads.all += 1;
      reads.most = Math.max(reads.most, reads.active);
      try {
        return await resolve(...parameters);
      } finally {
        reads.active -= 1;
      }
    },
  });
}
countReads(schema.getQueryType()?.getFields().alerts);
countReads(schema.getSubscriptionType()?.getFields().alertRaised);
const gateway = await sharedGateway();
const { prisma } = gateway;
const recorder = await Recorder.open(gateway);
const { workspaceId, site } = recorder;
const user = (await createAdmin(prisma, workspaceId)).as;
const { facilityId, cameraId } = site;
const rows = Array(100).fill({ workspaceId, facilityId, cameraId, name: "NO_HELMET" });
await createAlerts(prisma, rows, new Date("2026-11-20T12:00:00Z"));
beforeEach(() => {
  Object.assign(reads, { active: 0, most: 0, all: 0 });
});

const page = "/alerts?start=0&end=1800000000000&count=";
const fields =
  "nodes { id area { x y } violatingCoordinates { x y } imageDimensions { width } canvasDimensions { width } }";
const atOnce = (send: (n: number) => Promise<Response>) =>
  Promise.all(listOf(simultaneous, async (n) => (await send(n)).status));

describe("a caller's large answers are read one after the other", () => {
  it("by REST", async () => {
    expect(await atOnce(() => gateway.fetch(`${page}1000`, { as: user }))).toEqual(
      Array(simultaneous).fill(200),
    );
    expect(reads).toEqual({ active: 0, most: 1, all: simultaneous });
  });

  it("by REST and GraphQL together", async () => {
    const filter = `{ start: "2026-01-01T00:00:00Z", end: "2027-01-01T00:00:00Z" }`;
    const body = JSON.stringify({ query: `{ alerts(filter: ${filter}, first: 1000) { ${fields} } }` });
    const headers = { "content-type": "application/json" };
    await atOnce((n) =>
      n % 2 === 0
        ? gateway.fetch(`${page}1000`, { as: user })
        : gateway.fetch("/graphql", { method: "POST", as: user, headers, body }),
    );
    expect(reads).toEqual({ active: 0, most: 1, all: simultaneous });
  });

  it("by subscriptions, for each event", async () => {
    const nested = `facility { cameras { alerts(first: 500) { ${fields} } } }`;
    const before = await subscriptionsOf(gateway);
    const live = await openSocket(gateway, { as: user });
    const names = listOf(4, (n) => `raised${n}`);
    for (const [n, name] of names.entries())
      live.subscribe(`subscription { ${name}: alertRaised { id ${nested} } }`, { id: String(n) });
    await running(gateway, before + names.length);
    await recorder.record([recorder.alert({ createdAt: new Date().toISOString() })]);
    await expect.poll(() => names.map((_, n) => live.results(String(n)).length)).toEqual([1, 1, 1, 1]);
    expect(reads).toEqual({ active: 0, most: 1, all: names.length });
  });

  it("while small answers need no turn", async () => {
    await atOnce(() => gateway.fetch(`${page}10`, { as: user }));
    expect(reads.all).toBe(simultaneous);
    expect(reads.most).toBeGreaterThan(1);
  });
});

it("refuses a mutation that reads a large answer beside a file, which its sender may send slowly", async () => {
  const change = `renameFacility(id: "${recorder.site.facilityId}", name: "New")`;
  const query = `mutation ($image: Upload!) { updateMyPicture(image: $image) { id } ${change} { alerts(first: 1000) { ${fields} } } }`;
  const file = await pictureAs("png");
  const response = await gateway.fetch("/graphql", {
    as: user,
    ...uploadRequest({ query, variables: {}, file, variable: "image" }),
  });
  expect(await response.json()).toMatchObject({
    errors: [
      {
        message: "query: selects too much beside a file: select less, or in a query",
        extensions: { code: "BAD_REQUEST" },
      },
    ],
  });
  expect(await prisma.facility.count({ where: { workspaceId: recorder.workspaceId, name: "New" } })).toBe(0);
});
