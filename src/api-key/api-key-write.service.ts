import { createKey } from "../access/api-key.js";
import { assertCan, assertCanGrant } from "../access/permissions.js";
import { type ApiKey, Prisma } from "../generated/prisma/client.js";
import type { RequestContext } from "../operation/request-context.js";
import { changedFields, type WriteAccess } from "../operation/write.js";
import { badRequest, notFound } from "../platform/errors.js";
import type { CreateApiKeyInput } from "./api-key.input.js";

/** A new key, which is not shown again, and its record. */
export interface CreatedApiKey {
  key: string;
  apiKey: ApiKey;
}

/**
 * Creates an API key. Requires api-keys:write in the workspace, and the permissions of
 * the key at the facilities that it is for.
 */
export function createApiKey(context: RequestContext, input: CreateApiKeyInput): Promise<CreatedApiKey> {
  return context.write(async (write) => {
    assertCan(write.caller, "api-keys:write");
    if (input.expiresAt && input.expiresAt <= write.now)
      throw badRequest([{ path: "input.expiresAt", message: "must be in the future" }]);
    const facilityIds = input.facilityIds == null ? null : [...new Set(input.facilityIds)];
    if (facilityIds) await assertVisible(write, facilityIds);
    const permissions = [...new Set(input.permissions)];
    assertCanGrant(write.caller, permissions, facilityIds);
    const { key, id, secretHash } = createKey();
    const { workspaceId } = write.caller;
    await write.transaction.apiKeyLookup.create({ data: { id, workspaceId } });
    const apiKey = await write.transaction.apiKey.create({
      data: {
        id,
        workspaceId,
        name: input.name,
        secretHash: new Uint8Array(secretHash),
        permissions,
        allFacilities: facilityIds === null,
        facilityIds: facilityIds ?? [],
        expiresAt: input.expiresAt ?? null,
        createdAt: write.now,
      },
    });
    write.audit({
      action: "createApiKey",
      targetType: "ApiKey",
      targetId: id,
      changes: changedFields<object>({}, { ...input }),
    });
    return { key, apiKey };
  });
}

async function assertVisible(write: WriteAccess, facilityIds: string[]): Promise<void> {
  const visible = await write.visible.query(
    ({ facilities }) =>
      Prisma.sql`SELECT item."id" FROM ${facilities} AS item WHERE item."id" = ANY(${facilityIds}::uuid[])`,
  );
  if (visible.length !== facilityIds.length) throw notFound();
}

/**
 * Revokes an API key; one that is already revoked stays as it is. Requires api-keys:write
 * in the workspace.
 */
export function revokeApiKey(context: RequestContext, id: string): Promise<ApiKey> {
  return context.write(async (write) => {
    assertCan(write.caller, "api-keys:write");
    const before = await write.lock<ApiKey>("apiKeys", id);
    if (before.revokedAt) return before;
    const apiKey = await write.transaction.apiKey.update({
      where: write.key(id),
      data: { revokedAt: write.now },
    });
    write.emit({ topic: "accessChanged", ids: [id] });
    write.audit({
      action: "revokeApiKey",
      targetType: "ApiKey",
      targetId: id,
      changes: changedFields<object>(before, { revokedAt: write.now }),
    });
    return apiKey;
  });
}
