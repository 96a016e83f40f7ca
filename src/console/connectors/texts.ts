import { type LanguageCode, useLanguage } from "../language/language.js";
import { type ConnectorTexts, english } from "./english.js";
import { german } from "./german.js";

const texts: Record<LanguageCode, ConnectorTexts> = { en: english, de: german };

/** The texts about connectors in the reader's language. They are loaded with the settings. */
export const useTexts = (): ConnectorTexts => texts[useLanguage().code];
