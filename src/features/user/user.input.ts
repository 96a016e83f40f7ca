import { z } from "zod";
import { permission, permissionNames } from "../../engine/access/permissions.js";
import { expectedUpdatedAt } from "../../engine/operation/expected-version.js";
import { existingId } from "../../platform/input/descriptions.js";
import { argumentsType, idField, inputType } from "../../platform/input/input-type.js";
import { emailAddress, name, optionalRemark, text } from "../../platform/input/text-rules.js";
import { untilField } from "./access-end.js";

export const permissionList = z
  .array(permission, "must be a list")
  .max(100, { error: "must list at most 100", abort: true })
  .transform((list) => [...new Set(list)]);

export type UpdateMeInput = InstanceType<typeof UpdateMeInput>;
export const UpdateMeInput = inputType(
  "UpdateMeInput",
  "The calling user's profile.",
  z.object({
    firstName: name(100).describe("1 to 100 characters, not blank."),
    lastName: name(100).describe("1 to 100 characters, not blank."),
    jobTitle: optionalRemark(200).describe("At most 200 characters, may be empty."),
  }),
);

/** The service checks that the number is valid. */
export type PhoneNumberInput = InstanceType<typeof PhoneNumberInput>;
export const PhoneNumberInput = inputType(
  "PhoneNumberInput",
  "A phone number as people write it.",
  z.object({
    phoneNumber: text(50).describe(
      "The number in national or international format, at most 50 characters. BAD_REQUEST if it is not valid in the region.",
    ),
    region: z
      .string("must be a text")
      .regex(/^[A-Za-z]{2}$/, "must be an ISO 3166 two-letter code")
      .describe("The ISO 3166 two-letter code of the country in which the number must be valid."),
  }),
);

/** The longest tag that RFC 5646 asks implementations to take. */
const maxLocaleLength = 35;

export type LocaleArguments = InstanceType<typeof LocaleArguments>;
export const LocaleArguments = argumentsType(
  z.object({
    locale: text(maxLocaleLength)
      .refine(isLanguageTag, "must be a language tag such as en or de-AT")
      .describe("A language tag (BCP 47) such as en or de-AT, at most 35 characters."),
  }),
);

function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}

export type CreateUserInput = InstanceType<typeof CreateUserInput>;
export const CreateUserInput = inputType(
  "CreateUserInput",
  "A new user of the workspace.",
  z.object({
    authId: name(255).describe(
      "The user's subject (`sub`) at the identity provider, 1 to 255 characters. Tokens name the user by this subject.",
    ),
    email: emailAddress.describe("The email address, at most 320 characters. Need not be unique."),
    firstName: name(100).nullish().describe("1 to 100 characters, not blank; null if unknown."),
    lastName: name(100).nullish().describe("1 to 100 characters, not blank; null if unknown."),
    roles: permissionList.describe(
      `Permissions in the whole workspace, from among ${permissionNames}. The caller must hold each of them. May be empty.`,
    ),
    until: untilField,
  }),
);

export type UpdateUserInput = InstanceType<typeof UpdateUserInput>;
export const UpdateUserInput = inputType(
  "UpdateUserInput",
  "The fields of a user to change; those left out stay as they are.",
  z.object({
    email: emailAddress.optional().describe("The email address, at most 320 characters. Need not be unique."),
    firstName: name(100).nullish().describe("1 to 100 characters, not blank; null removes it."),
    lastName: name(100).nullish().describe("1 to 100 characters, not blank; null removes it."),
    until: untilField,
    expectedUpdatedAt,
  }),
);

export type UserRolesArguments = InstanceType<typeof UserRolesArguments>;
export const UserRolesArguments = argumentsType(
  z.object({
    userId: idField.describe(existingId("the user")),
    roles: permissionList.describe(
      `The user's permissions in the whole workspace, from among ${permissionNames}. They replace the current ones; an empty list removes all.`,
    ),
  }),
);

export type FacilityAccessArguments = InstanceType<typeof FacilityAccessArguments>;
export const FacilityAccessArguments = argumentsType(
  z.object({
    facilityId: idField.describe(existingId("the facility")),
    actions: permissionList
      .refine((actions) => actions.length > 0, "must not be empty")
      .describe(`Permissions at the facility, at least one of ${permissionNames}.`),
    userId: idField
      .nullish()
      .describe(
        "The ID of a user of the workspace; by default the caller. NOT_FOUND if there is no such user. An API key has to name a user.",
      ),
  }),
);

export type GrantAccessArguments = InstanceType<typeof GrantAccessArguments>;
export const GrantAccessArguments = argumentsType(
  FacilityAccessArguments.rules.extend({
    until: untilField.describe(
      "When all access of the user at the facility ends, a time in the future by the database's clock; null for never. By default unchanged.",
    ),
  }),
);
