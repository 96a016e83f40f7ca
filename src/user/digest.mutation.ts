import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import type { RequestContext } from "../operation/request-context.js";
import { DigestInput } from "./digest.input.js";
import { setDigest } from "./digest-write.service.js";
import type { UserRow } from "./user.loader.js";
import { User } from "./user.type.js";

@Resolver()
export class DigestMutations {
  @Mutation(() => User, {
    description:
      "Sets the mail that the calling user gets each day about the last 24 hours. A day has one at most: a time set after today's was sent holds from tomorrow on. FORBIDDEN if the caller is an API key.",
  })
  setDigest(
    @Ctx() context: RequestContext,
    @Arg("input", () => DigestInput, { description: "The whole digest." }) input: DigestInput,
  ): Promise<UserRow> {
    return setDigest(context, input);
  }
}
