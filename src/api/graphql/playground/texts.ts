import { useLanguage } from "../../../console/language/language.js";
import type { LanguageCode } from "../../../platform/text/language.js";

const en = {
  signedOut: "You are not signed in: operations are sent without credentials.",
  expired: "Your session has ended.",
  signIn: "Sign in",
  orHeader: "or enter an API key under Headers.",
  files: "Files of this operation",
  choose: "Choose a file",
};

const de: typeof en = {
  signedOut: "Sie sind nicht angemeldet: Operationen werden ohne Zugangsdaten gesendet.",
  expired: "Ihre Sitzung ist beendet.",
  signIn: "Anmelden",
  orHeader: "oder unter „Headers“ einen API-Schlüssel eingeben.",
  files: "Dateien dieser Operation",
  choose: "Datei wählen",
};

const texts: Record<LanguageCode, typeof en> = { en, de };

/** The playground's own texts in the reader's language. GraphiQL's are in English. */
export const useTexts = (): typeof en => texts[useLanguage().code];
