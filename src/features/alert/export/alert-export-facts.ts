import { columnsOnly } from "../../../engine/reading/selection/selection.js";
import { defined } from "../../../platform/defined.js";
import { maxTimestamp } from "../../../platform/input/scalars.js";
import type { CellValue } from "../../../platform/spreadsheet/cell.js";
import type { Fact } from "../../../platform/spreadsheet/spreadsheet.js";
import type { LanguageCode } from "../../../platform/text/language.js";
import type { AlertFilter } from "../alert.input.js";
import { type NamedEntities, namedFields } from "../alert-filter-fields.js";
import { countsFromToday } from "../local-time.input.js";
import type { OpenedExport } from "./alert-export.service.js";

const words = {
  en: {
    exported: "Exported (UTC)",
    linksValidUntil: "Links valid until (UTC)",
    daysCountedFrom: "Relative days and weeks counted from (UTC)",
    all: "All",
    none: "None",
    open: { start: "No start", end: "No end" },
    range: (from: unknown, to: unknown) => `${from} to ${to}`,
  },
  de: {
    exported: "Exportiert (UTC)",
    linksValidUntil: "Links gültig bis (UTC)",
    daysCountedFrom: "Relative Tage und Wochen gezählt ab (UTC)",
    all: "Alle",
    none: "Keine",
    open: { start: "Kein Beginn", end: "Kein Ende" },
    range: (from: unknown, to: unknown) => `${from} bis ${to}`,
  },
} satisfies Record<LanguageCode, object>;

/** What the spreadsheet states about itself: when it was created, when its links expire, and each condition. */
export async function exportFacts({ context, filter, askedAt, language }: OpenedExport): Promise<Fact[]> {
  const { links, now } = context.services;
  const { exported, linksValidUntil, daysCountedFrom } = words[language];
  const facts: Fact[] = [
    [exported, now()],
    [linksValidUntil, links.expiryOf("week")],
    ...(countsFromToday(filter) ? [[daysCountedFrom, askedAt] satisfies Fact] : []),
  ];
  for (const [name, { label, entities, words: wordsOf }] of namedFields) {
    if (isOpen(name, filter[name])) {
      facts.push([label[language], words[language].open[name]]);
      continue;
    }
    const given = filter[name];
    const shown = given != null && wordsOf ? wordsOf(given as never) : given;
    const values = await inWords(shown, entities?.(context, columnsOnly(["id", "name"])), language);
    facts.push(...values.map((value): Fact => [label[language], value]));
  }
  return facts;
}

/** The year in which periods without an end end, as clients have to name one. */
const lastYear = new Date(maxTimestamp).getUTCFullYear();

/** Whether a bound of the period leaves out nothing, so that its date means nothing. */
const isOpen = (name: keyof AlertFilter, value: AlertFilter[keyof AlertFilter]): name is "start" | "end" =>
  value instanceof Date &&
  (name === "start" ? value.getTime() <= 0 : name === "end" && value.getUTCFullYear() === lastYear);

async function inWords(
  value: AlertFilter[keyof AlertFilter],
  entities: ReturnType<NamedEntities> | undefined,
  language: LanguageCode,
): Promise<readonly CellValue[]> {
  const { all, none, range } = words[language];
  if (value == null) return [all];
  // An empty list matches nothing.
  if (Array.isArray(value) && value.length === 0) return [none];
  if (entities) return namesOf(entities, [value].flat().map(String));
  if (Array.isArray(value))
    return value.map((each) => (typeof each === "object" ? JSON.stringify(each) : each));
  if (typeof value !== "object" || value instanceof Date) return [value];
  return "from" in value ? [range(value.from, value.to)] : [JSON.stringify(value)];
}

/** The names of facilities, cameras or rules; for those that the caller may not see, the requested ids. */
async function namesOf(entities: ReturnType<NamedEntities>, ids: readonly string[]): Promise<string[]> {
  const found = await entities.loadMany(ids);
  return found.map((each, index) => {
    if (each instanceof Error) throw each;
    return each?.name ?? defined(ids[index]);
  });
}
