// Runs once: both kinds of databases run the same statements.

import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { type Permission, permissions } from "../../src/engine/access/permissions.js";
import { createCompleteFacility } from "../support/complete-facility.js";
import {
  createAdmin,
  createAlerts,
  createApiKey,
  createFacility,
  createTestUser,
  createWorkspace,
  endKeeping,
  type TestUser,
} from "../support/factories.js";
import { type Call, type Gateway, run, type Sender } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { TestSite } from "../support/test-site.js";

const { server } = inject("resources");

/** Two gateways sharing a PostgreSQL database, as behind a load balancer. */
describe.runIf(server)("two gateways sharing a database", () => {
  let testSite: TestSite;
  let gateways: Gateway[];
  let gatewayA: Gateway;
  let gatewayB: Gateway;
  let workspaceId: string;
  let admin: TestUser;
  beforeAll(async () => {
    testSite = await TestSite.open();
    gatewayA = await testSite.start();
    gatewayB = await testSite.start();
    gateways = [gatewayA, gatewayB];
    workspaceId = await createWorkspace(gatewayA.prisma);
    admin = await createAdmin(gatewayA.prisma, workspaceId);
  });
  afterAll(async () => {
    for (const gateway of gateways) await gateway.close();
    await testSite.remove();
  });

  const newSite = (alerts = 1) =>
    createCompleteFacility(gatewayA.prisma, {
      workspaceId,
      name: "Site",
      alerts,
      newest: "2026-11-20T12:00:00Z",
    });
  const newFacility = () => createFacility(gatewayA.prisma, { workspaceId, name: "Old" });
  const newUser = (roles: readonly Permission[] = [], at: Record<string, Permission[]> = {}) =>
    createTestUser(gatewayA.prisma, { workspaceId, roles, at });
  /**
   * The audit log's entries for a target, with each changed field's old and new value.
   */
  const entriesOf = async (targetId: string) => {
    const entries = await gatewayA.prisma.auditEntry.findMany({ where: { targetId } });
    return entries.map(({ action, changes }) => ({
      action,
      changes: (changes ?? {}) as unknown as Record<string, { from: unknown; to: unknown }>,
    }));
  };

  /**
   * Sends the calls concurrently, alternating between the gateways; returns "ok" or the
   * error code of each.
   */
  const race = (calls: readonly Call[], as: Sender = admin.as): Promise<string[]> =>
    Promise.all(
      calls.map(async ([mutation, variables], index) => {
        const { errors } = await (gateways[index % 2] as Gateway).graphql(mutation, { as, variables });
        return errors?.[0]?.extensions.code ?? "ok";
      }),
    );
  const times = <Item>(count: number, make: (index: number) => Item) => listOf(count, (index) => make(index));

  /**
   * Expects the changes of one field to form a chain from the first value to the last,
   * each starting where another ended.
   */
  function expectChain(changes: { from: unknown; to: unknown }[], first: unknown, last: unknown): void {
    const text = (value: unknown) => JSON.stringify(value);
    const effective = changes.filter(({ from, to }) => text(from) !== text(to));
    const starts = [text(first), ...effective.map(({ to }) => text(to))].toSorted();
    const ends = [...effective.map(({ from }) => text(from)), text(last)].toSorted();
    expect(starts).toEqual(ends);
  }

  describe("concurrent writes never mix", () => {
    it.each<[string, string]>([
      ["setUserRoles", "mutation ($userId: UUID!) { setUserRoles(userId: $userId, roles: []) { id } }"],
      ["removeUser", "mutation ($userId: UUID!) { removeUser(userId: $userId) { id } }"],
    ])("%s: of two managers who take each other's users:write, one keeps it", async (_name, mutation) => {
      for (let time = 0; time < 12; time += 1) {
        const own = await createWorkspace(gatewayA.prisma);
        const manager = () =>
          createTestUser(gatewayA.prisma, { workspaceId: own, roles: ["users:write"] as const });
        const [one, other] = [await manager(), await manager()];
        await Promise.all([
          gatewayA.graphql(mutation, { as: one.as, variables: { userId: other.id } }),
          gatewayB.graphql(mutation, { as: other.as, variables: { userId: one.id } }),
        ]);
        const left = { where: { workspaceId: own, roles: { has: "users:write" } } };
        expect(await gatewayA.prisma.user.count(left)).toBe(1);
      }
    });

    it("updateCamera: name, URL, and recipients come from one write, and only one stream request is open", async () => {
      const { cameraId } = await newSite();
      const inputs = times(12, (index) => ({
        name: `Name ${index}`,
        url: `rtsp://10.0.0.${index}/`,
        emailAddresses: [`a${index}@test.example`],
      }));
      const mutation =
        "mutation ($id: UUID!, $input: UpdateCameraInput!) { updateCamera(id: $id, input: $input) { id } }";
      expect(new Set(await race(inputs.map((input) => [mutation, { id: cameraId, input }])))).toEqual(
        new Set(["ok"]),
      );
      const { name, url, emailAddresses } = await gatewayA.prisma.camera.findFirstOrThrow({
        where: { id: cameraId },
      });
      expect(inputs).toContainEqual({ name, url, emailAddresses });
      const open = await gatewayA.prisma.streamRequest.findMany({ where: { cameraId, supersededAt: null } });
      expect(open.map((request) => request.url)).toEqual([url]);
      const entries = await entriesOf(cameraId);
      expect(entries).toHaveLength(12);
      expectChain(
        entries.map(({ changes }) => changes.name as never),
        "Site",
        name,
      );
    });

    it("setUserRoles: the result is one of the lists, and the audit log is a chain of changes", async () => {
      const { id } = await newUser();
      const lists: Permission[][] = [
        ["alerts:read", "cameras:read"],
        ["users:read"],
        ["alerts:write", "alerts:delete", "cameras:write"],
      ];
      const mutation =
        "mutation ($userId: UUID!, $roles: [String!]!) { setUserRoles(userId: $userId, roles: $roles) { id } }";
      const outcomes = await race(times(12, (index) => [mutation, { userId: id, roles: lists[index % 3] }]));
      expect(new Set(outcomes)).toEqual(new Set(["ok"]));
      const { roles } = await gatewayA.prisma.user.findFirstOrThrow({ where: { id } });
      expect(lists).toContainEqual(roles);
      const changes = (await entriesOf(id)).flatMap((entry) =>
        entry.changes.roles ? [entry.changes.roles] : [],
      );
      expectChain(changes, [], roles);
    });

    it("grants and removals: none undoes another", async () => {
      const facilityId = await newFacility();
      const { id } = await newUser([], { [facilityId]: ["users:read", "users:write"] });
      const call = (kind: string, action: string): Call => [
        `mutation ($facilityId: UUID!, $actions: [String!]!, $userId: UUID) {
          ${kind}FacilityAccess(facilityId: $facilityId, actions: $actions, userId: $userId) { actions }
        }`,
        { facilityId, actions: [action], userId: id },
      ];
      const granted = permissions.filter((each) => !each.startsWith("users:"));
      const calls = [
        ...granted.map((each) => call("grant", each)),
        call("remove", "users:read"),
        call("remove", "users:write"),
      ];
      expect(new Set(await race(calls))).toEqual(new Set(["ok"]));
      const { actions } = await gatewayA.prisma.facilityAccess.findFirstOrThrow({ where: { userId: id } });
      expect(actions.toSorted()).toEqual(granted.toSorted());
      const entries = await entriesOf(id);
      expect(entries).toHaveLength(calls.length);
      expectChain(
        entries.map(({ changes }) => changes.actions as never),
        ["users:read", "users:write"],
        actions,
      );
    });
  });

  it("markAlerts and deleteAlerts with overlapping ids in different orders: no deadlock occurs, and each alert has one change of a mark", async () => {
    const { facilityId, cameraId } = await newSite(0);
    const mutation =
      "mutation ($ids: [UUID!]!, $marks: AlertMarksInput!) { markAlerts(ids: $ids, marks: $marks) { alerts { id } } }";
    for (let round = 0; round < 5; round += 1) {
      const ids = await createAlerts(gatewayA.prisma, Array(60).fill({ workspaceId, facilityId, cameraId }));
      const lists = [ids.slice(0, 40), ids.slice(20).toReversed(), ids.toReversed(), ids];
      const marks = { acknowledged: true, bookmark: true };
      const comment: Call = [
        'mutation ($id: UUID!) { commentAlert(id: $id, text: "Seen") { id } }',
        { id: ids[30] },
      ];
      const removal: Call = [
        "mutation ($ids: [UUID!]!) { deleteAlerts(ids: $ids) { deletedIds } }",
        { ids: ids.slice(50) },
      ];
      const outcomes = await race([
        ...lists.map((list): Call => [mutation, { ids: list, marks }]),
        comment,
        removal,
      ]);
      expect(outcomes.filter((outcome) => !["ok", "NOT_FOUND"].includes(outcome))).toEqual([]);
      const alerts = await gatewayA.prisma.alert.findMany({
        where: { id: { in: ids } },
        orderBy: { id: "asc" },
      });
      expect(alerts.map(({ id }) => id)).toEqual(ids.slice(0, 50).toSorted());
      const entries = await gatewayA.prisma.auditEntry.findMany({
        where: { action: "markAlerts", targetId: { in: alerts.map(({ id }) => id) } },
      });
      expect(entries.map(({ targetId }) => targetId).toSorted()).toEqual(
        alerts.filter(({ acknowledgedAt }) => acknowledgedAt).map(({ id }) => id),
      );
    }
  });

  it("updateAlertRule beside the deletion of its camera: each succeeds before it or returns NOT_FOUND; no deadlock occurs, and the purge finishes", async () => {
    for (let round = 0; round < 8; round += 1) {
      const { cameraId, ruleId } = await newSite();
      await endKeeping(gatewayA.prisma, cameraId);
      const removal: Call = ["mutation ($id: UUID!) { deleteCamera(id: $id) { id } }", { id: cameraId }];
      const change = (index: number): Call => [
        "mutation ($id: UUID!, $input: UpdateAlertRuleInput!) { updateAlertRule(id: $id, input: $input) { id } }",
        { id: ruleId, input: { severity: `S${index}` } },
      ];
      const outcomes = await race(times(10, (index) => (index === 4 ? removal : change(index))));
      expect(outcomes[4]).toBe("ok");
      expect(outcomes.filter((outcome) => !["ok", "NOT_FOUND"].includes(outcome))).toEqual([]);
      expect(await entriesOf(ruleId)).toHaveLength(outcomes.filter((outcome) => outcome === "ok").length - 1);
      await expect.poll(() => gatewayA.prisma.camera.count({ where: { id: cameraId } })).toBe(0);
    }
  });

  it("deleteFacility beside writes there: each succeeds before it or returns NOT_FOUND; no deadlock occurs, the purge finishes, and counts are right", async () => {
    for (let round = 0; round < 6; round += 1) {
      const { facilityId, cameraId } = await newSite();
      const elsewhere = await newSite();
      const key = await createApiKey(gatewayA.prisma, {
        workspaceId,
        permissions: ["alerts:read"],
        facilityIds: [facilityId, elsewhere.facilityId],
      });
      const writes: ((index: number) => Call)[] = [
        () => ["mutation ($id: UUID!) { recordHeartbeat(facilityId: $id) { id } }", { id: facilityId }],
        () => [
          `mutation ($id: UUID!) { createCamera(facilityId: $id, input: { name: "New", url: "rtsp://camera.example/1", streamType: DIRECT }) { requestId } }`,
          { id: facilityId },
        ],
        () => [
          `mutation ($input: [RecordAlertInput!]!) { recordAlerts(input: $input) { recorded } }`,
          {
            input: [cameraId, elsewhere.cameraId].map((each) => ({
              id: randomUUID(),
              cameraId: each,
              name: "ALERT",
              createdAt: "2026-11-20T12:00:00Z",
            })),
          },
        ],
        (index) => [
          "mutation ($id: UUID!, $zone: String!) { updateFacility(id: $id, input: { timeZoneId: $zone }) { id } }",
          { id: facilityId, zone: index % 2 === 0 ? "Asia/Tokyo" : "UTC" },
        ],
        () => [
          `mutation ($id: UUID!, $user: UUID!) { grantFacilityAccess(facilityId: $id, userId: $user, actions: ["alerts:read"]) { actions } }`,
          { id: facilityId, user: admin.id },
        ],
        (index) => [
          "mutation ($id: UUID!, $input: UpdateCameraInput!) { updateCamera(id: $id, input: $input) { id } }",
          { id: cameraId, input: { name: `Name ${index}` } },
        ],
        () => [
          `mutation ($ids: [UUID!]!) { createApiKey(input: { name: "Key", permissions: ["alerts:read"], facilityIds: $ids }) { key } }`,
          { ids: [facilityId, elsewhere.facilityId] },
        ],
      ];
      const removal: Call = ["mutation ($id: UUID!) { deleteFacility(id: $id) { id } }", { id: facilityId }];
      const calls = times(21, (index) =>
        index === 10 ? removal : (writes[index % writes.length] as (index: number) => Call)(index),
      );
      const outcomes = await race(calls);
      expect(outcomes[10]).toBe("ok");
      expect(outcomes.filter((outcome) => !["ok", "NOT_FOUND"].includes(outcome))).toEqual([]);
      const { facilities } = await gatewayB.data<{ facilities: object[] }>("{ facilities { id } }", {
        as: key,
      });
      expect(facilities).toEqual([{ id: elsewhere.facilityId }]);
      await expect.poll(() => gatewayA.prisma.facility.count({ where: { id: facilityId } })).toBe(0);
      const { prisma } = gatewayA;
      expect(await prisma.apiKey.count({ where: { facilityIds: { has: facilityId } } })).toBe(0);
      expect(await prisma.alert.count({ where: { facilityId } })).toBe(0);
      expect(await prisma.$queryRaw`SELECT * FROM "alertCountDifferences"()`).toEqual([]);
    }
  });

  it("a client and the purge delete the same alerts: no deadlock occurs", async () => {
    const { facilityId, cameraId } = await newSite(0);
    // Stored in the reverse order of the clients' locks.
    const ids = times(4, () => randomUUID())
      .toSorted()
      .toReversed();
    await createAlerts(
      gatewayA.prisma,
      ids.map((id) => ({ id, workspaceId, facilityId, cameraId })),
    );
    const waiting = async (milliseconds: number) => {
      // The locks of a cluster are on its nodes.
      const sql = `SELECT 1 FROM ${server?.isCluster ? "citus" : "pg"}_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND now() - query_start > make_interval(secs => ${milliseconds} / 1000.0)`;
      return (await gatewayA.prisma.$queryRawUnsafe<object[]>(sql)).length;
    };
    const effective = () => gatewayA.prisma.alert.count({ where: { cameraId } });
    let deletion: Promise<string[]> | undefined;
    await gatewayB.prisma.$transaction(
      async (transaction) => {
        await transaction.$queryRaw`SELECT 1 FROM "Alert" WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ${ids[1]}::uuid FOR UPDATE`;
        deletion = race([["mutation ($ids: [UUID!]!) { deleteAlerts(ids: $ids) { deletedIds } }", { ids }]]);
        await expect.poll(() => waiting(0)).toBe(1);
        await run(gatewayA, admin, [
          "mutation ($id: UUID!) { deleteCamera(id: $id) { id } }",
          { id: cameraId },
        ]);
        // The purge now waits too, long enough to be past its deadlock check; or it has
        // already deleted the unlocked alerts.
        await expect
          .poll(async () => (await waiting(1500)) > 1 || (await effective()) < ids.length)
          .toBe(true);
      },
      { timeout: 60_000 },
    );
    expect(["ok", "NOT_FOUND"]).toContain((await deletion)?.[0]);
    await expect.poll(effective).toBe(0);
  });
});
