import { Field, InputType } from "type-graphql";
import { z } from "zod";
import { permission } from "../access/permissions.js";
import { DateTimeIso, Uuid } from "../platform/scalars.js";
import { text } from "../platform/text-rules.js";

/** The rules for a new API key. */
export const createApiKeyInput = z.object({
  name: text(200),
  permissions: z.array(permission).min(1, "must not be empty").max(100, "must list at most 100"),
  facilityIds: z.array(z.string()).min(1, "must not be empty").max(1000, "must list at most 1000").nullish(),
  expiresAt: z.date().nullish(),
});

@InputType({ description: "A new API key." })
export class CreateApiKeyInput {
  @Field(() => String, { description: "1 to 200 characters." })
  name!: string;

  @Field(() => [String], { description: "The permissions of the key, such as alerts:read. The caller must hold each of them." })
  permissions!: string[];

  @Field(() => [Uuid], { nullable: true, description: "The facilities that the key is limited to; by default all." })
  facilityIds?: string[] | null;

  @Field(() => DateTimeIso, { nullable: true, description: "When it expires, a time in the future; by default never." })
  expiresAt?: Date | null;
}
