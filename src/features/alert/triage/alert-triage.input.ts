import { z } from "zod";
import { existingId } from "../../../platform/input/descriptions.js";
import { argumentsType, idField, inputType } from "../../../platform/input/input-type.js";
import { linesOfText } from "../../../platform/input/text-rules.js";
import { AlertFilter, alertIds } from "../alert.input.js";

const marks = z
  .object({
    bookmark: z.boolean().nullish().describe("True to add the bookmark, false to remove it."),
    falsePositive: z
      .boolean()
      .nullish()
      .describe("True to mark the alerts as false positives, false to remove the mark."),
    acknowledged: z
      .boolean()
      .nullish()
      .describe("True to acknowledge the alerts, false to withdraw the acknowledgement."),
  })
  .refine((given) => Object.values(given).some((value) => value != null), "must have at least one mark");

export type AlertMarksInput = InstanceType<typeof AlertMarksInput>;
export const AlertMarksInput = inputType(
  "AlertMarksInput",
  "The marks of alerts to change, at least one. Marks that are omitted or null stay unchanged.",
  marks,
);

const ids = alertIds.describe("The IDs of the alerts, 1 to 1000; an ID that is given twice counts once.");
const allGet = marks.describe("The marks that all the alerts get.");

export type MarkAlertsArguments = InstanceType<typeof MarkAlertsArguments>;
export const MarkAlertsArguments = argumentsType(z.object({ ids, marks: allGet }));

export type MarkMatchingAlertsArguments = InstanceType<typeof MarkMatchingAlertsArguments>;
export const MarkMatchingAlertsArguments = argumentsType(
  z.object({
    filter: AlertFilter.rules.describe("The alerts to mark."),
    marks: allGet,
  }),
);

export type DeleteAlertsArguments = InstanceType<typeof DeleteAlertsArguments>;
export const DeleteAlertsArguments = argumentsType(z.object({ ids }));

const commentArguments = (object: string) =>
  argumentsType(
    z.object({
      id: idField.describe(existingId(object)),
      text: linesOfText(2000).describe(
        "The comment: 1 to 2000 printable characters, tabs and line breaks, not blank.",
      ),
    }),
  );

export type CommentAlertArguments = InstanceType<typeof CommentAlertArguments>;
export const CommentAlertArguments = commentArguments("the alert");

export type EditAlertCommentArguments = InstanceType<typeof EditAlertCommentArguments>;
export const EditAlertCommentArguments = commentArguments("the comment");
