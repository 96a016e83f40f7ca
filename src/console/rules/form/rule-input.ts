import type { CameraRuleFragment, UpdateAlertRuleInput } from "../../../generated/console.js";
import type { Texts } from "../../form/field.js";
import { linesOf } from "../../form/lines.js";
import type { RuleNode } from "../rule-node.js";
import { hoursOf, timeRangeOf, weekdays } from "../schedule.js";
import { changeableDetection, conditionTexts, treeOf } from "./conditions.js";

/** The field of the checkbox of a day of the week. */
export const dayField = (day: number) => `day ${day}`;

/** The days of the week that are chosen, ascending. */
export const daysOf = (texts: Texts): number[] =>
  weekdays.filter((day) => dayField(day) in texts).sort((one, other) => one - other);

/** The texts of the fields at the start: of a rule, or of a new one with this tree. */
export function startTexts(rule: CameraRuleFragment | undefined, tree: RuleNode, timeZone: string): Texts {
  const hours = hoursOf(rule?.timeRange, timeZone);
  return {
    ...conditionTexts(tree),
    alertName: rule?.name ?? "",
    severity: rule?.severity ?? "MEDIUM",
    emails: rule?.emails.join("\n"),
    phoneNumbers: rule?.phoneNumbers.join("\n"),
    webhook: rule?.apiNotification?.url,
    ...Object.fromEntries((rule?.dayRange ?? weekdays).map((day) => [dayField(day), "on"])),
    from: hours?.from ?? "",
    to: hours?.to ?? "",
    ...ticked("observation", rule?.observation ?? false),
    // The gateway looks for what a new rule describes, unless somebody says that a detector does.
    ...ticked("evaluated", rule?.evaluated ?? true),
    ...ticked("active", (rule?.status ?? "ACTIVE") === "ACTIVE"),
    ...ticked("webhookEnabled", rule?.apiNotification?.enabled ?? true),
    // A new webhook is signed unless its reader does not want that.
    ...ticked("newSecret", !rule?.apiNotification),
  };
}

const ticked = (field: string, isTicked: boolean): Texts => (isTicked ? { [field]: "on" } : {});

/** What the form needs besides its texts. */
interface FormContext {
  /** The rule that is changed; absent for a new one. */
  rule: CameraRuleFragment | undefined;
  /** The tree of the rule, or that of the new one. */
  tree: RuleNode;
  /** The time zone of the facility. */
  timeZone: string;
  now: Date;
  /** The new secret of the webhook, if there is one. */
  secret: string | undefined;
}

/**
 * What the form says of a rule. Leaves out the tree, the days and the hours of a rule if
 * they did not change, so that what the form cannot show stays as it is.
 */
export function ruleInput(texts: Texts, { rule, tree, timeZone, now, secret }: FormContext) {
  const url = texts.webhook ?? "";
  const group = treeOf(texts, tree);
  const days = daysOf(texts);
  const before = hoursOf(rule?.timeRange, timeZone);
  const hours = texts.from && texts.to ? { from: texts.from, to: texts.to } : undefined;
  const isSchedule = before?.from === hours?.from && before?.to === hours?.to;
  return {
    name: alertNameOf(texts, rule, tree),
    ...(JSON.stringify(group) !== JSON.stringify(rule?.group) && { group }),
    severity: texts.severity as string,
    observation: "observation" in texts,
    // The form offers it only where it can change the conditions.
    ...(changeableDetection(tree) && { evaluated: "evaluated" in texts }),
    status: statusOf("active" in texts, rule),
    ...(String(days) !== String(rule?.dayRange) && { dayRange: days }),
    ...(!isSchedule && { timeRange: hours ? timeRangeOf(hours, timeZone, now) : null }),
    emails: linesOf(texts.emails ?? ""),
    phoneNumbers: linesOf(texts.phoneNumbers ?? ""),
    apiNotification:
      url === ""
        ? null
        : { url, enabled: "webhookEnabled" in texts, ...(secret !== undefined && { secret }) },
  } satisfies UpdateAlertRuleInput;
}

/**
 * The name of the rule's alerts: the type that is chosen, unless the rule had another
 * one than its type.
 */
const alertNameOf = (texts: Texts, rule: CameraRuleFragment | undefined, tree: RuleNode): string =>
  hasOwnAlertName(rule, tree) ? (texts.alertName ?? "") : (texts.type ?? "");

/** Whether the name of a rule's alerts is not simply the type of its only condition. */
export const hasOwnAlertName = (rule: CameraRuleFragment | undefined, tree: RuleNode): boolean =>
  rule !== undefined && changeableDetection(tree)?.type !== rule.name;

/**
 * The form only chooses whether a rule is active. Keeps any other inactive status of the
 * rule.
 */
function statusOf(isActive: boolean, rule: CameraRuleFragment | undefined): string {
  if (isActive) return "ACTIVE";
  return rule && rule.status !== "ACTIVE" ? rule.status : "INACTIVE";
}
