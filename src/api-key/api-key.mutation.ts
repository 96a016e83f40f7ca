import { Arg, Ctx, Field, Mutation, ObjectType, Resolver } from "type-graphql";
import { z } from "zod";
import type { RequestContext } from "../access/request-context.js";
import { ArgumentRules } from "../platform/argument-rules.js";
import { Uuid } from "../platform/scalars.js";
import { CreateApiKeyInput, createApiKeyInput } from "./api-key.input.js";
import type { ApiKeyRow } from "./api-key.service.js";
import { ApiKey } from "./api-key.type.js";
import { type CreatedApiKey, createApiKey, revokeApiKey } from "./api-key-write.service.js";

@ObjectType({ description: "An API key that was made just now.", simpleResolvers: true })
class CreateApiKeyPayload {
  @Field(() => String, { description: "The key itself. It is shown this once: keep it." })
  key!: string;

  @Field(() => ApiKey)
  apiKey!: ApiKey;
}

@Resolver()
export class ApiKeyMutations {
  @ArgumentRules(z.object({ input: createApiKeyInput }))
  @Mutation(() => CreateApiKeyPayload, {
    description: "Makes an API key. Needs api-keys:write in the workspace, and everything that the key allows where it allows it.",
  })
  createApiKey(@Ctx() context: RequestContext, @Arg("input", () => CreateApiKeyInput) input: CreateApiKeyInput): Promise<CreatedApiKey> {
    return createApiKey(context, input);
  }

  @Mutation(() => ApiKey, { description: "Revokes an API key from the next request on. Needs api-keys:write in the workspace." })
  revokeApiKey(@Ctx() context: RequestContext, @Arg("id", () => Uuid) id: string): Promise<ApiKeyRow> {
    return revokeApiKey(context, id);
  }
}
