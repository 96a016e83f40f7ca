import { z } from "zod";

const exportLanguages = ["en", "de"] as const;

/** The rule for the language of a file. */
export const exportLanguage = z.enum(exportLanguages, { error: "must be en or de" });

/** The language of an exported file. */
export type ExportLanguage = (typeof exportLanguages)[number];

/** A text in all languages of exported files. */
export type Translated = Record<ExportLanguage, string>;
