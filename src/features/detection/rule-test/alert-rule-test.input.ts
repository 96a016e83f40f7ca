import { z } from "zod";
import { existingId } from "../../../platform/input/descriptions.js";
import { argumentsType, idField } from "../../../platform/input/input-type.js";
import { alertRuleFields } from "../../alert-rule/alert-rule.input.js";
import { detectionFrames, frameLimits } from "../detection-frame.input.js";

export type TestAlertRuleArguments = InstanceType<typeof TestAlertRuleArguments>;
export const TestAlertRuleArguments = argumentsType(
  z
    .object({
      cameraId: idField.describe(existingId("the camera of the rule")),
      group: alertRuleFields.group,
      frames: detectionFrames.describe(
        `${frameLimits}, of the camera, in their order. Errors name frames by their position, such as \`frames.0.objects.3.label\`.`,
      ),
      dayRange: alertRuleFields.dayRange.nullish(),
      timeRange: alertRuleFields.timeRange.optional(),
    })
    .superRefine(({ cameraId, frames }, { addIssue }) => {
      for (const [index, frame] of frames.entries())
        if (frame.cameraId !== cameraId)
          addIssue({
            code: "custom",
            path: ["frames", index, "cameraId"],
            message: "must be the camera of the rule",
          });
    }),
);
