import { z } from "zod";
import { permission, permissionNames } from "../../engine/access/permissions.js";
import { existingId } from "../../platform/input/descriptions.js";
import { argumentsType, graphqlField, idField, inputType } from "../../platform/input/input-type.js";
import { resourceName } from "../../platform/input/text-rules.js";

export type CreateApiKeyInput = InstanceType<typeof CreateApiKeyInput>;
export const CreateApiKeyInput = inputType(
  "CreateApiKeyInput",
  "A new API key.",
  z.object({
    name: resourceName,
    permissions: z
      .array(permission)
      .min(1, "must not be empty")
      .max(100, "must list at most 100")
      .describe(
        `The permissions of the key, at least one of ${permissionNames}. The caller must hold each of them.`,
      ),
    facilityIds: z
      .array(idField)
      .min(1, "must not be empty")
      .max(1000, "must list at most 1000")
      .nullish()
      .describe(
        "The IDs of the facilities to which the key is limited, 1 to 1000; by default all. NOT_FOUND if the caller may not see one of them.",
      ),
    expiresAt: z.date().nullish().describe("When the key expires, a time in the future; by default never."),
  }),
);

export type UpdateApiKeyInput = InstanceType<typeof UpdateApiKeyInput>;
export const UpdateApiKeyInput = inputType(
  "UpdateApiKeyInput",
  "The fields of an API key to update. Omitted fields stay unchanged.",
  z.object({
    name: resourceName.optional(),
    expiresAt: z
      .date()
      .nullish()
      .describe("When the key expires, a time in the future; null for never. Ends both of its secrets."),
  }),
);

export const defaultKeepOldHours = 24;

export type RotateApiKeyArguments = InstanceType<typeof RotateApiKeyArguments>;
export const RotateApiKeyArguments = argumentsType(
  z.object({
    id: idField.describe(existingId("the API key")),
    keepOldHours: z
      .int("must be an integer")
      .min(0, "must be at least 0")
      .max(168, "must be at most 168")
      .nullish()
      .describe("For how many hours the old secret works as well, 0 to 168.")
      .register(graphqlField, { defaultValue: defaultKeepOldHours }),
  }),
);
