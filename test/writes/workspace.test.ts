// Runs once: both kinds of databases run the same statements.
import { beforeAll, expect, it } from "vitest";
import { createWorkspace } from "../support/factories.js";
import { type Gateway, sharedGateway } from "../support/harness.js";
import { type Call, createTestUser, run } from "../support/test-user.js";

let gateway: Gateway;
let workspaceId: string;
beforeAll(async () => {
  gateway = await sharedGateway();
  workspaceId = await createWorkspace(gateway.prisma, { name: "Old" });
});

const rename: Call = ['mutation { updateWorkspace(input: { name: "New" }) { id name } }', {}];

it("updateWorkspace renames the workspace, for everyone in it immediately", async () => {
  const caller = await createTestUser(gateway.prisma, { workspaceId, roles: ["facilities:write"] });
  const workspace = { id: workspaceId, name: "New" };
  expect(await run(gateway, caller, rename)).toEqual({ updateWorkspace: workspace });
  const reader = await createTestUser(gateway.prisma, { workspaceId, roles: ["alerts:read"] });
  expect(await gateway.data("{ workspace { id name } }", reader)).toEqual({ workspace });
});
