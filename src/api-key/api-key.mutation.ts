import { Arg, Ctx, Field, Mutation, ObjectType, Resolver } from "type-graphql";
import type { RequestContext } from "../operation/request-context.js";
import { existingId } from "../platform/descriptions.js";
import { Uuid } from "../platform/scalars.js";
import { CreateApiKeyInput } from "./api-key.input.js";
import type { ApiKeyRow } from "./api-key.loader.js";
import { ApiKey } from "./api-key.type.js";
import { type CreatedApiKey, createApiKey, revokeApiKey } from "./api-key-write.service.js";

@ObjectType({ description: "A new API key.", simpleResolvers: true })
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

  @Mutation(() => ApiKey, {
    description:
      "Revokes an API key with immediate effect. A key that is already revoked stays unchanged. Requires api-keys:write in the workspace.",
  })
  revokeApiKey(
    @Ctx() context: RequestContext,
    @Arg("id", () => Uuid, { description: existingId("the API key") }) id: string,
  ): Promise<ApiKeyRow> {
    return revokeApiKey(context, id);
  }
}
