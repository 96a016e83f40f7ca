import { translated } from "../language/language.js";
import { english } from "./english.js";
import { german } from "./german.js";

/** The texts of the first run in the reader's language. They are loaded with the first run. */
export const useTexts = translated({ en: english, de: german });
