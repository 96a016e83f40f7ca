import { defineEntityType, type Selected } from "../../engine/reading/entity-type.js";
import { defineToOne } from "../../engine/reading/relation.js";
import { Prisma, type Workspace } from "../../generated/prisma/client.js";

export type WorkspaceRow = Selected<Workspace, "id"> & { openAlertCount?: number };

export const workspaces = defineEntityType<Workspace>({
  source: "workspaces",
  keys: ["id"],
  columns: Prisma.WorkspaceScalarFieldEnum,
  dateColumns: { createdAt: true },
  computedColumns: {
    openAlertCount: ({ openAlertCounts }) =>
      Prisma.sql`(SELECT coalesce(sum(kept."count"), 0)::int FROM ${openAlertCounts} AS kept WHERE kept."workspaceId" = item."id")`,
  },
});

export const workspaceById = defineToOne<WorkspaceRow>(workspaces, "id");
