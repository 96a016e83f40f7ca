import { translated } from "../../language/language.js";
import { english } from "./english.js";
import { german } from "./german.js";

/** The texts about people in the reader's language. They are loaded with the settings. */
export const useTexts = translated({ en: english, de: german });
