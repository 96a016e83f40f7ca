import { type LanguageCode, useLanguage } from "../language/language.js";
import { english, type FirstRunTexts } from "./english.js";
import { german } from "./german.js";

const texts: Record<LanguageCode, FirstRunTexts> = { en: english, de: german };

/** The texts of the first run in the reader's language. They are loaded with the first run. */
export const useTexts = (): FirstRunTexts => texts[useLanguage().code];
