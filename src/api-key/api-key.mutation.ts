import { Arg, Ctx, Field, Mutation, ObjectType, Resolver } from "type-graphql";
import type { RequestContext } from "../operation/request-context.js";
import { existingId } from "../platform/descriptions.js";
import { CheckedArgs } from "../platform/input-type.js";
import { Uuid } from "../platform/scalars.js";
import {
  CreateApiKeyInput,
  defaultKeepOldHours,
  RotateApiKeyArguments,
  UpdateApiKeyInput,
} from "./api-key.input.js";
import type { ApiKeyRow } from "./api-key.loader.js";
import { ApiKey } from "./api-key.type.js";
import {
  type CreatedApiKey,
  createApiKey,
  revokeApiKey,
  rotateApiKey,
  updateApiKey,
} from "./api-key-write.service.js";

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

@Resolver()
export class ApiKeyMutations {
  @Mutation(() => CreateApiKeyPayload, {
    description:
      "Creates an API key. Requires api-keys:write in the workspace, and the key's permissions at the key's facilities.",
  })
  createApiKey(
    @Ctx() context: RequestContext,
    @Arg("input", () => CreateApiKeyInput, { description: "The new key." }) input: CreateApiKeyInput,
  ): Promise<CreatedApiKey> {
    return createApiKey(context, input);
  }

  @Mutation(() => CreateApiKeyPayload, {
    description:
      "Gives an API key a new secret. The old secret works for `keepOldHours` as well, but not longer than the key would have; the one before it ends at once. CONFLICT if the key is revoked or has expired. Requires api-keys:write in the workspace, and the key's permissions at the key's facilities.",
  })
  rotateApiKey(
    @Ctx() context: RequestContext,
    @CheckedArgs(RotateApiKeyArguments) { id, keepOldHours }: RotateApiKeyArguments,
  ): Promise<CreatedApiKey> {
    return rotateApiKey(context, id, keepOldHours ?? defaultKeepOldHours);
  }

  @Mutation(() => ApiKey, {
    description:
      "Changes the name or the expiry of an API key, with immediate effect. CONFLICT if the key is revoked or has expired. Requires api-keys:write in the workspace, and the key's permissions at the key's facilities.",
  })
  updateApiKey(
    @Ctx() context: RequestContext,
    @Arg("id", () => Uuid, { description: existingId("the API key") }) id: string,
    @Arg("input", () => UpdateApiKeyInput, { description: "The fields to change." }) input: UpdateApiKeyInput,
  ): Promise<ApiKeyRow> {
    return updateApiKey(context, id, input);
  }

  @Mutation(() => ApiKey, {
    description:
      "Revokes an API key with all its secrets, with immediate effect. A key that is already revoked stays unchanged. Requires api-keys:write in the workspace.",
  })
  revokeApiKey(
    @Ctx() context: RequestContext,
    @Arg("id", () => Uuid, { description: existingId("the API key") }) id: string,
  ): Promise<ApiKeyRow> {
    return revokeApiKey(context, id);
  }
}
