import { defineEntityType, type Selected } from "../../engine/reading/entity-type.js";
import { defineToMany, defineToOne } from "../../engine/reading/relation.js";
import { type ApiKey, Prisma } from "../../generated/prisma/client.js";

export type ApiKeyRow = Selected<ApiKey, "id">;

export const apiKeys = defineEntityType<ApiKey>({
  source: "apiKeys",
  keys: ["id"],
  columns: Prisma.ApiKeyScalarFieldEnum,
  dateColumns: { createdAt: true, expiresAt: true, lastUsedAt: true, revokedAt: true, oldSecretUntil: true },
  notJsonColumns: { secretHash: true, oldSecretHash: true },
});

export const apiKeyById = defineToOne<ApiKeyRow>(apiKeys, "id");

export const apiKeysByWorkspace = defineToMany<ApiKeyRow>(apiKeys, "workspaceId", {
  orderBy: Prisma.sql`item."name", item."id"`,
});
