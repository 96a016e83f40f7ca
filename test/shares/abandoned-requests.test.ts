// Not on a cluster: looks at what waits for locks on one server.
import { inject } from "vitest";
import { permissions } from "../../src/engine/access/permissions.js";
import { createFacility, createUser, createWorkspace } from "../support/factories.js";
import { type Gateway, type Sender, startGateway } from "../support/harness.js";

const { server } = inject("resources");
const as: Sender = { user: "shares|impatient" };

// The embedded database runs one statement at a time: there, one stuck statement makes
// everything stuck.
describe.runIf(server)("a client that disconnects while the database is stuck", () => {
  let gateway: Gateway;
  let workspaceId: string;
  let facilityId: string;
  const lines: { err?: { code?: string }; req?: { id: string }; res?: object }[] = [];
  beforeAll(async () => {
    const logDestination = { write: (line: string) => void lines.push(JSON.parse(line)) };
    // Each caller has one connection at a time.
    gateway = await startGateway({ environment: { DATABASE_POOL_SIZE: "3" }, logDestination });
    const { prisma } = gateway;
    workspaceId = await createWorkspace(prisma);
    facilityId = await createFacility(prisma, { workspaceId, name: "Depot" });
    await createUser(prisma, { workspaceId, authId: as.user, roles: [...permissions] });
    // From here on the caller is in the cache.
    await gateway.data("{ me { id } }", { as });
  });
  afterAll(() => gateway.close());

  /**
   * Sends an operation, and disconnects while its first statement waits for a lock.
   * Returns once the gateway has noticed and the lock is gone.
   */
  async function abandon(query: string, variables: object = {}): Promise<void> {
    const id = `abandoned-${lines.length}`;
    await gateway.prisma.$transaction(
      async (transaction) => {
        await transaction.$executeRaw`LOCK TABLE "Alert" IN ACCESS EXCLUSIVE MODE`;
        await transaction.$executeRaw`SELECT 1 FROM "Facility" WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ${facilityId}::uuid FOR UPDATE`;
        const controller = new AbortController();
        const request = gateway.fetch("/graphql", {
          method: "POST",
          as,
          headers: { "content-type": "application/json", "x-request-id": id },
          body: JSON.stringify({ query, variables }),
          signal: controller.signal,
        });
        const stuck = () =>
          transaction.$queryRaw<
            object[]
          >`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        await expect.poll(async () => (await stuck()).length).toBe(1);
        controller.abort();
        await expect(request).rejects.toThrow("aborted");
        await expect.poll(() => lines.some(({ req }) => req?.id === id)).toBe(true);
      },
      { timeout: 60_000 },
    );
  }

  /**
   * The number of statements on a table for requests, once the caller's next request has
   * been answered.
   */
  async function statementsOn(table: string): Promise<number> {
    await gateway.data("{ workspace { name } }", { as });
    return gateway.statements.filter((sql) => sql.includes(`FROM "${table}"`)).length;
  }

  it("has the rest of the statements of its query dropped", async () => {
    gateway.clearStatements();
    const alerts = (day: number) =>
      `a${day}: alerts(filter: { start: "2026-11-0${day}T00:00:00Z", end: "2026-11-10T00:00:00Z" }) { nodes { id } }`;
    await abandon(`{ ${[1, 2, 3, 4, 5, 6].map(alerts).join(" ")} }`);
    expect(await statementsOn("Alert")).toBe(1);
  });

  it("has the mutation that has begun brought to its end, and the next one of the document not begun", async () => {
    const rename = (name: string) => `${name}: renameFacility(id: $id, name: "${name}") { id }`;
    await abandon(`mutation ($id: UUID!) { ${rename("First")} ${rename("Second")} }`, { id: facilityId });
    await expect
      .poll(async () => (await gateway.prisma.facility.findFirstOrThrow({ where: { id: facilityId } })).name)
      .toBe("First");
    await gateway.data("mutation ($id: UUID!) { recordHeartbeat(facilityId: $id) { id } }", {
      as,
      variables: { id: facilityId },
    });
    expect(
      await gateway.prisma.auditEntry.findMany({ where: { targetId: facilityId, action: "renameFacility" } }),
    ).toHaveLength(1);
  });
});
