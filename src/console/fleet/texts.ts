import { type LanguageCode, useLanguage } from "../language/language.js";
import { english, type FleetTexts } from "./english.js";
import { german } from "./german.js";

const texts: Record<LanguageCode, FleetTexts> = { en: english, de: german };

/** The texts of the fleet in the reader's language. They are loaded with the fleet. */
export const useTexts = (): FleetTexts => texts[useLanguage().code];
