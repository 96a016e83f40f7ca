// Runs once: no database can influence what is tested here.

import { subgraphSchema } from "../../src/api/graphql/schema.js";
import { SeededRandom } from "../../src/programs/demo/seeded-random.js";
import { demoWorld } from "../fuzz/demo-world.js";
import type { FuzzGenerator } from "../fuzz/fuzz-case.js";
import { graphqlRequests } from "../fuzz/graphql-documents.js";
import { mcpMessages } from "../fuzz/mcp-messages.js";
import { multipartBodies } from "../fuzz/multipart-bodies.js";
import { type OpenApiDocument, restRequests, strangePaths } from "../fuzz/rest-requests.js";
import { socketMessages } from "../fuzz/socket-messages.js";
import { createCompleteFacility } from "../support/complete-facility.js";
import { createAdmin, createTestUser, createUser } from "../support/factories.js";
import { authorizationOf, sharedGateway } from "../support/harness.js";

const requests = 20;
const seed = 20261128;

const gateway = await sharedGateway({ environment: { MCP_WRITE: "on", FEDERATION: "on" } });
const { prisma } = gateway;
const admin = await createAdmin(prisma);
const { workspaceId } = admin;
for (const name of ["Yard", "Quay"]) await createCompleteFacility(prisma, { workspaceId, name, alerts: 5 });
const reader = await createTestUser(prisma, { workspaceId, roles: ["facilities:read", "alerts:read"] });
const users = [admin, reader, await createTestUser(prisma, {})];
const callers = await Promise.all(users.map(({ as }) => authorizationOf(as)));
const of = await demoWorld(prisma, workspaceId, new Date());
// Random mutations delete no caller.
const ids = { ...of.world.ids, userId: [await createUser(prisma, { workspaceId })] };
const world = { ...of.world, ids, callers: [...callers, undefined] };
const document = (await (await gateway.fetch("/openapi.json")).json()) as OpenApiDocument;

it.each<[kind: string, generator: () => FuzzGenerator]>([
  ["GraphQL", () => graphqlRequests(subgraphSchema())],
  ["REST", () => restRequests(document)],
  ["strange paths", () => strangePaths],
  ["uploads", () => multipartBodies],
  ["WebSockets", () => socketMessages(subgraphSchema())],
  ["MCP", () => mcpMessages],
])(`random requests of seed ${seed} get an answer without a fault by %s`, async (_kind, generatorOf) => {
  const generate = generatorOf();
  for (let number = 0; number < requests; number += 1) {
    const { text, run } = generate(new SeededRandom(seed + number), world);
    expect(await run(gateway.url), `Request ${number}: ${text}`).toBeUndefined();
  }
});
