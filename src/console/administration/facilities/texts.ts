import { type LanguageCode, useLanguage } from "../../language/language.js";
import { english, type FacilityTexts } from "./english.js";
import { german } from "./german.js";

const texts: Record<LanguageCode, FacilityTexts> = { en: english, de: german };

/**
 * The texts about facilities and cameras in the reader's language. They are loaded with
 * the first of their forms.
 */
export const useTexts = (): FacilityTexts => texts[useLanguage().code];
