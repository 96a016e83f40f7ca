import { z } from "zod";
import { expectedUpdatedAt } from "../../engine/operation/expected-version.js";
import { graphqlField, inputType } from "../../platform/input/input-type.js";
import { JsonObject } from "../../platform/input/scalars.js";
import { absoluteUrl, emailAddress, printableText } from "../../platform/input/text-rules.js";
import { parsedUrl } from "../../platform/network/parsed-url.js";
import { alertTypes, severities } from "./alert-kind.js";
import { daysAppliedBy, nodesOfTrees, notifiedWhen, timesAppliedBy } from "./rule-texts.js";
import { ruleTree, treeLimits } from "./rule-tree.js";
import { webhookSecret } from "./webhook-secret.js";

const phoneNumber = z
  .string()
  .regex(/^\+[1-9]\d{6,14}$/, "must be in international format, such as +905321234567");

const apiNotification = z.object({
  url: absoluteUrl
    .refine((value) => {
      const url = parsedUrl(value);
      return !url?.username && !url?.password;
    }, "must not contain credentials; set a secret instead")
    .describe(
      "An http(s) URL without credentials, of at most 2048 characters. Its address has to be public, unless the gateway is configured otherwise. Callers with alert-rules:write get the URL, others only its origin.",
    ),
  secret: webhookSecret
    .nullish()
    .describe(
      "The key for signing the requests by Standard Webhooks, at least 16 bytes: Base64 after whsec_, or plain text in printable ASCII. At most 500 characters. It is never returned. If omitted, the current secret is kept.",
    ),
  enabled: z.boolean().nullish().describe("Whether alerts are posted; true by default."),
});
inputType("ApiNotificationInput", "The webhook to which a rule's alerts are posted.", apiNotification);

const fields = {
  dayRange: z
    .array(z.int().min(0, "must be at least 0").max(6, "must be at most 6"))
    .max(7, "must list at most 7")
    .describe(
      `The days of the week on which the rule is active, 0 to 6, at most 7; every day by default. ${daysAppliedBy}`,
    ),
  timeRange: z
    .array(z.date())
    .length(2, "must be two timestamps")
    .nullable()
    .describe(
      `The start and end of the period in which the rule is active, exactly two timestamps; null for no limit. ${timesAppliedBy}`,
    ),
  emails: z
    .array(emailAddress)
    .max(50, "must list at most 50")
    .describe(
      `The email addresses to which the rule's alerts are mailed, at most 50. ${notifiedWhen("EMAIL")}`,
    ),
  phoneNumbers: z
    .array(phoneNumber)
    .max(50, "must list at most 50")
    .describe(
      `The phone numbers that get the rule's alerts as text messages, in international format such as +905321234567, at most 50. ${notifiedWhen("SMS")}`,
    ),
  observation: z
    .boolean()
    .describe(
      "Whether the rule's alerts are recorded as observations; false by default. Filters can tell observations from other alerts, and only the webhook is notified of observations.",
    ),
  apiNotification: apiNotification
    .nullable()
    .describe(
      "The webhook to which alerts and observations are posted while `status` is ACTIVE; null for none.",
    ),
  status: printableText(50).describe(
    "The status of the rule, 1 to 50 printable characters; ACTIVE by default. With any other status, none of the rule's targets is notified of alerts.",
  ),
  name: printableText(100).describe(
    `The type of the rule's alerts, 1 to 100 printable characters, ${alertTypes}.`,
  ),
  severity: printableText(50).describe(
    `The severity of the rule's alerts, 1 to 50 printable characters, ${severities}. Alerts that are already recorded keep their severity.`,
  ),
  evaluated: z
    .boolean()
    .describe(
      "Whether the gateway evaluates the rule, and raises its alerts from what `recordDetections` is given; false by default, for rules whose detector raises the alerts by `recordAlerts`.",
    ),
  group: ruleTree
    .register(graphqlField, { type: JsonObject })
    .describe(`The condition tree: ${nodesOfTrees} Nodes without an \`id\` are assigned one. ${treeLimits}`),
};

export { fields as alertRuleFields };

export type CreateAlertRuleInput = InstanceType<typeof CreateAlertRuleInput>;
export const CreateAlertRuleInput = inputType(
  "CreateAlertRuleInput",
  "A new alert rule. Fields that are omitted or null get their default.",
  z.object({
    ...fields,
    dayRange: fields.dayRange.nullish(),
    timeRange: fields.timeRange.optional(),
    emails: fields.emails.nullish(),
    phoneNumbers: fields.phoneNumbers.nullish(),
    observation: fields.observation.nullish(),
    evaluated: fields.evaluated.nullish(),
    apiNotification: fields.apiNotification.optional(),
    status: fields.status.nullish(),
  }),
);

/** Omitted fields stay unchanged; null removes `timeRange` and `apiNotification`. */
export type UpdateAlertRuleInput = InstanceType<typeof UpdateAlertRuleInput>;
export const UpdateAlertRuleInput = inputType(
  "UpdateAlertRuleInput",
  "The fields of an alert rule to update. Omitted fields stay unchanged.",
  z.object({ ...z.object(fields).partial().shape, expectedUpdatedAt }),
);
