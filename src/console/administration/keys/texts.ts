import { type LanguageCode, useLanguage } from "../../language/language.js";
import { english, type KeyTexts } from "./english.js";
import { german } from "./german.js";

const texts: Record<LanguageCode, KeyTexts> = { en: english, de: german };

/** The texts about API keys in the reader's language. They are loaded with the settings. */
export const useTexts = (): KeyTexts => texts[useLanguage().code];
