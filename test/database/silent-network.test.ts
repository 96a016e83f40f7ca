// Takes long: it waits for a network that does not answer.
import pg from "pg";
import { inject } from "vitest";
import { onServer } from "../support/databases.js";
import { eventually } from "../support/eventually.js";
import { createAdmin, createFacility, createWorkspace, type TestUser } from "../support/factories.js";
import { freshData, type Gateway, gatewayOn } from "../support/harness.js";
import { TcpProxy } from "../support/tcp-proxy.js";

const { server } = inject("resources");

const poolSize = 3;

describe.runIf(server)(
  "a network that drops what is sent to the database, without closing connections",
  () => {
    let url: string;
    let proxy: TcpProxy;
    let gateway: Gateway;
    let workspaceId: string;
    let facilityId: string;
    let admin: TestUser;
    beforeAll(async () => {
      const { variables, cleanUp } = await freshData("none");
      url = variables.DATABASE_URL as string;
      proxy = await TcpProxy.open(url);
      const limits = {
        DATABASE_POOL_SIZE: String(poolSize),
        DATABASE_CONNECT_TIMEOUT: "500",
        DATABASE_STATEMENT_TIMEOUT: "2000",
      };
      const environment = { ...variables, ...limits, DATABASE_URL: proxy.url };
      gateway = await gatewayOn(environment, {}, cleanUp);
      workspaceId = await createWorkspace(gateway.prisma);
      facilityId = await createFacility(gateway.prisma, { workspaceId });
      admin = await createAdmin(gateway.prisma, workspaceId);
    });
    afterAll(() => proxy.disconnect());

    const codesOf = async (query: string) =>
      (await gateway.graphql(query, { as: admin.as })).errors?.map(({ extensions }) => extensions.code);
    const read = () => codesOf("{ workspace { cameras { name } } }");
    const write = () => codesOf(`mutation { recordHeartbeat(facilityId: "${facilityId}") { id } }`);
    const readiness = async () => (await gateway.fetch("/readyz")).status;
    /** One request per connection, all at once. */
    const readAtOnce = () => Promise.all(Array.from({ length: poolSize }, read));

    /**
     * A write that has started its transaction, and waits for a lock until `release` is
     * called.
     */
    async function heldWrite() {
      const holder = new pg.Client({ connectionString: url });
      await holder.connect();
      await holder.query(
        `BEGIN; SELECT 1 FROM "Facility" WHERE "workspaceId" = '${workspaceId}' AND "id" = '${facilityId}' FOR UPDATE`,
      );
      const result = write();
      const waiting = `SELECT 1 FROM ${server?.isCluster ? "citus" : "pg"}_stat_activity WHERE "datname" = '${new URL(url).pathname.slice(1)}' AND "wait_event_type" = 'Lock'`;
      await eventually(
        () => onServer(url, waiting),
        (rows) => rows.length > 0,
      );
      return { result, release: () => holder.end() };
    }

    it("makes requests on these connections UNAVAILABLE, while new connections serve the next ones", async () => {
      expect(await readAtOnce()).toEqual([undefined, undefined, undefined]);
      const held = await heldWrite();
      proxy.vanish("open");
      await held.release();
      // One of the three connections remains idle, and is dead as well.
      expect(await Promise.all([held.result, write()])).toEqual([["UNAVAILABLE"], ["UNAVAILABLE"]]);
      expect(await readAtOnce()).toEqual([undefined, undefined, undefined]);
      // The server does not keep the locks of the dead transaction.
      expect(await write()).toBeUndefined();
    });

    it("makes everything UNAVAILABLE until it is restored", async () => {
      expect(await readAtOnce()).toEqual([undefined, undefined, undefined]);
      const held = await heldWrite();
      proxy.vanish("all");
      await held.release();
      expect(await Promise.all([held.result, read(), readiness()])).toEqual([
        ["UNAVAILABLE"],
        ["UNAVAILABLE"],
        503,
      ]);
      proxy.restore();
      await expect.poll(readiness).toBe(200);
      expect(await read()).toBeUndefined();
      await expect.poll(write).toBeUndefined();
    });

    it("does not keep the gateway from closing", async () => {
      proxy.vanish("all");
      await gateway.close();
    });
  },
);
