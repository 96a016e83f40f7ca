import { Prisma } from "../generated/prisma/client.js";
import type { ListWorkspaces } from "../leases/workspace-turns.js";
import type { ReadStatement } from "./statement-text.js";

const pageSize = 1_000;

/**
 * Lists the workspaces of a cluster that have users or API keys. The coordinator holds
 * these look-ups, so they can be read while another node is down. A single server lists
 * none: if it is too busy to list workspaces, asking for each would not help.
 */
export function workspaceList({
  read,
  isCluster,
}: {
  read: ReadStatement;
  isCluster: boolean;
}): ListWorkspaces {
  return async (following) => {
    if (!isCluster) return [];
    const follows =
      "gt" in following ? Prisma.sql`> ${following.gt}::uuid` : Prisma.sql`>= ${following.gte}::uuid`;
    const rows = await read<{ workspaceId: string }>(Prisma.sql`
      SELECT "workspaceId" FROM "AuthIdLookup" WHERE "workspaceId" ${follows}
      UNION SELECT "workspaceId" FROM "ApiKeyLookup" WHERE "workspaceId" ${follows}
      ORDER BY "workspaceId" LIMIT ${pageSize}::int`);
    return rows.map(({ workspaceId }) => workspaceId);
  };
}
