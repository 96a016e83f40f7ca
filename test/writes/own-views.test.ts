// Runs once: both kinds of databases run the same statements.

import { createAdmin, createSavedView, createTestUser, type TestUser } from "../support/factories.js";
import { type Call, refusal, run, sharedWorkspace } from "../support/harness.js";
import { listOf } from "../support/list-of.js";

const now = new Date("2026-11-20T12:00:00.000Z");
const { gateway, prisma, workspaceId } = await sharedWorkspace({ now: () => now });
const user = await createAdmin(prisma, workspaceId);
const other = await createAdmin(prisma, workspaceId);

interface Own {
  seenAt: string | null;
  savedViews: { id: string; name: string; query: string }[];
}

const fields = "seenAt savedViews { id name query }";
const save = (input: object): Call => [
  `mutation ($input: SavedViewInput!) { user: saveView(input: $input) { ${fields} } }`,
  { input: { name: "Open", query: "open=true", ...input } },
];
const remove = (id: string): Call => [
  `mutation ($id: UUID!) { user: deleteView(id: $id) { ${fields} } }`,
  { id },
];
const seen = (at: string): Call => [
  `mutation ($at: DateTimeISO!) { user: markSeen(at: $at) { ${fields} } }`,
  { at },
];
const result = async (caller: TestUser, call: Call) => (await run<{ user: Own }>(gateway, caller, call)).user;
const newUser = () => createTestUser(prisma, { workspaceId });

describe("saved views", () => {
  it("are added in their order, replaced by their id, and deleted", async () => {
    const caller = await newUser();
    const { savedViews: one } = await result(caller, save({ name: "B" }));
    expect(one).toEqual([{ id: expect.any(String), name: "B", query: "open=true" }]);
    const { savedViews: two } = await result(caller, save({ name: "A" }));
    expect(two.map(({ name }) => name)).toEqual(["B", "A"]);
    const id = two[0]?.id as string;
    const changed = { id, name: "C", query: "severities=HIGH" };
    expect((await result(caller, save(changed))).savedViews).toEqual([changed, two[1]]);
    expect((await result(caller, remove(id))).savedViews).toEqual([two[1]]);
    expect(await gateway.data(`{ me { savedViews { id name query } } }`, caller)).toEqual({
      me: { savedViews: [two[1]] },
    });
  });

  it("are seen and changed by their user alone", async () => {
    const caller = await newUser();
    const { savedViews } = await result(caller, save({}));
    const id = savedViews[0]?.id as string;
    const { workspace } = await gateway.data<{ workspace: { users: Own[] } }>(
      `{ workspace { users { ${fields} } } }`,
      user,
    );
    expect(workspace.users.flatMap((each) => each.savedViews)).toEqual([]);
    for (const call of [remove(id), save({ id })])
      expect(await refusal(gateway, other, call)).toMatchObject({ code: "NOT_FOUND" });
    expect(await gateway.data(`{ me { savedViews { id name query } } }`, caller)).toEqual({
      me: { savedViews },
    });
  });

  it("are at most 50, which may still be replaced", async () => {
    const caller = await newUser();
    const views = listOf(49, () => createSavedView(prisma, { workspaceId, userId: caller.id }));
    await Promise.all(views);
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => run(gateway, caller, save({}))));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await refusal(gateway, caller, save({}))).toEqual({
      code: "CONFLICT",
      message: "You have 50 saved views: no more can be added",
    });
    expect((await result(caller, save({ id: await views[0], name: "New" }))).savedViews).toHaveLength(50);
  });

  it("go with their user", async () => {
    const caller = await newUser();
    await result(caller, save({}));
    await run(gateway, user, ["mutation ($id: UUID!) { removeUser(userId: $id) { id } }", { id: caller.id }]);
    expect(await prisma.savedView.count({ where: { userId: caller.id } })).toBe(0);
  });
});

describe("seenAt", () => {
  it("is null at first, and then the latest time that was given", async () => {
    const caller = await newUser();
    const { updatedAt } = await prisma.user.findFirstOrThrow({ where: { id: caller.id } });
    expect(await gateway.data("{ me { seenAt } }", caller)).toEqual({ me: { seenAt: null } });
    const [earlier, later] = ["2026-11-20T11:00:00.000Z", now.toISOString()];
    expect(await result(caller, seen(earlier))).toMatchObject({ seenAt: earlier });
    expect(await result(caller, seen(later))).toMatchObject({ seenAt: later });
    expect(await result(caller, seen(earlier))).toMatchObject({ seenAt: later });
    const row = await prisma.user.findFirstOrThrow({ where: { id: caller.id } });
    expect(row).toMatchObject({ seenAt: now, updatedAt });
  });

  it("is not in the future", async () => {
    expect(await refusal(gateway, user, seen("2026-11-20T12:00:00.001Z"))).toMatchObject({
      code: "BAD_REQUEST",
      paths: ["at"],
    });
  });

  it("is null for other users", async () => {
    await result(other, seen(now.toISOString()));
    const { workspace } = await gateway.data<{ workspace: { users: (Own & { id: string })[] } }>(
      "{ workspace { users { id seenAt } } }",
      other,
    );
    expect(workspace.users.filter(({ seenAt }) => seenAt !== null)).toEqual([
      { id: other.id, seenAt: now.toISOString() },
    ]);
  });
});
