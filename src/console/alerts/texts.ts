import { translated } from "../language/language.js";
import { english } from "./english.js";
import { german } from "./german.js";

/**
 * The texts about alerts in the reader's language. They are loaded with the alerts, so that
 * the first view does not wait for them.
 */
export const useAlertTexts = translated({ en: english, de: german });
