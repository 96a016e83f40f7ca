import { type LanguageCode, useLanguage } from "../language/language.js";
import { type AdministrationTexts, english } from "./english.js";
import { german } from "./german.js";

const texts: Record<LanguageCode, AdministrationTexts> = { en: english, de: german };

/**
 * The texts of the settings in the reader's language. They are loaded with the settings,
 * so that the first view does not wait for them.
 */
export const useTexts = (): AdministrationTexts => texts[useLanguage().code];
