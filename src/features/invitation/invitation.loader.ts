import { defineEntityType, type Selected } from "../../engine/reading/entity-type.js";
import { defineToMany } from "../../engine/reading/relation.js";
import { type Invitation, Prisma } from "../../generated/prisma/client.js";

export type InvitationRow = Selected<Invitation, "id">;

export const invitations = defineEntityType<Invitation>({
  source: "invitations",
  keys: ["id"],
  columns: Prisma.InvitationScalarFieldEnum,
  dateColumns: { createdAt: true, expiresAt: true, acceptedAt: true, revokedAt: true },
});

export const invitationsByWorkspace = defineToMany<InvitationRow>(invitations, "workspaceId", {
  orderBy: Prisma.sql`item."createdAt" DESC, item."id" DESC`,
});
