import type { LanguageCode } from "../../../platform/text/language.js";
import { useLanguage } from "../../language/language.js";
import { ruleNode } from "../rule-node.js";
import { english, type SentenceTexts } from "./english.js";
import { german } from "./german.js";
import { ruleSentence } from "./rule-sentence.js";

const texts: Record<LanguageCode, SentenceTexts> = { en: english, de: german };

export function useRuleSentence(): (group: object) => string {
  const { code, words } = useLanguage();
  // The gateway accepts no tree without types.
  return (group) => ruleSentence(ruleNode(group), { texts: texts[code], words });
}
