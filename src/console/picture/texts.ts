import { translated } from "../language/language.js";
import { english } from "./english.js";
import { german } from "./german.js";

/** The texts around a picture in the reader's language. They are loaded with the alerts. */
export const useTexts = translated({ en: english, de: german });
