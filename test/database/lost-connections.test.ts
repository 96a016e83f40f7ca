// Not on a cluster: its coordinator is connected to like any server.
// Takes long: it cuts the connection at each statement of each mutation.
import { inject } from "vitest";
import type { Transaction } from "../../src/engine/database/transaction.js";
import { Prisma, type PrismaClient } from "../../src/generated/prisma/client.js";
import { createWorkspace } from "../support/factories.js";
import type { Gateway } from "../support/harness.js";
import { callOf, mutations, senderOf } from "../support/mutation-calls.js";
import type { Fate, StatementProxy } from "../support/statement-proxy.js";
import { type TestWorkspace, tablesOf } from "../support/test-workspace.js";
import { ProxiedGateway } from "./proxied-gateway.js";

const { server } = inject("resources");

/**
 * The dispatcher also writes these tables, when it resends notifications of other tests.
 */
const dispatched = ["Delivery", "DeliveryQueue", "DeliveryTarget", "MessageCount"];

/** The tables that differ. */
const changedTables = (before: Record<string, unknown>, after: Record<string, unknown>) =>
  Object.keys(after).filter((name) => before[name] !== after[name] && !dispatched.includes(name));

describe.runIf(server)("a session that an administrator ends", () => {
  let proxied: ProxiedGateway;
  let gateway: Gateway;
  let proxy: StatementProxy;
  /** Leads to the database past the proxy. */
  let prisma: PrismaClient;
  const log: { err?: { code?: string; message: string; stack: string } }[] = [];
  beforeAll(async () => {
    proxied = await ProxiedGateway.start({
      logDestination: { write: (line: string) => void log.push(JSON.parse(line)) },
    });
    ({ gateway, proxy, prisma } = proxied);
  });
  afterAll(() => gateway.close());

  interface Told {
    codes: string[];
    retryAfter: string | null;
  }

  /**
   * Repeats a request, each time with another one of its statements meeting a fate, until
   * no statement is left. Checks the answers.
   */
  async function metBy(
    fate: Fate,
    requestOf: (workspace: TestWorkspace) => Promise<() => Promise<Told>>,
  ): Promise<void> {
    const freshRequest = async () => requestOf(await proxied.freshWorkspace());
    let request = await freshRequest();
    for (let position = 1; ; position += 1) {
      let seen = 0;
      let met = "";
      log.length = 0;
      proxy.decide = ({ text }) => {
        seen += 1;
        if (seen === position) met = text;
        return seen === position ? fate : "forward";
      };
      const { codes, retryAfter } = await request();
      proxy.decide = () => "forward";
      if (seen < position) return;
      if (codes.length === 0) {
        request = await freshRequest();
        continue;
      }
      const [failure] = log.flatMap(({ err }) => err ?? []);
      expect({
        met,
        codes,
        retryAfter: Number(retryAfter),
        cause: `${failure?.code} ${failure?.stack}`,
      }).toEqual({
        ...{ met, codes: ["UNAVAILABLE"], retryAfter: expect.toSatisfy((seconds) => seconds > 0) },
        cause: expect.stringMatching(fate === "reset" ? isReset : isEnded),
      });
      if (fate !== "reset")
        expect(
          log.filter(({ err }) => /not queryable|terminated unexpectedly/.test(String(err?.stack))),
        ).toEqual([]);
    }
  }

  const isEnded = /57P01|terminating connection due to administrator command/;
  /** The messages of Node.js, `pg`, Prisma and Prisma's adapter. */
  const isReset = /ECONNRESET|terminated unexpectedly|P1017|ConnectionClosed/;
  // With the second fate, nobody waits for the loss: the next statement finds the
  // connection lost. The first fate takes the time of as many new connections.
  const fates: Fate[] = ["terminate", "answer and terminate"];
  const ofBothFates = new Set(["createCamera", "createApiKey", "recordAlerts", "recordStreamError"]);

  const graphql = (as: TestWorkspace["admin"]["user"], query: string, variables?: object) =>
    gateway
      .graphql<unknown>(query, { as, ...(variables && { variables }) })
      .then(({ errors = [], headers }) => {
        const codes = errors.map(({ extensions }) => extensions.code);
        return { codes, retryAfter: headers.get("retry-after") };
      });

  /** Makes what a mutation needs; the function returned sends it. */
  async function mutationOf(name: string, workspace: TestWorkspace, as = senderOf(name, workspace)) {
    const call = await callOf(prisma, name, workspace);
    return () => graphql(as, ...call);
  }

  describe("or a BEGIN that alone is refused", () => {
    /** Refuses the first BEGIN with an error, and nothing else. */
    const refuseBegin = (refuseWith: string) => {
      let refused = 0;
      proxy.decide = ({ text }) => {
        if (text !== "BEGIN" || refused > 0) return "forward";
        refused += 1;
        return { refuseWith };
      };
      return () => refused;
    };
    // Canceled by somebody, refused by a pooler, and an error that means nothing to the
    // gateway.
    const refusals = ["57014", "08P01", "22023"];

    // One writes nothing, and begins no transaction.
    const writing = mutations.filter((name) => name !== "testAlertRule");

    it.each(writing)("lets %s write all or nothing", async (name) => {
      const code = refusals[mutations.indexOf(name) % refusals.length] as string;
      const workspace = await proxied.freshWorkspace();
      const mutate = await mutationOf(name, workspace);
      // The caller is cached from now on, as most are.
      await graphql(senderOf(name, workspace), "{ workspace { id } }");
      const before = await tablesOf({ prisma });
      const refused = refuseBegin(code);
      const { codes, retryAfter } = await mutate();
      proxy.decide = () => "forward";
      expect(refused()).toBe(1);
      const written = changedTables(before, await tablesOf({ prisma }));
      if (codes.length > 0)
        expect({ codes, written, waits: retryAfter !== null }).toEqual({
          codes: ["UNAVAILABLE"],
          written: [],
          waits: true,
        });
      else expect(written).toContain("AuditEntry");
    });

    it("lets detectors of one facility, too, record all or nothing", async () => {
      const workspace = await proxied.freshWorkspace();
      const record = await mutationOf("recordAlerts", workspace, workspace.local.key);
      refuseBegin("57014");
      await record();
      proxy.decide = () => "forward";
      expect(await record()).toMatchObject({ codes: [] });
      const { workspaceId } = workspace.ids;
      expect(await prisma.auditEntry.count({ where: { workspaceId, action: "recordAlerts" } })).toBe(1);
    });
  });

  it.each(mutations)(
    "makes %s UNAVAILABLE, at whichever statement, and is logged as the cause",
    async (name) => {
      for (const fate of ofBothFates.has(name) ? fates : fates.slice(1)) {
        await metBy(fate, (workspace) => mutationOf(name, workspace));
      }
    },
  );

  it.each([...ofBothFates])("makes %s UNAVAILABLE if the connection is reset", async (name) => {
    await metBy("reset", (workspace) => mutationOf(name, workspace));
  });

  it("leaves nothing to the next transaction if ROLLBACK fails", async () => {
    const id = await createWorkspace(prisma, { name: "Before" });
    const { database } = gateway.app;
    const rename = Prisma.sql`UPDATE "Workspace" SET "name" = 'After' WHERE "id" = ${id}::uuid`;
    const failing = async (transaction: Transaction) => {
      await transaction.$executeRaw(rename);
      throw new Error("No");
    };
    proxy.decide = ({ text }) => (text === "ROLLBACK" ? { refuseWith: "57014" } : "forward");
    await expect(database.transact(failing)).rejects.toThrow("No");
    proxy.decide = () => "forward";
    for (let times = 0; times < 3; times += 1)
      await database.transact((transaction) => transaction.$queryRaw`SELECT 1`);
    expect((await prisma.workspace.findUniqueOrThrow({ where: { id } })).name).toBe("Before");
  });

  it("makes a query UNAVAILABLE, at whichever statement", async () => {
    const query =
      "{ facilities { name cameras { name alerts(first: 2) { totalCount nodes { name } } } } auditLog { nodes { action } } }";
    for (const fate of fates)
      await metBy(
        fate,
        async ({ admin }) =>
          () =>
            graphql(admin.user, query),
      );
  });
});
