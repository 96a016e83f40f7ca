import { type LanguageCode, useLanguage } from "../language/language.js";
import { english, type SnoozeTexts } from "./english.js";
import { german } from "./german.js";

const texts: Record<LanguageCode, SnoozeTexts> = { en: english, de: german };

/** The texts of snoozing in the reader's language. They are loaded with it. */
export const useTexts = (): SnoozeTexts => texts[useLanguage().code];
