import { Prisma, type PrismaClient } from "../generated/prisma/client.js";
import type { ListWorkspaces } from "../platform/workspace-turns.js";

const pageSize = 1_000;

/**
 * Lists workspaces by what leads callers to them, which is on the coordinator of a cluster, and so can be read while a node is
 * away: the workspaces themselves are on all nodes.
 */
export function workspaceList(prisma: PrismaClient): ListWorkspaces {
  return async (following) => {
    const follows = "gt" in following ? Prisma.sql`> ${following.gt}::uuid` : Prisma.sql`>= ${following.gte}::uuid`;
    const rows = await prisma.$queryRaw<{ workspaceId: string }[]>(Prisma.sql`
      SELECT "workspaceId" FROM "AuthIdLookup" WHERE "workspaceId" ${follows}
      UNION SELECT "workspaceId" FROM "ApiKeyLookup" WHERE "workspaceId" ${follows}
      ORDER BY "workspaceId" LIMIT ${pageSize}::int`);
    return rows.map(({ workspaceId }) => workspaceId);
  };
}
