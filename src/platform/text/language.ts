/** The languages of the console, mails and exported files. */
export const languageCodes = ["en", "de"] as const;
export type LanguageCode = (typeof languageCodes)[number];

/** The language for somebody with a language tag; English if the gateway does not have theirs. */
export const languageOf = (locale: string | null): LanguageCode =>
  languageCodes.find((code) => code === locale?.toLowerCase().split("-")[0]) ?? "en";
