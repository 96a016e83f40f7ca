// Runs once: both kinds of databases run the same statements.
import { createTestUser, createWorkspace } from "../support/factories.js";
import { type Call, run, sharedGateway } from "../support/harness.js";

const gateway = await sharedGateway();
const { prisma } = gateway;
const workspaceId = await createWorkspace(prisma, { name: "Old" });

const rename: Call = ['mutation { updateWorkspace(input: { name: "New" }) { id name } }', {}];

it("updateWorkspace renames the workspace, for everyone in it immediately", async () => {
  const caller = await createTestUser(prisma, { workspaceId, roles: ["facilities:write"] });
  const workspace = { id: workspaceId, name: "New" };
  expect(await run(gateway, caller, rename)).toEqual({ updateWorkspace: workspace });
  const reader = await createTestUser(prisma, { workspaceId, roles: ["alerts:read"] });
  expect(await gateway.data("{ workspace { id name } }", reader)).toEqual({ workspace });
});
