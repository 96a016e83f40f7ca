import { type LanguageCode, useLanguage } from "../language/language.js";
import { english, type SavedViewTexts } from "./english.js";
import { german } from "./german.js";

const texts: Record<LanguageCode, SavedViewTexts> = { en: english, de: german };

/** The texts of saved views in the reader's language. They are loaded with the saved views. */
export const useTexts = (): SavedViewTexts => texts[useLanguage().code];
