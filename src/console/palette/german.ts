import { plural } from "../language/plural.js";
import type { PaletteTexts } from "./english.js";

const count = plural("de");

export const german: PaletteTexts = {
  search: "Ansichten, Kameras, Standorte, Regeln und Aktionen suchen",
  placeholder: "Kamera, Ansicht, Aktion …",
  results: "Treffer",
  groups: {
    recent: "Zuletzt geöffnet",
    views: "Ansichten",
    savedViews: "Gespeicherte Ansichten",
    facilities: "Standorte",
    actions: "Aktionen",
    cameras: "Kameras",
    rules: "Regeln",
    alerts: "Alarme",
  },
  found: (results) => count(results, "# Treffer"),
  none: "Kein Treffer",
  searching: "Suche läuft …",
  allCameras: (cameras, text) => `Alle ${count(cameras, "#")} Kameras mit „${text}“`,
  alertsWith: (text) => `Alarme mit „${text}“`,
  periods: { today: "heute", yesterday: "gestern", thisWeek: "diese Woche", lastWeek: "letzte Woche" },
  moreRules: (rules) =>
    `${count(rules, "# weitere Regel", "# weitere Regeln")}: Geben Sie auch den Namen der Kamera ein`,
  incomplete: (reason) => `Nicht alles wurde durchsucht: ${reason}`,
  review: "Die offenen Alarme durchsehen",
  playground: "Playground öffnen",
  docs: "REST-Seite öffnen",
  choose: "wählen",
  open: "öffnen",
};
