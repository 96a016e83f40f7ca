import { type LanguageCode, useLanguage } from "../../language/language.js";
import { type AuditTexts, english } from "./english.js";
import { german } from "./german.js";

const texts: Record<LanguageCode, AuditTexts> = { en: english, de: german };

/** The texts about the audit log in the reader's language. They are loaded with the settings. */
export const useTexts = (): AuditTexts => texts[useLanguage().code];
