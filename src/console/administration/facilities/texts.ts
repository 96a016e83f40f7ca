import { translated } from "../../language/language.js";
import { english } from "./english.js";
import { german } from "./german.js";

/**
 * The texts about facilities and cameras in the reader's language. They are loaded with
 * the first of their forms.
 */
export const useTexts = translated({ en: english, de: german });
