import type { FieldRules } from "../../form/field-problems.js";
import type { RuleTexts } from "../english.js";

/** The targets of a rule, as the form sent them. */
export interface RuleTargets {
  emails: readonly string[];
  phoneNumbers: readonly string[];
  apiNotification: { url: string } | null;
}

/** The maximum number of each kind of target that the gateway accepts. */
const mostTargets = 50;

/** What the gateway accepts of a rule, with the targets that it refused. */
export function targetRules(sent: RuleTargets | undefined, problems: RuleTexts["problems"]): FieldRules {
  const entryRule = (field: "emails" | "phoneNumbers") => (index: number | undefined) => {
    const entry = index === undefined ? undefined : sent?.[field][index];
    return entry === undefined ? problems.tooMany(mostTargets) : problems[field](entry);
  };
  return {
    group: problems.group,
    evaluated: problems.evaluated,
    emails: entryRule("emails"),
    phoneNumbers: entryRule("phoneNumbers"),
    apiNotification: () => webhookProblem(sent?.apiNotification?.url ?? "", problems),
  };
}

function webhookProblem(url: string, problems: RuleTexts["problems"]): string {
  const { username, password } = URL.canParse(url) ? new URL(url) : { username: "", password: "" };
  return username || password ? problems.webhookCredentials : problems.webhook(url);
}
