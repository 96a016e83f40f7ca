import { type LanguageCode, useLanguage } from "../language/language.js";
import { english, type PictureTexts } from "./english.js";
import { german } from "./german.js";

const texts: Record<LanguageCode, PictureTexts> = { en: english, de: german };

/** The texts around a picture in the reader's language. They are loaded with the alerts. */
export const useTexts = (): PictureTexts => texts[useLanguage().code];
