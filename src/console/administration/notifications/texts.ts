import { type LanguageCode, useLanguage } from "../../language/language.js";
import { english, type NotificationTexts } from "./english.js";
import { german } from "./german.js";

const texts: Record<LanguageCode, NotificationTexts> = { en: english, de: german };

/** The texts about notifications in the reader's language. They are loaded with the settings. */
export const useTexts = (): NotificationTexts => texts[useLanguage().code];
