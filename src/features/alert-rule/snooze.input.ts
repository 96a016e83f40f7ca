import { z } from "zod";
import { existingId } from "../../platform/input/descriptions.js";
import { argumentsType, idField } from "../../platform/input/input-type.js";
import { visibleRemark } from "../../platform/input/text-rules.js";

/** For how many days something can be snoozed. */
export const maxSnoozeDays = 30;

const snoozeArguments = (what: string) =>
  argumentsType(
    z
      .object({
        id: idField.describe(existingId(what)),
        from: z
          .date()
          .nullish()
          .describe(
            "When it begins, before `until`; by default, and if that is past, now, or when the snooze began that it replaces.",
          ),
        until: z
          .date()
          .nullish()
          .describe(`When it ends: in the future, at most ${maxSnoozeDays} days ahead. Null ends it now.`),
        reason: visibleRemark(200)
          .nullish()
          .describe("Why, at most 200 characters; shown wherever the snooze is."),
      })
      .refine(({ from, until }) => from == null || (until != null && from < until), {
        path: ["from"],
        error: "must be before until",
      }),
  );

export type SnoozeArguments = InstanceType<typeof SnoozeCameraArguments>;
export const SnoozeCameraArguments = snoozeArguments("the camera");
export const SnoozeAlertRuleArguments = snoozeArguments("the rule");
export const SnoozeFacilityArguments = snoozeArguments("the facility");
