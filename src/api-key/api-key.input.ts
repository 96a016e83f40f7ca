import { z } from "zod";
import { permission } from "../access/permissions.js";
import { idField, inputType } from "../platform/input-type.js";
import { text } from "../platform/text-rules.js";

export type CreateApiKeyInput = InstanceType<typeof CreateApiKeyInput>;
export const CreateApiKeyInput = inputType(
  "CreateApiKeyInput",
  "A new API key.",
  z.object({
    name: text(200).describe("1 to 200 characters."),
    permissions: z
      .array(permission)
      .min(1, "must not be empty")
      .max(100, "must list at most 100")
      .describe("The permissions of the key, such as alerts:read. The caller must hold each of them."),
    facilityIds: z
      .array(idField)
      .min(1, "must not be empty")
      .max(1000, "must list at most 1000")
      .nullish()
      .describe("The facilities that the key is limited to; by default all."),
    expiresAt: z.date().nullish().describe("When it expires, a time in the future; by default never."),
  }),
);
