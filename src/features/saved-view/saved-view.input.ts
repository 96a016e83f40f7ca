import { z } from "zod";
import { idField, inputType } from "../../platform/input/input-type.js";
import { printableText, resourceName } from "../../platform/input/text-rules.js";

export type SavedViewInput = InstanceType<typeof SavedViewInput>;
export const SavedViewInput = inputType(
  "SavedViewInput",
  "A view to save.",
  z.object({
    id: idField
      .nullish()
      .describe("The ID of a view that is replaced; by default a view is added. NOT_FOUND if there is none."),
    name: resourceName,
    query: printableText(2000).describe("What the view shows: 1 to 2000 printable characters, not blank."),
  }),
);
