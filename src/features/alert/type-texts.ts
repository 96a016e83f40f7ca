import { Prisma } from "../../generated/prisma/client.js";
import type { LanguageCode } from "../../platform/text/language.js";
import { englishAlertTypes } from "./english-alert-types.js";
import { germanAlertTypes } from "./german-alert-types.js";

/** Types whose codes are not their words. */
export const alertTypes: Record<LanguageCode, Record<string, string>> = {
  en: englishAlertTypes,
  de: germanAlertTypes,
};

const wordsOfTypes = JSON.stringify(
  Object.fromEntries(
    Object.keys(englishAlertTypes).map((type) => [
      type,
      Object.values(alertTypes)
        .map((words) => words[type])
        .join("\n"),
    ]),
  ),
);

/** A type as people may search for it: its code, and its words in each language. */
export const typeTexts = (type: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`concat_ws(chr(10), ${type}, replace(${type}, '_', ' '), (SELECT ${wordsOfTypes}::jsonb) ->> ${type})`;
