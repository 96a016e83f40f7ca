import { type LanguageCode, useLanguage } from "../../language/language.js";
import { english, type WorkspaceTexts } from "./english.js";
import { german } from "./german.js";

const texts: Record<LanguageCode, WorkspaceTexts> = { en: english, de: german };

/** The texts about the workspace in the reader's language. They are loaded with the settings. */
export const useTexts = (): WorkspaceTexts => texts[useLanguage().code];
