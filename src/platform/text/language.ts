export type MailLanguage = "en" | "de";

/** German, otherwise English. */
export const mailLanguageOf = (locale: string | null): MailLanguage =>
  locale?.toLowerCase().split("-")[0] === "de" ? "de" : "en";
