import { z } from "zod";
import { inputType } from "../../platform/input/input-type.js";
import { resourceName } from "../../platform/input/text-rules.js";

export type UpdateWorkspaceInput = InstanceType<typeof UpdateWorkspaceInput>;
export const UpdateWorkspaceInput = inputType(
  "UpdateWorkspaceInput",
  "The fields of the workspace to update.",
  z.object({ name: resourceName }),
);
