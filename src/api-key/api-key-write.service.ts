import { createKey } from "../access/api-key.js";
import { assertCan, assertCanGrant } from "../access/permissions.js";
import { assertFacilitiesVisible } from "../facility/facility.service.js";
import type { ApiKey } from "../generated/prisma/client.js";
import type { RequestContext } from "../operation/request-context.js";
import { changedFields, isUnchanged, type WriteAccess } from "../operation/write.js";
import { badRequest, ServiceError } from "../platform/errors.js";
import type { CreateApiKeyInput, UpdateApiKeyInput } from "./api-key.input.js";

const hourMs = 3_600_000;

/** A key with a new secret, which is not shown again, and its record. */
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
    assertExpiresLater(write, input);
    const { name, expiresAt = null } = input;
    const facilityIds = input.facilityIds == null ? null : [...new Set(input.facilityIds)];
    if (facilityIds) await assertFacilitiesVisible(write, facilityIds);
    const permissions = [...new Set(input.permissions)];
    assertCanGrant(write.caller, permissions, facilityIds);
    const { key, id, secretHash } = createKey();
    const { workspaceId } = write.caller;
    await write.transaction.apiKeyLookup.create({ data: { id, workspaceId } });
    const apiKey = await write.transaction.apiKey.create({
      data: {
        id,
        workspaceId,
        name,
        secretHash: new Uint8Array(secretHash),
        permissions,
        allFacilities: facilityIds === null,
        facilityIds: facilityIds ?? [],
        expiresAt,
        createdAt: write.now,
      },
    });
    write.audit({
      action: "createApiKey",
      targetType: "ApiKey",
      targetId: id,
      changes: changedFields<object>({}, { name, permissions, facilityIds, expiresAt }),
    });
    return { key, apiKey };
  });
}

function assertExpiresLater({ now }: WriteAccess, { expiresAt }: { expiresAt?: Date | null }): void {
  if (expiresAt && expiresAt <= now)
    throw badRequest([{ path: "input.expiresAt", message: "must be in the future" }]);
}

/**
 * Revokes an API key; one that is already revoked stays as it is. Requires api-keys:write
 * in the workspace, and nothing that the key may: a key that leaked must not wait for
 * somebody who holds as much.
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

/**
 * Gives an API key a new secret, and lets the old one work for some hours more. Requires
 * api-keys:write in the workspace, and the permissions of the key at the facilities that
 * it is for.
 */
export function rotateApiKey(
  context: RequestContext,
  id: string,
  keepOldHours: number,
): Promise<CreatedApiKey> {
  return context.write(async (write) => {
    const before = await lockUsableKey(write, id);
    const { key, secretHash } = createKey(id);
    const keptUntil = new Date(write.now.getTime() + keepOldHours * hourMs);
    const oldSecretUntil = before.expiresAt && before.expiresAt < keptUntil ? before.expiresAt : keptUntil;
    const apiKey = await write.transaction.apiKey.update({
      where: write.key(id),
      data: {
        secretHash: new Uint8Array(secretHash),
        ...(keepOldHours > 0
          ? { oldSecretHash: before.secretHash, oldSecretUntil }
          : { oldSecretHash: null, oldSecretUntil: null }),
      },
    });
    write.emit({ topic: "accessChanged", ids: [id] });
    write.audit({
      action: "rotateApiKey",
      targetType: "ApiKey",
      targetId: id,
      changes: changedFields<object>({}, { oldSecretUntil: keepOldHours > 0 ? oldSecretUntil : write.now }),
    });
    return { key, apiKey };
  });
}

/**
 * Changes the name or the expiry of an API key. Requires api-keys:write in the workspace,
 * and the permissions of the key at the facilities that it is for.
 */
export function updateApiKey(context: RequestContext, id: string, input: UpdateApiKeyInput): Promise<ApiKey> {
  return context.write(async (write) => {
    const before = await lockUsableKey(write, id);
    assertExpiresLater(write, input);
    const changes = changedFields<object>(before, { ...input });
    if (isUnchanged(changes)) return before;
    const apiKey = await write.transaction.apiKey.update({ where: write.key(id), data: { ...input } });
    write.emit({ topic: "accessChanged", ids: [id] });
    write.audit({ action: "updateApiKey", targetType: "ApiKey", targetId: id, changes });
    return apiKey;
  });
}

/**
 * Locks a key that the caller could have created. CONFLICT if it is revoked or has
 * expired: such a key never works again.
 */
async function lockUsableKey(write: WriteAccess, id: string): Promise<ApiKey> {
  assertCan(write.caller, "api-keys:write");
  const key = await write.lock<ApiKey>("apiKeys", id);
  assertCanGrant(write.caller, key.permissions, key.allFacilities ? null : key.facilityIds);
  if (key.revokedAt) throw new ServiceError("CONFLICT", "The API key is revoked");
  if (key.expiresAt && key.expiresAt <= write.now)
    throw new ServiceError("CONFLICT", "The API key has expired");
  return key;
}
