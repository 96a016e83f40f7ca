import { type LanguageCode, useLanguage } from "../language/language.js";
import { english, type ReviewTexts } from "./english.js";
import { german } from "./german.js";

const texts: Record<LanguageCode, ReviewTexts> = { en: english, de: german };

/** The texts of the review in the reader's language. They are loaded with the alerts. */
export const useTexts = (): ReviewTexts => texts[useLanguage().code];
