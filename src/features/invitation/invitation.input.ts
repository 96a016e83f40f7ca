import { z } from "zod";
import { permissionNames } from "../../engine/access/permissions.js";
import { existingId } from "../../platform/input/descriptions.js";
import { idField, inputType } from "../../platform/input/input-type.js";
import { emailAddress, name } from "../../platform/input/text-rules.js";
import { untilField } from "../user/access-end.js";
import { permissionList } from "../user/user.input.js";

const InvitationAccessInput = inputType(
  "InvitationAccessInput",
  "Permissions at a facility that an invitation hands out.",
  z.object({
    facilityId: idField.describe(existingId("the facility")),
    actions: permissionList
      .refine((actions) => actions.length > 0, "must not be empty")
      .describe(
        `Permissions at the facility, at least one of ${permissionNames}. The caller must hold each of them there.`,
      ),
  }),
);

export type InviteUserInput = InstanceType<typeof InviteUserInput>;
export const InviteUserInput = inputType(
  "InviteUserInput",
  "Who is invited, and the permissions of the new user.",
  z.object({
    email: emailAddress.describe(
      "The email address, at most 320 characters. CONFLICT if it is that of a user or of an open invitation of the workspace, in whichever case.",
    ),
    firstName: name(100).nullish().describe("1 to 100 characters, not blank; null if unknown."),
    lastName: name(100).nullish().describe("1 to 100 characters, not blank; null if unknown."),
    roles: permissionList
      .nullish()
      .describe(
        `Permissions in the whole workspace, from among ${permissionNames}; by default none. The caller must hold each of them.`,
      ),
    accesses: z
      .array(InvitationAccessInput.rules)
      .max(1000, "must list at most 1000")
      .nullish()
      .describe("Permissions at single facilities, at most 1000; by default none."),
    until: untilField,
  }),
);
