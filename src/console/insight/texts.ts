import { type LanguageCode, useLanguage } from "../language/language.js";
import { english, type InsightTexts } from "./english.js";
import { german } from "./german.js";

const texts: Record<LanguageCode, InsightTexts> = { en: english, de: german };

/** The texts of the insight in the reader's language. They are loaded with the insight. */
export const useTexts = (): InsightTexts => texts[useLanguage().code];
