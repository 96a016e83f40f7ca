import { translated } from "../language/language.js";
import { english } from "./english.js";
import { german } from "./german.js";

/** The texts of signing in in the reader's language. They are loaded with the place to sign in. */
export const useTexts = translated({ en: english, de: german });
