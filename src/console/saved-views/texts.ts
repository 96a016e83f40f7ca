import { translated } from "../language/language.js";
import { english } from "./english.js";
import { german } from "./german.js";

/** The texts of saved views in the reader's language. They are loaded with the saved views. */
export const useTexts = translated({ en: english, de: german });
