// Runs once: both kinds of databases run the same statements.

import { BatchSize } from "../../src/features/retention/batch-size.js";
import { createAdmin, createAlerts, createPlace, createWorkspace } from "../support/factories.js";
import { run, sharedGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";

/** The sizes of batches on a database that needs some milliseconds for each row. */
function sizesOf(size: BatchSize, millisecondsPerRow: number, batches = 8): number[] {
  return listOf(batches, () => {
    const { rows } = size;
    size.note(rows, rows * millisecondsPerRow);
    return rows;
  });
}

it("batches shrink until they take 50 ms each", () => {
  expect(sizesOf(new BatchSize(2_000), 2, 4)).toEqual([100, 25, 25, 25]);
});

it("batches grow, twice as large at most each time, up to the most rows", () => {
  expect(sizesOf(new BatchSize(2_000), 0.01)).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000, 2_000]);
});

it("batches have ten rows at least, and never more than the most rows", () => {
  expect(sizesOf(new BatchSize(2_000), 1_000, 3)).toEqual([100, 10, 10]);
  expect(sizesOf(new BatchSize(30), 0.01, 2)).toEqual([30, 30]);
});

it("batches of fewer rows than asked for make the next ones smaller, but not larger", () => {
  const size = new BatchSize(2_000);
  size.note(0, 1_000);
  size.note(3, 0.1);
  expect(size.rows).toBe(100);
  size.note(20, 100);
  expect(size.rows).toBe(10);
});

it("each statement that purges a deleted camera tells how large the next one may be", async () => {
  const { prisma, app } = await sharedGateway();
  const note = vi.spyOn(BatchSize.prototype, "note");
  onTestFinished(() => note.mockRestore());
  const workspaceId = await createWorkspace(prisma);
  const admin = await createAdmin(prisma, workspaceId);
  const { facilityId, cameraId } = await createPlace(prisma, { workspaceId });
  await createAlerts(prisma, Array(250).fill({ workspaceId, facilityId, cameraId }));
  await run(await sharedGateway(), admin, [
    "mutation ($id: UUID!) { deleteCamera(id: $id) { id } }",
    { id: cameraId },
  ]);
  await app.idle();
  expect(await prisma.alert.count({ where: { workspaceId } })).toBe(0);
  expect(note.mock.calls.reduce((sum, [rows]) => sum + rows, 0)).toBeGreaterThanOrEqual(250);
});
