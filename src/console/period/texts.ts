import { type LanguageCode, useLanguage } from "../language/language.js";
import { english, type PeriodTexts } from "./english.js";
import { german } from "./german.js";

const texts: Record<LanguageCode, PeriodTexts> = { en: english, de: german };

/** The texts about periods in the reader's language. They are loaded with the views of alerts. */
export const useTexts = (): PeriodTexts => texts[useLanguage().code];
