import { translated } from "../language/language.js";
import { english } from "./english.js";
import { german } from "./german.js";

/** The texts about new alerts in the reader's language. */
export const useTexts = translated({ en: english, de: german });
