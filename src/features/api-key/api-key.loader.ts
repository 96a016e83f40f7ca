import { defineEntityType, type Selected } from "../../engine/reading/entity-type.js";
import { defineToMany, defineToOne } from "../../engine/reading/relation.js";
import { type ApiKey, Prisma } from "../../generated/prisma/client.js";

/** An API key with the columns that the operation needs. */
export type ApiKeyRow = Selected<ApiKey, "id">;

export const apiKeys = defineEntityType<ApiKey>({
  source: "apiKeys",
  keys: ["id"],
  columns: Prisma.ApiKeyScalarFieldEnum,
  dateColumns: { createdAt: true, expiresAt: true, lastUsedAt: true, revokedAt: true, oldSecretUntil: true },
  notJsonColumns: { secretHash: true, oldSecretHash: true },
});

/** An API key by its id. */
export const apiKeyById = defineToOne<ApiKeyRow>(apiKeys, "id");

/** A workspace's API keys by name, including revoked ones. */
export const apiKeysByWorkspace = defineToMany<ApiKeyRow>(apiKeys, "workspaceId", {
  orderBy: Prisma.sql`item."name", item."id"`,
});
