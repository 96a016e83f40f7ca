import { type LanguageCode, useLanguage } from "../../language/language.js";
import { english, type PeopleTexts } from "./english.js";
import { german } from "./german.js";

const texts: Record<LanguageCode, PeopleTexts> = { en: english, de: german };

/** The texts about people in the reader's language. They are loaded with the settings. */
export const useTexts = (): PeopleTexts => texts[useLanguage().code];
