import { plural, withText } from "../../platform/text/plural.js";
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
    people: "Personen",
    alerts: "Alarme",
  },
  found: count("# Treffer"),
  none: "Kein Treffer",
  searching: "Suche läuft …",
  allCameras: (cameras, text) => `Alle ${count("#")(cameras)} Kameras mit „${text}“`,
  alertsWith: withText("Alarme mit „#“"),
  periods: { today: "heute", yesterday: "gestern", thisWeek: "diese Woche", lastWeek: "letzte Woche" },
  moreRules: count(
    "# weitere Regel: Geben Sie auch den Namen der Kamera ein",
    "# weitere Regeln: Geben Sie auch den Namen der Kamera ein",
  ),
  incomplete: withText("Nicht alles wurde durchsucht: #"),
  review: "Die offenen Alarme durchsehen",
  snooze: "Kameras stummschalten",
  playground: "Playground öffnen",
  docs: "REST-Seite öffnen",
  choose: "wählen",
  open: "öffnen",
};
