import type { InsightTexts } from "./english.js";

export const german: InsightTexts = {
  worstHour: (from, until, alerts) => `Schlimmste Stunde: ${from} – ${until}, ${alerts}`,
  hourSum: (from, alerts) => `Alle Tage, ab ${from}: ${alerts}`,
  daySum: (weekday, alerts) => `${weekday}, alle Stunden: ${alerts}`,
  sum: "Summe",
  facilities: "Standorte nebeneinander",
  facility: "Standort",
  showAll: (facilities) => `Alle ${facilities} zeigen`,
  weekdays: "Wochentage und ihre Vergangenheit",
  weekdaysHint:
    "Die letzten sieben Tage, die überall vorbei sind, jeder neben demselben Wochentag der vier Wochen davor.",
  day: "Tag",
  alerts: "Alarme",
  usual: "Üblich",
  past: "4 Wochen davor",
};
