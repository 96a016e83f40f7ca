import { Field, InputType, Int } from "type-graphql";
import { z } from "zod";
import { DateTimeIso, JsonObject } from "../platform/scalars.js";
import { absoluteUrl, emailAddress, printableText } from "../platform/text-rules.js";
import { ruleTree } from "./rule-tree.js";

const phoneNumber = z.string().regex(/^\+[1-9]\d{6,14}$/, "must be in international form, such as +905321234567");

const apiNotification = z.object({
  url: absoluteUrl.refine(
    (value) => !URL.canParse(value) || (!new URL(value).username && !new URL(value).password),
    "must hold no credentials: set a secret",
  ),
  secret: z.string().min(1, "must not be empty").max(500, "must have at most 500 characters").nullish(),
  enabled: z.boolean().nullish(),
});

const fields = {
  name: printableText(100),
  severity: printableText(50),
  status: printableText(50),
  dayRange: z.array(z.int().min(0, "must be at least 0").max(6, "must be at most 6")).max(7, "must list at most 7"),
  timeRange: z.array(z.date()).length(2, "must be two moments").nullable(),
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

/** The rules for changes of an alert rule: what is not given stays; null clears `timeRange` and `apiNotification`. */
export const updateAlertRuleInput = z.object(fields).partial();

@InputType({ description: "Where a rule's alerts are posted." })
class ApiNotificationInput {
  @Field(() => String, { description: "An http(s) URL." })
  url!: string;

  @Field(() => String, { nullable: true, description: "Signs the posts, and is never read back. Without it the old one stays." })
  secret?: string | null;

  @Field(() => Boolean, { nullable: true, description: "True without it." })
  enabled?: boolean | null;
}

const groupDescription =
  "The tree of conditions: a GROUP node with `operator` AND or OR and `children`; AREA leaves with `name`, `color` and three or more `points`; detection leaves whose `type` is a type of alert and whose `objects` are what is looked for. A node without `id` is given one.";

@InputType({ description: "What an alert rule consists of." })
class AlertRuleFields {
  @Field(() => [Int], { nullable: true, description: "The days of the week on which the rule is in force, 0 to 6; all without it." })
  dayRange?: number[] | null;

  @Field(() => [DateTimeIso], { nullable: true, description: "From when to when the rule is in force: two moments; null for always." })
  timeRange?: Date[] | null;

  @Field(() => [String], { nullable: true, description: "Who is told by e-mail, at most 50." })
  emails?: string[] | null;

  @Field(() => [String], { nullable: true, description: "Who is told by text message, in international form, at most 50." })
  phoneNumbers?: string[] | null;

  @Field(() => Boolean, { nullable: true })
  observation?: boolean | null;

  @Field(() => ApiNotificationInput, { nullable: true })
  apiNotification?: ApiNotificationInput | null;

  @Field(() => String, { nullable: true, description: "Such as ACTIVE." })
  status?: string | null;
}

@InputType({ description: "A new alert rule." })
export class CreateAlertRuleInput extends AlertRuleFields {
  @Field(() => String, { description: "The type of alert, such as STATIC_DELIMITATION_AREA." })
  name!: string;

  @Field(() => String, { description: "How grave its alerts are, such as MEDIUM." })
  severity!: string;

  @Field(() => JsonObject, { description: groupDescription })
  group!: Record<string, unknown>;
}

@InputType({ description: "Changes of an alert rule: what is not given stays as it is." })
export class UpdateAlertRuleInput extends AlertRuleFields {
  @Field(() => String, { nullable: true })
  name?: string;

  @Field(() => String, { nullable: true })
  severity?: string;

  @Field(() => JsonObject, { nullable: true, description: groupDescription })
  group?: Record<string, unknown>;
}
