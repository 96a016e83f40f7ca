import type { CameraRuleFragment } from "../../generated/console.js";
import { isolated } from "../../platform/text/text-direction.js";
import { useLanguage } from "../language/language.js";
import { ruleNode } from "./rule-node.js";

/** The name that people gave to a rule; undefined if it has none. */
export const ruleName = ({ group }: Pick<CameraRuleFragment, "group">): string | undefined =>
  ruleNode(group).name;

/** What a rule is called in sentences: its name, or its type in words, isolated from the text around it. */
export function useRuleTitle(): (rule: Pick<CameraRuleFragment, "group" | "name">) => string {
  const { words } = useLanguage();
  return (rule) => isolated(ruleName(rule) ?? words.alertType(rule.name));
}
