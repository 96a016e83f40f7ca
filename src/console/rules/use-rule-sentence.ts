import { english } from "../../features/alert-rule/sentence/english.js";
import { german } from "../../features/alert-rule/sentence/german.js";
import { ruleSentence } from "../../features/alert-rule/sentence/rule-sentence.js";
import { translated, useLanguage } from "../language/language.js";
import { ruleNode } from "./rule-node.js";

const useTexts = translated(english, german);

export function useRuleSentence(): (group: object) => string {
  const { words } = useLanguage();
  const texts = useTexts();
  // The gateway accepts no tree without types.
  return (group) => ruleSentence(ruleNode(group), { texts, words });
}
