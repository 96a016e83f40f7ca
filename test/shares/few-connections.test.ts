// Runs once: both kinds of databases run the same statements.

import { randomUUID } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { permissions } from "../../src/engine/access/permissions.js";
import { createCamera, createFacility, createWorkspace } from "../support/factories.js";
import type { Gateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { TestSite } from "../support/test-site.js";

const { server } = inject("resources");
const workspaces = 10;
const clientsPerWorkspace = 50;

// The embedded database has a single connection, and no other client that could lock a
// table.
describe.runIf(server)("500 clients with two connections to the database", () => {
  let site: TestSite;
  let gateway: Gateway;
  const clients: { user: string; facilityId: string }[] = [];
  beforeAll(async () => {
    site = await TestSite.open();
    // All clients of the test have one address.
    const environment = {
      DATABASE_POOL_SIZE: "2",
      DATABASE_STATEMENT_TIMEOUT: "2000",
      MAX_CONNECTIONS_PER_ADDRESS: "1000",
    };
    gateway = await site.start({ environment });
    const { prisma } = gateway;
    for (let workspace = 0; workspace < workspaces; workspace += 1) {
      const workspaceId = await createWorkspace(prisma);
      const facilityId = await createFacility(prisma, { workspaceId });
      await createCamera(prisma, { workspaceId, facilityId });
      const authIds = listOf(clientsPerWorkspace, (client) => `few|${workspace}-${client}`);
      const users = authIds.map((authId) => ({
        id: randomUUID(),
        workspaceId,
        authId,
        email: "few@test.example",
        roles: [...permissions],
      }));
      await prisma.user.createMany({ data: users });
      await prisma.authIdLookup.createMany({
        data: users.map(({ id: userId, authId }) => ({ authId, workspaceId, userId })),
      });
      clients.push(...authIds.map((user) => ({ user, facilityId })));
    }
  });
  afterAll(async () => {
    await gateway.close();
    await site.remove();
  });

  const json = { "content-type": "application/json" };
  const graphql = (user: string, query: string, variables: object) =>
    gateway.fetch("/graphql", {
      method: "POST",
      as: { user },
      headers: json,
      body: JSON.stringify({ query, variables }),
    });
  /** A read by GraphQL and by REST, and a write by either. */
  const requests = [
    (user: string, id: string) =>
      graphql(user, "query ($id: UUID!) { facility(id: $id) { name cameras { name } } }", { id }),
    (user: string) => gateway.fetch("/cameras", { as: { user } }),
    (user: string, id: string) =>
      graphql(user, "mutation ($id: UUID!) { recordHeartbeat(facilityId: $id) { id } }", { id }),
    (user: string, id: string) =>
      gateway.fetch(`/facilities/${id}`, {
        method: "PATCH",
        as: { user },
        headers: json,
        body: JSON.stringify({ name: "Depot" }),
      }),
  ];

  /**
   * The outcome of a request: an answer, or a refusal that says when to try again. A
   * workspace that uses one of the two connections may hear that it has too much at once.
   */
  async function outcomeOf(sent: Promise<Response>): Promise<string> {
    const response = await sent;
    const { errors, code } = (await response.json()) as {
      errors?: { path?: string[]; extensions: { code: string } }[];
      code?: string;
    };
    const failure = errors?.[0]?.extensions.code ?? code;
    if (response.status === 200 && failure === undefined) return "answered";
    const retryAfter = Number(response.headers.get("retry-after"));
    // If the operation ran, GraphQL answers with 200.
    const statuses: Record<string, number> = { UNAVAILABLE: 503, RATE_LIMITED: 429 };
    const isRefusal =
      response.status === (errors?.[0]?.path ? 200 : statuses[failure ?? ""]) && retryAfter > 0;
    return isRefusal ? `refused: ${failure}` : `${response.status} ${failure}, retry after ${retryAfter}`;
  }

  it("each request is answered, or refused with Retry-After, also while the database is stuck", async () => {
    const other = new pg.Client({ connectionString: site.variables.DATABASE_URL });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query('BEGIN; LOCK TABLE "Facility" IN ACCESS EXCLUSIVE MODE');
    const outcomes: string[] = [];
    const sent = clients.map(async ({ user, facilityId }, index) => {
      const request = requests[index % requests.length] as (typeof requests)[number];
      outcomes.push(await outcomeOf(request(user, facilityId)));
    });
    // Reads without the locked table may be answered before any request has waited for it
    // too long.
    await expect.poll(() => outcomes).toContain("refused: UNAVAILABLE");
    await other.query("ROLLBACK");
    await Promise.all(sent);
    expect(outcomes).toHaveLength(500);
    expect(
      outcomes.filter((outcome) => !/^(?:answered|refused: (?:UNAVAILABLE|RATE_LIMITED))$/.test(outcome)),
    ).toEqual([]);
    expect(outcomes).toEqual(expect.arrayContaining(["answered", "refused: UNAVAILABLE"]));
    expect(await outcomeOf(gateway.fetch("/facilities", { as: { user: "few|0-0" } }))).toBe("answered");
  });
});
