import { Field, InputType, Int } from "type-graphql";
import { z } from "zod";
import { DateTimeIso, JsonObject } from "../platform/scalars.js";
import { absoluteUrl, emailAddress, printableText } from "../platform/text-rules.js";
import { ruleTree } from "./rule-tree.js";

const phoneNumber = z.string().regex(/^\+[1-9]\d{6,14}$/, "must be in international format, such as +905321234567");

const apiNotification = z.object({
  url: absoluteUrl.refine(
    (value) => !URL.canParse(value) || (!new URL(value).username && !new URL(value).password),
    "must not contain credentials; set a secret instead",
  ),
  secret: z.string().min(1, "must not be empty").max(500, "must have at most 500 characters").nullish(),
  enabled: z.boolean().nullish(),
});

const fields = {
  name: printableText(100),
  severity: printableText(50),
  status: printableText(50),
  dayRange: z.array(z.int().min(0, "must be at least 0").max(6, "must be at most 6")).max(7, "must list at most 7"),
  timeRange: z.array(z.date()).length(2, "must be two timestamps").nullable(),
  emails: z.array(emailAddress).max(50, "must list at most 50"),
  phoneNumbers: z.array(phoneNumber).max(50, "must list at most 50"),
  observation: z.boolean(),
  apiNotification: apiNotification.nullable(),
  group: ruleTree,
};

/** The rules for a new alert rule. */
export const createAlertRuleInput = z.object({
  ...fields,
  status: fields.status.nullish(),
  dayRange: fields.dayRange.nullish(),
  timeRange: fields.timeRange.optional(),
  emails: fields.emails.nullish(),
  phoneNumbers: fields.phoneNumbers.nullish(),
  observation: fields.observation.nullish(),
  apiNotification: fields.apiNotification.optional(),
});

/** The rules for updating an alert rule. Omitted fields stay unchanged; null removes `timeRange` and `apiNotification`. */
export const updateAlertRuleInput = z.object(fields).partial();

@InputType({ description: "The webhook to which a rule's alerts are posted." })
class ApiNotificationInput {
  @Field(() => String, { description: "An http(s) URL without credentials, of at most 2048 characters." })
  url!: string;

  @Field(() => String, {
    nullable: true,
    description: "The key for signing the requests, 1 to 500 characters. It is never returned. If omitted, the current secret is kept.",
  })
  secret?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Whether alerts are posted; true by default." })
  enabled?: boolean | null;
}

const groupDescription =
  "The condition tree: a GROUP node with `operator` AND or OR and `children`; AREA leaves with `name`, `color` and three or more `points`; detection leaves whose `type` is an alert type and whose `objects` are the objects to detect. Nodes without an `id` are assigned one. At most 8 levels and 200 nodes.";

@InputType({ description: "The fields of an alert rule." })
class AlertRuleFields {
  @Field(() => [Int], { nullable: true, description: "The days of the week on which the rule is active, 0 to 6; every day by default." })
  dayRange?: number[] | null;

  @Field(() => [DateTimeIso], { nullable: true, description: "The start and end of the period in which the rule is active; null for no limit." })
  timeRange?: Date[] | null;

  @Field(() => [String], { nullable: true, description: "The addresses that are notified by email, at most 50." })
  emails?: string[] | null;

  @Field(() => [String], { nullable: true, description: "The phone numbers that are notified by text message, in international format, at most 50." })
  phoneNumbers?: string[] | null;

  @Field(() => Boolean, { nullable: true, description: "Whether alerts of the rule are observations only." })
  observation?: boolean | null;

  @Field(() => ApiNotificationInput, { nullable: true, description: "The webhook to which alerts are posted; null for none." })
  apiNotification?: ApiNotificationInput | null;

  @Field(() => String, { nullable: true, description: "The status of the rule, such as ACTIVE." })
  status?: string | null;
}

@InputType({ description: "A new alert rule." })
export class CreateAlertRuleInput extends AlertRuleFields {
  @Field(() => String, { description: "The alert type, such as STATIC_DELIMITATION_AREA: 1 to 100 characters." })
  name!: string;

  @Field(() => String, { description: "The severity of its alerts, such as MEDIUM: 1 to 50 characters." })
  severity!: string;

  @Field(() => JsonObject, { description: groupDescription })
  group!: Record<string, unknown>;
}

@InputType({ description: "The fields of an alert rule to update. Omitted fields stay unchanged." })
export class UpdateAlertRuleInput extends AlertRuleFields {
  @Field(() => String, { nullable: true, description: "The alert type, such as STATIC_DELIMITATION_AREA: 1 to 100 characters." })
  name?: string;

  @Field(() => String, { nullable: true, description: "The severity of its alerts, such as MEDIUM: 1 to 50 characters." })
  severity?: string;

  @Field(() => JsonObject, { nullable: true, description: groupDescription })
  group?: Record<string, unknown>;
}
