// Runs once: both kinds of databases run the same statements.
import { beforeAll, describe, expect, it } from "vitest";
import { permissions } from "../../src/access/permissions.js";
import { createFacility, createWorkspace } from "../support/factories.js";
import { type Gateway, sharedGateway } from "../support/harness.js";
import { type Call, createTestUser, refusal, run } from "../support/test-user.js";

let gateway: Gateway;
let workspaceId: string;
beforeAll(async () => {
  gateway = await sharedGateway();
  workspaceId = await createWorkspace(gateway.prisma, { name: "Old" });
});

const rename: Call = ['mutation { updateWorkspace(input: { name: "New" }) { id name } }', {}];

describe("updateWorkspace", () => {
  it("renames the workspace, for everyone in it immediately, and no other", async () => {
    const other = await createWorkspace(gateway.prisma, { name: "Other" });
    const caller = await createTestUser(gateway.prisma, { workspaceId, roles: ["facilities:write"] });
    const workspace = { id: workspaceId, name: "New" };
    expect(await run(gateway, caller, rename)).toEqual({ updateWorkspace: workspace });
    const reader = await createTestUser(gateway.prisma, { workspaceId, roles: ["alerts:read"] });
    expect(await gateway.data("{ workspace { id name } }", reader)).toEqual({ workspace });
    expect(await gateway.prisma.workspace.findFirstOrThrow({ where: { id: other } })).toMatchObject({
      name: "Other",
    });
  });

  it("requires facilities:write in the workspace", async () => {
    const facilityId = await createFacility(gateway.prisma, { workspaceId });
    const caller = await createTestUser(gateway.prisma, {
      workspaceId,
      roles: permissions.filter((each) => each !== "facilities:write"),
      at: { [facilityId]: ["facilities:write"] },
    });
    expect(await refusal(gateway, caller, rename)).toEqual({
      code: "FORBIDDEN",
      message: "This needs the permission facilities:write in the workspace",
    });
  });
});
