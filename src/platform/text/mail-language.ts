/** The languages in which the gateway writes mails. */
export type MailLanguage = "en" | "de";

/** The language of mails to somebody with a language tag: German, otherwise English. */
export const mailLanguageOf = (locale: string | null): MailLanguage =>
  locale?.toLowerCase().split("-")[0] === "de" ? "de" : "en";
