import { type LanguageCode, useLanguage } from "../../language/language.js";
import { english, type ProfileTexts } from "./english.js";
import { german } from "./german.js";

const texts: Record<LanguageCode, ProfileTexts> = { en: english, de: german };

/** The texts about the profile and the digest in the reader's language. They are loaded with the settings. */
export const useTexts = (): ProfileTexts => texts[useLanguage().code];
