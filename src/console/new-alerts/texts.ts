import { type LanguageCode, useLanguage } from "../language/language.js";
import { english, type NewAlertTexts } from "./english.js";
import { german } from "./german.js";

const texts: Record<LanguageCode, NewAlertTexts> = { en: english, de: german };

/** The texts about new alerts in the reader's language. */
export const useTexts = (): NewAlertTexts => texts[useLanguage().code];
