import { plural, withText } from "../../platform/text/plural.js";
import type { SavedViewTexts } from "./english.js";

const count = plural("de");

export const german: SavedViewTexts = {
  save: "Diese Ansicht speichern",
  noneText: "Filtern Sie Alarme, Auswertung oder Kameras, und speichern Sie die Filter unter einem Namen.",
  nameHint: "etwa Offenes am Tor",
  taken: withText("„#“ ist schon gespeichert. Beim Speichern werden die Filter ersetzt."),
  replace: "Ersetzen",
  replaceByShown: "Die Filter durch die jetzt gesetzten ersetzen",
  link: "Link",
  linkHint:
    "Wer den Link öffnet, sieht dieselben Filter mit den Alarmen und Kameras, für die das Konto berechtigt ist.",
  unknownView: "Diese Version der Konsole hat keine solche Ansicht.",
  saved: withText("„#“ ist gespeichert."),
  changed: withText("„#“ wurde geändert."),
  problems: {
    name: "Ein Name hat 1 bis 200 druckbare Zeichen.",
    query: "Das sind zu viele Filter zum Speichern: Wählen Sie weniger.",
    tooMany: count("Es gibt # gespeicherte Ansichten, mehr gehen nicht. Löschen Sie zuerst eine."),
    taken: "Eine gespeicherte Ansicht mit diesem Namen gibt es schon.",
    gone: "Diese gespeicherte Ansicht wurde inzwischen gelöscht. Speichern Sie die Filter unter einem eigenen Namen.",
  },
};
