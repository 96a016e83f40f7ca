import { defineEntityType, type Selected } from "../../engine/reading/entity-type.js";
import { defineToMany } from "../../engine/reading/relation.js";
import { Prisma, type Session } from "../../generated/prisma/client.js";

export type UserSessionRow = Selected<Session, "id">;

export const userSessions = defineEntityType<Session>({
  source: "sessions",
  keys: ["id"],
  columns: Prisma.SessionScalarFieldEnum,
  dateColumns: { createdAt: true, lastUsedAt: true, expiresAt: true },
});

export const sessionsByUser = defineToMany<UserSessionRow>(userSessions, "userId", {
  orderBy: Prisma.sql`item."lastUsedAt" DESC, item."id"`,
});
