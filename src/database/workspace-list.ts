import { Prisma, type PrismaClient } from "../generated/prisma/client.js";
import type { ListWorkspaces } from "../platform/workspace-turns.js";

const pageSize = 1_000;

/**
 * Lists the workspaces of a cluster that have users or API keys. Those look-ups are on its coordinator, and so can be read while a
 * node is away. On a single server there is nobody to list: if it is too busy to say who is next, asking for each would not help.
 */
export function workspaceList(prisma: PrismaClient): ListWorkspaces {
  return async (following) => {
    const extensions = await prisma.$queryRaw<object[]>(Prisma.sql`SELECT 1 FROM pg_extension WHERE extname = 'citus'`);
    if (extensions.length === 0) return [];
    const follows = "gt" in following ? Prisma.sql`> ${following.gt}::uuid` : Prisma.sql`>= ${following.gte}::uuid`;
    const rows = await prisma.$queryRaw<{ workspaceId: string }[]>(Prisma.sql`
      SELECT "workspaceId" FROM "AuthIdLookup" WHERE "workspaceId" ${follows}
      UNION SELECT "workspaceId" FROM "ApiKeyLookup" WHERE "workspaceId" ${follows}
      ORDER BY "workspaceId" LIMIT ${pageSize}::int`);
    return rows.map(({ workspaceId }) => workspaceId);
  };
}
