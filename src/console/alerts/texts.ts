import { type LanguageCode, useLanguage } from "../language/language.js";
import { type AlertTexts, english } from "./english.js";
import { german } from "./german.js";

const texts: Record<LanguageCode, AlertTexts> = { en: english, de: german };

/**
 * The texts about alerts in the reader's language. They are loaded with the alerts, so that
 * the first view does not wait for them.
 */
export const useAlertTexts = (): AlertTexts => texts[useLanguage().code];
