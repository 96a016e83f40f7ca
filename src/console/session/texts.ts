import { type LanguageCode, useLanguage } from "../language/language.js";
import { english, type SessionTexts } from "./english.js";
import { german } from "./german.js";

const texts: Record<LanguageCode, SessionTexts> = { en: english, de: german };

/** The texts of signing in in the reader's language. They are loaded with the place to sign in. */
export const useTexts = (): SessionTexts => texts[useLanguage().code];
