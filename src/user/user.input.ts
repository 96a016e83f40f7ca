import { Field, InputType } from "type-graphql";
import { z } from "zod";
import { permission } from "../access/permissions.js";
import { emailAddress, optionalText, text } from "../platform/text-rules.js";

/** A list of permissions without duplicates. */
const permissionList = z
  .array(permission, "must be a list")
  .max(100, { error: "must list at most 100", abort: true })
  .transform((list) => [...new Set(list)]);

/** The rules for the calling user's profile. */
export const updateMeInput = z.object({ firstName: text(100), lastName: text(100), jobTitle: optionalText(200) });

/** The rules for the calling user's phone number; the service checks that it is valid. */
export const phoneNumberInput = z.object({
  phoneNumber: text(50),
  region: z.string("must be a text").regex(/^[A-Za-z]{2}$/, "must be an ISO 3166 two-letter code"),
});

/** The rules for a new user. */
export const createUserInput = z.object({
  authId: text(255),
  email: emailAddress,
  firstName: text(100).nullish(),
  lastName: text(100).nullish(),
  roles: permissionList,
});

/** The rules for a user's roles. */
export const rolesArguments = z.object({ roles: permissionList });

/** The rules for actions at a facility. */
export const accessInput = z.object({ actions: permissionList.refine((actions) => actions.length > 0, "must not be empty") });

@InputType({ description: "The calling user's profile." })
export class UpdateMeInput {
  @Field(() => String, { description: "1 to 100 characters." })
  firstName!: string;

  @Field(() => String, { description: "1 to 100 characters." })
  lastName!: string;

  @Field(() => String, { description: "At most 200 characters." })
  jobTitle!: string;
}

@InputType({ description: "A phone number as people write it." })
export class PhoneNumberInput {
  @Field(() => String, { description: "The number in national or international format." })
  phoneNumber!: string;

  @Field(() => String, { description: "The ISO 3166 two-letter code of the country in which the number must be valid." })
  region!: string;
}

@InputType({ description: "A new user of the workspace." })
export class CreateUserInput {
  @Field(() => String, { description: "The user's subject (`sub`) at the identity provider." })
  authId!: string;

  @Field(() => String)
  email!: string;

  @Field(() => String, { nullable: true })
  firstName?: string | null;

  @Field(() => String, { nullable: true })
  lastName?: string | null;

  @Field(() => [String], { description: "Permissions in the whole workspace. The caller must hold each of them." })
  roles!: string[];
}
