import { defineEntityType, type Selected } from "../../engine/reading/entity-type.js";
import { defineToMany } from "../../engine/reading/relation.js";
import { type Invitation, Prisma } from "../../generated/prisma/client.js";

export type InvitationRow = Selected<Invitation, "id"> & {
  workspaceName?: string;
  inviterName?: string | null;
};

export const invitations = defineEntityType<Invitation>({
  source: "invitations",
  keys: ["id"],
  columns: Prisma.InvitationScalarFieldEnum,
  dateColumns: { createdAt: true, expiresAt: true, acceptedAt: true, revokedAt: true, until: true },
  computedColumns: {
    workspaceName: ({ workspaces }) =>
      Prisma.sql`(SELECT of."name" FROM ${workspaces} AS of WHERE of."id" = item."workspaceId")`,
    inviterName: ({ users }) =>
      Prisma.sql`(SELECT coalesce(nullif(concat_ws(' ', by."firstName", by."lastName"), ''), by."email") FROM ${users} AS by WHERE by."workspaceId" = item."workspaceId" AND by."id" = item."invitedById")`,
  },
});

export const invitationsByWorkspace = defineToMany<InvitationRow>(invitations, "workspaceId", {
  orderBy: Prisma.sql`item."createdAt" DESC, item."id" DESC`,
});
