import { z } from "zod";
import { bothWaysPageRules, maxInt32, maxPageSize } from "../../engine/reading/connection.js";
import { argumentsType, idField, inputType } from "../../platform/input/input-type.js";
import { optionalList } from "../../platform/input/list-rule.js";
import { optionalText, text } from "../../platform/input/text-rules.js";
import { alertTypes, severities } from "../alert-rule/alert-kind.js";
import { hasLocalDays, localTimeRules } from "./local-time.input.js";
import { CountAggregate } from "./statistics/alert-count.type.js";

/** The maximum number of values in a list of a filter. */
const maxListLength = 1000;

/** No type or severity of an alert is longer. */
const maxKindLength = 200;
const alertType = optionalText(maxKindLength);

const list = <Item extends z.ZodType>(item: Item) => optionalList(item, maxListLength);

export const alertIds = z.array(idField).min(1, "must not be empty").max(1000, "must list at most 1000");

const periodRequired = "is required, unless localDays, relativeDays or relativeWeeks is given";

const share = z.number("must be a number").min(0, "must be from 0 to 1").max(1, "must be from 0 to 1");

const PictureBoxInput = inputType(
  "PictureBoxInput",
  "A box in a picture, in shares of its width and height from the top left corner, from 0 to 1.",
  z
    .object({
      x1: share.describe("The left side."),
      y1: share.describe("The upper side."),
      x2: share.describe("The right side; not left of `x1`."),
      y2: share.describe("The lower side; not above `y1`."),
    })
    .refine(({ x1, x2 }) => x1 <= x2, { path: ["x1"], error: "must not be greater than x2" })
    .refine(({ y1, y2 }) => y1 <= y2, { path: ["y1"], error: "must not be greater than y2" }),
);

const ObjectAttributeInput = inputType(
  "ObjectAttributeInput",
  "An attribute of an object, such as `helmet` with the value `false`.",
  z.object({
    name: text(100).describe("The name, compared exactly."),
    value: optionalText(200).describe(
      "The value, compared exactly; numbers and booleans as texts, such as false.",
    ),
  }),
);

const alertFilter = z
  .object({
    start: z
      .date()
      .nullish()
      .describe(
        "The start of the period, inclusive; compared with `Alert.createdAt`. Required, together with `end`, unless `localDays`, `relativeDays` or `relativeWeeks` is given.",
      ),
    end: z
      .date()
      .nullish()
      .describe("The end of the period, exclusive; not before `start`. The period may be of any length."),
    ...localTimeRules,
    facilityId: idField
      .nullish()
      .describe(
        "The ID of the facility of the alerts. A facility that the caller may not see matches no alert.",
      ),
    facilityIds: list(idField).describe(
      "The IDs of the facilities of the alerts, at most 1000. Facilities that the caller may not see match no alert.",
    ),
    cameraIds: list(idField).describe(
      "The IDs of the cameras of the alerts, at most 1000. Cameras that the caller may not see match no alert.",
    ),
    alertRuleIds: list(idField).describe(
      "The IDs of the rules that raised the alerts, at most 1000, as in `Alert.alertRuleId`. The rules may have been deleted.",
    ),
    types: list(alertType).describe(
      `Alert types, at most 1000, compared exactly with \`Alert.name\`, ${alertTypes}.`,
    ),
    severities: list(optionalText(maxKindLength)).describe(
      `Severities, at most 1000, compared exactly with \`Alert.severity\`, ${severities}.`,
    ),
    hasSeverity: z
      .boolean()
      .nullish()
      .describe("True for alerts with a severity, false for those without one, null for both."),
    bookmark: z
      .boolean()
      .nullish()
      .describe("True for bookmarked alerts, false for the others, null for both."),
    falsePositive: list(z.boolean()).describe(
      "[true] for alerts that are marked as false positives, [false] for the others, null or both values for all.",
    ),
    observation: z
      .boolean()
      .nullish()
      .describe("True for observations, false for the others, null for both."),
    acknowledged: z
      .boolean()
      .nullish()
      .describe("True for alerts that are acknowledged, false for the others, null for both."),
    open: z
      .boolean()
      .nullish()
      .describe(
        "True for alerts that are neither acknowledged nor false positives nor observations, false for the others, null for both.",
      ),
    hasClip: z
      .boolean()
      .nullish()
      .describe("True for alerts with a clip that is READY, false for the others, null for both."),
    areaId: idField.nullish().describe("The ID of a violated area, as in `Alert.areaIds`."),
    areaIds: list(idField).describe(
      "The IDs of at most 1000 areas, as in `Alert.areaIds`. At least one of the areas was violated.",
    ),
    objectLabels: optionalList(text(100), 20).describe(
      "The labels of objects, at most 20, such as person. The detector reported one of these objects in `objects` of `Alert.info`; upper and lower case are the same.",
    ),
    objectAttributes: optionalList(ObjectAttributeInput.rules, 20).describe(
      "What the detector reported about one of the objects, at most 20: it has all of these attributes.",
    ),
    text: text(100)
      .nullish()
      .describe(
        "Words, each of which is, or is part of a word, in the type (its code, or its English or German words), in the rule's own name at the time, in the label of an object or in a comment; 1 to 100 characters, upper and lower case are the same.",
      ),
    box: PictureBoxInput.rules
      .nullish()
      .describe("A box in the picture: one of `Alert.violatingCoordinates` is in it, or on its border."),
  })
  .refine((filter) => filter.start != null || hasLocalDays(filter), {
    path: ["start"],
    error: periodRequired,
  })
  .refine((filter) => filter.end != null || hasLocalDays(filter), { path: ["end"], error: periodRequired })
  .refine(({ start, end }) => start == null || end == null || start <= end, {
    path: ["start"],
    error: "must not be after end",
  });

export type AlertFilter = InstanceType<typeof AlertFilter>;
export const AlertFilter = inputType(
  "AlertFilter",
  "Selects the alerts that match all given conditions. Conditions that are omitted or null are ignored. An empty list matches no alert.",
  alertFilter,
);

const alertList = <Filter extends z.ZodType>(filter: Filter) =>
  argumentsType(
    bothWaysPageRules
      .safeExtend({
        offset: z
          .int()
          .min(0, "must not be negative")
          .nullish()
          .describe(
            "The number of newest alerts to skip, for numbered pages. `after` is faster, and stable when alerts are added.",
          ),
        filter,
      })
      .refine(({ offset, first }) => (offset ?? 0) + (first ?? maxPageSize) <= maxInt32, {
        path: ["offset"],
        error: `must not exceed ${maxInt32} together with the page size`,
      })
      .refine(({ offset, last, before }) => offset == null || (last == null && before == null), {
        path: ["offset"],
        error: "must not be given together with last or before",
      }),
  );

export type AlertListArguments = InstanceType<typeof AlertListArguments>;
export const AlertListArguments = alertList(alertFilter.describe("The alerts to list."));

export type NestedAlertListArguments = InstanceType<typeof NestedAlertListArguments>;
export const NestedAlertListArguments = alertList(
  alertFilter.nullish().describe("The alerts to list; all by default."),
);

export type AlertCountArguments = InstanceType<typeof AlertCountArguments>;
export const AlertCountArguments = argumentsType(
  z.object({
    filter: alertFilter.describe("The alerts to count."),
    aggregate: z.enum(CountAggregate).describe("The period to group by. Periods without alerts are omitted."),
  }),
);

export type LastAlertArguments = InstanceType<typeof LastAlertArguments>;
export const LastAlertArguments = argumentsType(
  z.object({
    type: text(maxKindLength).describe(
      "The alert type, as in `Alert.name`, compared exactly; 1 to 200 characters.",
    ),
  }),
);
