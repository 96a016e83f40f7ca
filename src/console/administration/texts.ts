import { translated } from "../language/language.js";
import { english } from "./english.js";
import { german } from "./german.js";

/**
 * The texts of the settings in the reader's language. They are loaded with the settings,
 * so that the first view does not wait for them.
 */
export const useTexts = translated({ en: english, de: german });
