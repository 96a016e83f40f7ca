import { type LanguageCode, useLanguage } from "../language/language.js";
import { english, type RuleTexts } from "./english.js";
import { german } from "./german.js";

const texts: Record<LanguageCode, RuleTexts> = { en: english, de: german };

/** The texts of the rules in the reader's language. They are loaded with the rules. */
export const useTexts = (): RuleTexts => texts[useLanguage().code];
