import { addressOfAlerts } from "../alerts/filter/alert-filter.js";
import { maxSearched } from "../alerts/filter/alert-filter-fields.js";
import type { Messages } from "../language/en.js";
import { periodPresets } from "../period/period-presets.js";
import { AlertIcon } from "../shell/icons.js";
import type { PaletteTexts } from "./english.js";
import { type Entry, leastText, wordsOf } from "./entries.js";

const periods = ["today", "yesterday", "thisWeek", "lastWeek"] as const;

/** The most types of alerts that are offered for the same words. */
const mostTypes = 3;

/**
 * Searches of alerts for what was typed with a period, such as “forklift yesterday”: by types with these words, and by the
 * text. A period alone finds all its alerts.
 */
export function alertSearches(text: string, texts: PaletteTexts, { alertTypes, views }: Messages): Entry[] {
  const typed = ` ${wordsOf(text).join(" ")} `;
  const phraseOf = (name: (typeof periods)[number]) => ` ${wordsOf(texts.periods[name]).join(" ")} `;
  const period = periods.find((name) => typed.includes(phraseOf(name)));
  if (period === undefined) return [];
  const searched = typed.replace(phraseOf(period), " ").trim().slice(0, maxSearched);
  const entryOf = (key: string, title: string, selected: { text?: string; types?: string[] }): Entry => ({
    key: `alerts with ${key}`,
    title,
    hint: texts.periods[period],
    icon: AlertIcon,
    to: addressOfAlerts({ ...selected, ...periodPresets[period] }),
  });
  if (searched === "") return [entryOf("period", views.alerts, {})];
  if (searched.length < leastText) return [];
  const types = Object.entries(alertTypes).filter(([, words]) =>
    wordsOf(searched).every((word) => wordsOf(words).some((each) => each.startsWith(word))),
  );
  return [
    ...types.slice(0, mostTypes).map(([type, words]) => entryOf(type, words, { types: [type] })),
    entryOf("text", texts.alertsWith(searched), { text: searched }),
  ];
}
