// Runs once: no database can influence what is tested here.
import { afterAll, beforeAll, expect, it } from "vitest";
import { SeededRandom } from "../../src/demo/seeded-random.js";
import { subgraphSchema } from "../../src/graphql/schema.js";
import { demoWorld } from "../fuzz/demo-world.js";
import type { FuzzGenerator } from "../fuzz/fuzz-case.js";
import { graphqlRequests } from "../fuzz/graphql-documents.js";
import { mcpMessages } from "../fuzz/mcp-messages.js";
import { multipartBodies } from "../fuzz/multipart-bodies.js";
import { type OpenApiDocument, restRequests, strangePaths } from "../fuzz/rest-requests.js";
import { socketMessages } from "../fuzz/socket-messages.js";
import type { World } from "../fuzz/world.js";
import { createUser } from "../support/factories.js";
import { authorizationOf, type Gateway, startGateway } from "../support/harness.js";

const requests = 60;
const seed = 20261128;
let gateway: Gateway;
let world: World;
let document: OpenApiDocument;

beforeAll(async () => {
  gateway = await startGateway({ seed: "demo", environment: { MCP_WRITE: "on", FEDERATION: "on" } });
  const { prisma } = gateway;
  const { workspaceId } = await prisma.user.findFirstOrThrow({ where: { authId: "demo|admin" } });
  const users = ["demo|admin", "demo|viewer", "other|admin", "demo|nobody"];
  const callers = await Promise.all(users.map((user) => authorizationOf({ user })));
  const demo = await demoWorld(prisma, workspaceId, new Date());
  // Random mutations delete no caller.
  const ids = { ...demo.world.ids, userId: [await createUser(prisma, { workspaceId })] };
  world = { ...demo.world, ids, callers: [...callers, undefined] };
  document = (await (await gateway.fetch("/openapi.json")).json()) as OpenApiDocument;
});
afterAll(() => gateway.close());

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
