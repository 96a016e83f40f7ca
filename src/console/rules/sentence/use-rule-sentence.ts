import { translated, useLanguage } from "../../language/language.js";
import { ruleNode } from "../rule-node.js";
import { english } from "./english.js";
import { german } from "./german.js";
import { ruleSentence } from "./rule-sentence.js";

const useTexts = translated(english, german);

export function useRuleSentence(): (group: object) => string {
  const { words } = useLanguage();
  const texts = useTexts();
  // The gateway accepts no tree without types.
  return (group) => ruleSentence(ruleNode(group), { texts, words });
}
