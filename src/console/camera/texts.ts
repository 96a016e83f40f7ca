import { type LanguageCode, useLanguage } from "../language/language.js";
import { type CameraTexts, english } from "./english.js";
import { german } from "./german.js";

const texts: Record<LanguageCode, CameraTexts> = { en: english, de: german };

/**
 * The texts of a camera's page in the reader's language. They are loaded with the page.
 */
export const useTexts = (): CameraTexts => texts[useLanguage().code];
