import { z } from "zod";
import { permission } from "../access/permissions.js";
import { argumentsType, idField, inputType } from "../platform/input-type.js";
import { emailAddress, optionalText, text } from "../platform/text-rules.js";

/** A list of permissions without duplicates. */
const permissionList = z
  .array(permission, "must be a list")
  .max(100, { error: "must list at most 100", abort: true })
  .transform((list) => [...new Set(list)]);

export type UpdateMeInput = InstanceType<typeof UpdateMeInput>;
export const UpdateMeInput = inputType(
  "UpdateMeInput",
  "The calling user's profile.",
  z.object({
    firstName: text(100).describe("1 to 100 characters."),
    lastName: text(100).describe("1 to 100 characters."),
    jobTitle: optionalText(200).describe("At most 200 characters."),
  }),
);

/** The service checks that the number is valid. */
export type PhoneNumberInput = InstanceType<typeof PhoneNumberInput>;
export const PhoneNumberInput = inputType(
  "PhoneNumberInput",
  "A phone number as people write it.",
  z.object({
    phoneNumber: text(50).describe("The number in national or international format."),
    region: z
      .string("must be a text")
      .regex(/^[A-Za-z]{2}$/, "must be an ISO 3166 two-letter code")
      .describe("The ISO 3166 two-letter code of the country in which the number must be valid."),
  }),
);

export type CreateUserInput = InstanceType<typeof CreateUserInput>;
export const CreateUserInput = inputType(
  "CreateUserInput",
  "A new user of the workspace.",
  z.object({
    authId: text(255).describe("The user's subject (`sub`) at the identity provider."),
    email: emailAddress,
    firstName: text(100).nullish(),
    lastName: text(100).nullish(),
    roles: permissionList.describe("Permissions in the whole workspace. The caller must hold each of them."),
  }),
);

export type UserRolesArguments = InstanceType<typeof UserRolesArguments>;
export const UserRolesArguments = argumentsType(
  z.object({
    userId: idField,
    roles: permissionList.describe("The user's permissions in the whole workspace; they replace the current ones."),
  }),
);

export type FacilityAccessArguments = InstanceType<typeof FacilityAccessArguments>;
export const FacilityAccessArguments = argumentsType(
  z.object({
    facilityId: idField,
    actions: permissionList.refine((actions) => actions.length > 0, "must not be empty").describe("Permissions, such as alerts:read; at least one."),
    userId: idField.nullish().describe("A user of the workspace; by default the caller, unless that is an API key."),
  }),
);
