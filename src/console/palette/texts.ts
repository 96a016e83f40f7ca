import { type LanguageCode, useLanguage } from "../language/language.js";
import { english, type PaletteTexts } from "./english.js";
import { german } from "./german.js";

const texts: Record<LanguageCode, PaletteTexts> = { en: english, de: german };

/** The texts of the palette in the reader's language. They are loaded with the palette. */
export const useTexts = (): PaletteTexts => texts[useLanguage().code];
