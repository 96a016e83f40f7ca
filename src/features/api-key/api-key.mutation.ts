import { Ctx, Field, Mutation, ObjectType, Resolver } from "type-graphql";
import { createKey } from "../../engine/access/api-key.js";
import { assertCan, assertCanGrant } from "../../engine/access/permissions.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { changedFields, type RowOf, type WriteAccess } from "../../engine/operation/write.js";
import { badRequest, ServiceError } from "../../platform/errors/errors.js";
import { CheckedArgs, IdArg, InputArg } from "../../platform/input/input-type.js";
import { later } from "../../platform/time.js";
import { assertFacilitiesVisible } from "../facility/facility.service.js";
import {
  CreateApiKeyInput,
  defaultKeepOldHours,
  RotateApiKeyArguments,
  UpdateApiKeyInput,
} from "./api-key.input.js";
import { ApiKey } from "./api-key.type.js";

@ObjectType({ description: "An API key with a new secret.", simpleResolvers: true })
class CreateApiKeyPayload {
  @Field(() => String, {
    description:
      "The key itself, `cmk_…`: the user name or the password for Basic authentication. Store it: it is not shown again.",
  })
  key!: string;

  @Field(() => ApiKey, { description: "The key as stored, without its secret." })
  apiKey!: ApiKey;
}

const hourMs = 3_600_000;

@Resolver()
export class ApiKeyMutations {
  @Mutation(() => CreateApiKeyPayload, {
    description:
      "Creates an API key. Requires api-keys:write in the workspace, and the key's permissions at the key's facilities.",
  })
  createApiKey(
    @Ctx() context: RequestContext,
    @InputArg(CreateApiKeyInput, "The new key.") input: CreateApiKeyInput,
  ) {
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
      const changes = changedFields<object>({}, { name, permissions, facilityIds, expiresAt });
      write.auditChange("ApiKey", apiKey, changes);
      return { key, apiKey };
    });
  }

  @Mutation(() => CreateApiKeyPayload, {
    description:
      "Gives an API key a new secret. The old secret works for `keepOldHours` as well, but not longer than the key would have; the one before it ends at once. CONFLICT if the key is revoked or has expired. Requires api-keys:write in the workspace, and the key's permissions at the key's facilities.",
  })
  rotateApiKey(
    @Ctx() context: RequestContext,
    @CheckedArgs(RotateApiKeyArguments) { id, keepOldHours: hours }: RotateApiKeyArguments,
  ) {
    const keepOldHours = hours ?? defaultKeepOldHours;
    return context.write(async (write) => {
      const before = await lockUsableKey(write, id);
      const { key, secretHash } = createKey(id);
      const keptUntil = later(write.now, keepOldHours * hourMs);
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
      const endsAt = keepOldHours > 0 ? oldSecretUntil : write.now;
      write.auditChange("ApiKey", apiKey, changedFields<object>({}, { oldSecretUntil: endsAt }));
      return { key, apiKey };
    });
  }

  @Mutation(() => ApiKey, {
    description:
      "Changes the name or the expiry of an API key, with immediate effect. CONFLICT if the key is revoked or has expired. Requires api-keys:write in the workspace, and the key's permissions at the key's facilities.",
  })
  updateApiKey(
    @Ctx() context: RequestContext,
    @IdArg("the API key") id: string,
    @InputArg(UpdateApiKeyInput, "The fields to change.") input: UpdateApiKeyInput,
  ) {
    return context.write(async (write) => {
      const before = await lockUsableKey(write, id);
      assertExpiresLater(write, input);
      return updateKey(write, before, input);
    });
  }

  @Mutation(() => ApiKey, {
    description:
      "Revokes an API key with all its secrets, with immediate effect. A key that is already revoked stays unchanged. Requires api-keys:write in the workspace.",
  })
  revokeApiKey(@Ctx() context: RequestContext, @IdArg("the API key") id: string) {
    return context.write(async (write) => {
      assertCan(write.caller, "api-keys:write");
      const before = await write.lock("ApiKey", id);
      return before.revokedAt ? before : updateKey(write, before, { revokedAt: write.now });
    });
  }
}

async function updateKey(write: WriteAccess, before: RowOf<"ApiKey">, values: Partial<RowOf<"ApiKey">>) {
  const after = await write.update("ApiKey", before, values);
  if (after !== before) write.emit({ topic: "accessChanged", ids: [after.id] });
  return after;
}

function assertExpiresLater({ now }: WriteAccess, { expiresAt }: { expiresAt?: Date | null }): void {
  if (expiresAt && expiresAt <= now)
    throw badRequest([{ path: "input.expiresAt", message: "must be in the future" }]);
}

/** Locks a key that the caller could have created. CONFLICT if it is revoked or expired: it never works again. */
async function lockUsableKey(write: WriteAccess, id: string): Promise<RowOf<"ApiKey">> {
  assertCan(write.caller, "api-keys:write");
  const key = await write.lock("ApiKey", id);
  assertCanGrant(write.caller, key.permissions, key.allFacilities ? null : key.facilityIds);
  if (key.revokedAt) throw new ServiceError("CONFLICT", "The API key is revoked");
  if (key.expiresAt && key.expiresAt <= write.now)
    throw new ServiceError("CONFLICT", "The API key has expired");
  return key;
}
