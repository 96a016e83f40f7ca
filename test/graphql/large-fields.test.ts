// Runs once: both kinds of databases run the same statements.

import { setImmediate as iteration } from "node:timers/promises";
import { schema } from "../../src/api/graphql/schema.js";
import { AuditEntryResolver } from "../../src/features/audit/audit-entry.resolver.js";
import { createCompleteFacility } from "../support/complete-facility.js";
import { createAdmin, createAlerts } from "../support/factories.js";
import { sharedWorkspace } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { observeExecutions } from "./execution-observer.js";

const entries = 60;
const charactersOfEntry = 100_000;

const executions = observeExecutions(schema);
const { gateway, prisma, workspaceId } = await sharedWorkspace();
const admin = await createAdmin(prisma, workspaceId);
const site = await createCompleteFacility(prisma, {
  workspaceId,
  name: "Site",
  alerts: 0,
});

/** The largest number of calls that {@link AuditEntryResolver.changes} got in one iteration of the event loop. */
async function mostChangesAtOnce(query: string): Promise<number> {
  const counts = new Map<number, number>();
  let [iterations, isOver] = [0, false];
  const changes = vi.spyOn(AuditEntryResolver.prototype, "changes");
  onTestFinished(() => changes.mockRestore());
  const calls = () => changes.mock.calls.length;
  const count = async () => {
    for (let before = 0; !isOver; iterations += 1) {
      await iteration();
      counts.set(iterations, calls() - before);
      before = calls();
    }
  };
  const counting = count();
  expect((await gateway.graphql(query, { as: admin.as })).errors).toBeUndefined();
  isOver = true;
  await counting;
  expect(calls()).toBe(entries);
  return Math.max(...counts.values());
}

describe("fields that hold much", () => {
  beforeAll(async () => {
    const data = listOf(entries, () => ({
      workspaceId,
      actorKind: "USER",
      action: "updateCamera",
      targetType: "Camera",
      changes: { note: { from: null, to: "x".repeat(charactersOfEntry) } },
    }));
    await prisma.auditEntry.createMany({ data });
  });

  it.each([
    ["PostgreSQL writes the answer", ""],
    ["graphql-js executes the query", "@include(if: true)"],
  ])("are worked out in slices of few megabytes, whether %s", async (_how, directive) => {
    const most = await mostChangesAtOnce(
      `{ auditLog(first: ${entries}) ${directive} { nodes { changes } } }`,
    );
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(entries / 3);
  });
});

it("an answer that repeats a large field too often is refused without being composed in another way", async () => {
  const group = { type: "GROUP", name: "x".repeat(100_000), operator: "AND", children: [] };
  const { facilityId, cameraId, ruleId } = site;
  await prisma.alertRule.updateMany({ where: { workspaceId, id: ruleId }, data: { group } });
  await createAlerts(prisma, Array(300).fill({ workspaceId, facilityId, cameraId, alertRuleId: ruleId }));
  executions.length = 0;
  const filter = `{ start: "2000-01-01T00:00:00Z", end: "2100-01-01T00:00:00Z" }`;
  const { errors } = await gateway.graphql(
    `{ alerts(filter: ${filter}, first: 300) { nodes { alertRule { group } } } }`,
    { as: admin.as },
  );
  expect(errors?.[0]?.message).toContain("the answer would exceed 16 MiB");
  expect(executions).toEqual(["written"]);
});
