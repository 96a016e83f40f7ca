import type { Transaction } from "../../src/engine/database/transaction.js";
import { Prisma } from "../../src/generated/prisma/client.js";
import { createWorkspace } from "../support/factories.js";
import { sharedGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";

const gateway = await sharedGateway();

const timeout = 60_000;

/**
 * Renames a workspace in a transaction, with a statement before or after. Returns the
 * name afterwards.
 */
async function renaming(
  work: (rename: () => Promise<number>, transaction: Transaction) => Promise<unknown>,
  limits = { timeout },
) {
  const id = await createWorkspace(gateway.prisma, { name: "Before" });
  const rename = (transaction: Transaction) =>
    transaction.$executeRaw(Prisma.sql`UPDATE "Workspace" SET "name" = ${"After"} WHERE "id" = ${id}::uuid`);
  const outcome = gateway.app.database.transact(
    (transaction) => work(() => rename(transaction), transaction),
    limits,
  );
  const [{ status }] = await Promise.allSettled([outcome]);
  const { name } = await gateway.prisma.workspace.findUniqueOrThrow({ where: { id } });
  return { status, name };
}

const failing = Prisma.sql`SELECT 1 / 0`;

it("commits statements that succeeded", async () => {
  expect(await renaming((rename) => rename())).toEqual({ status: "fulfilled", name: "After" });
});

it("rolls back when the work fails", async () => {
  const failed = renaming(async (rename) => {
    await rename();
    throw new Error("No");
  });
  expect(await failed).toEqual({ status: "rejected", name: "Before" });
});

it("rolls back when a statement fails that the work did not wait for", async () => {
  const failed = renaming(async (rename, transaction) => {
    await rename();
    transaction.$queryRaw(failing).catch(() => {});
  });
  expect(await failed).toEqual({ status: "rejected", name: "Before" });
});

it("fails when the database answers its commit with a rollback of models, too", async () => {
  const id = await createWorkspace(gateway.prisma, { name: "Before" });
  const committing = gateway.app.database.transact(async (transaction) => {
    await transaction.workspace.update({ where: { id }, data: { name: "After" } });
    await transaction.$queryRaw(failing).catch(() => {});
  });
  await expect(committing).rejects.toThrow(/rolled back|aborted/i);
  expect((await gateway.prisma.workspace.findUniqueOrThrow({ where: { id } })).name).toBe("Before");
});

it("takes no statement once its time is over, or once it has ended", async () => {
  expect(await renaming((rename) => rename(), { timeout: -1 })).toEqual({
    status: "rejected",
    name: "Before",
  });
  // Whose statements are refused while nobody waits for them must not be committed
  // without them.
  expect(await renaming(async (rename) => void rename().catch(() => {}), { timeout: -1 })).toEqual({
    status: "rejected",
    name: "Before",
  });
  let late: () => Promise<number> = () => Promise.resolve(0);
  expect(
    await renaming(async (rename) => {
      late = rename;
    }),
  ).toEqual({ status: "fulfilled", name: "Before" });
  await expect(late()).rejects.toMatchObject({ code: "P2028" });
});

it("runs the models of simultaneous transactions each within its own", async () => {
  const { transact } = gateway.app.database;
  const renamed = listOf(30, async (index) => {
    const id = await createWorkspace(gateway.prisma, { name: "Before" });
    const data = { name: `After ${index}` };
    const renaming = transact(async (transaction) => {
      await transaction.workspace.update({ where: { id }, data });
      const rows = await transaction.$queryRaw`SELECT "name" FROM "Workspace" WHERE "id" = ${id}::uuid`;
      expect(rows).toEqual([data]);
      if (index % 3 === 0) throw new Error("No");
    });
    await renaming.catch(() => {});
    expect(await gateway.prisma.workspace.findUnique({ where: { id } })).toMatchObject(
      index % 3 === 0 ? { name: "Before" } : data,
    );
  });
  await Promise.all(renamed);
});

it("runs no model once it has ended, although an operation had begun", async () => {
  const id = await createWorkspace(gateway.prisma, { name: "Before" });
  const rename = { where: { id }, data: { name: "After" } };
  let late: Promise<unknown> = Promise.resolve();
  const { workspace } = await gateway.app.database.transact(async (transaction) => {
    late = transaction.workspace.update(rename);
    late.catch(() => {});
    return transaction;
  });
  await Promise.allSettled([late]);
  await expect(workspace.update(rename)).rejects.toMatchObject({ code: "P2028" });
  expect(await gateway.prisma.workspace.findUnique({ where: { id } })).toMatchObject({ name: "Before" });
});

it("leaves a connection on which other transactions succeed", async () => {
  for (let times = 0; times < 20; times += 1)
    expect(await renaming(() => Promise.reject(new Error("No")))).toMatchObject({ status: "rejected" });
  expect(await renaming((rename) => rename())).toEqual({ status: "fulfilled", name: "After" });
});
