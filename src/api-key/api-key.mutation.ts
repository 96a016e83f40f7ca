import { Arg, Ctx, Field, Mutation, ObjectType, Resolver } from "type-graphql";
import { Uuid } from "../platform/scalars.js";
import type { RequestContext } from "../request/request-context.js";
import { CreateApiKeyInput } from "./api-key.input.js";
import type { ApiKeyRow } from "./api-key.loader.js";
import { ApiKey } from "./api-key.type.js";
import { type CreatedApiKey, createApiKey, revokeApiKey } from "./api-key-write.service.js";

@ObjectType({ description: "A new API key.", simpleResolvers: true })
class CreateApiKeyPayload {
  @Field(() => String, { description: "The key itself. Store it: it is not shown again." })
  key!: string;

  @Field(() => ApiKey)
  apiKey!: ApiKey;
}

@Resolver()
export class ApiKeyMutations {
  @Mutation(() => CreateApiKeyPayload, {
    description: "Creates an API key. Requires api-keys:write in the workspace, and the permissions of the key at the facilities that it is for.",
  })
  createApiKey(@Ctx() context: RequestContext, @Arg("input", () => CreateApiKeyInput) input: CreateApiKeyInput): Promise<CreatedApiKey> {
    return createApiKey(context, input);
  }

  @Mutation(() => ApiKey, { description: "Revokes an API key with immediate effect. Requires api-keys:write in the workspace." })
  revokeApiKey(@Ctx() context: RequestContext, @Arg("id", () => Uuid) id: string): Promise<ApiKeyRow> {
    return revokeApiKey(context, id);
  }
}
