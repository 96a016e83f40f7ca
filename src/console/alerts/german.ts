import { plural } from "../language/plural.js";
import type { AlertTexts } from "./english.js";

const number = new Intl.NumberFormat("de");
const count = plural("de", number);

/** The texts about alerts, in German. */
export const german: AlertTexts = {
  total: (alerts) => count(alerts, { one: "# Alarm", other: "# Alarme" }),
  newAlerts: (alerts) => count(alerts, { one: "# neuer", other: "# neue" }),
  select: (type, camera) => `Auswählen: ${type}, ${camera}`,
  selection: "Auswahl",
  selected: (alerts) => count(alerts, { one: "# ausgewählt", other: "# ausgewählt" }),
  none: "Noch keine Alarme",
  noneText: "Sie erscheinen hier, sobald ein Detektor einen meldet.",
  noMatch: "Kein Alarm gefunden",
  noMatchText: "Weniger Filter oder ein längerer Zeitraum zeigen vielleicht welche.",
  clearFilters: "Alle Filter entfernen",
  listed: (first, last, total) =>
    `Alarme ${number.format(first)} bis ${number.format(last)} von ${number.format(total)}; die übrigen sind nicht auf diesem Ausdruck.`,
  noPicture: "Kein Bild",
  pictureElsewhere: "Bild liegt anderswo",
  openPicture: "Bild öffnen",
  pictureOf: (type, camera) => `${type}: Bild von ${camera}`,
  drawing: "Bereich und Punkte",
  layout: { label: "Anordnung", grid: "Raster", list: "Liste" },
  filters: {
    period: "Zeitraum",
    endsBeforeStart: "„Bis“ liegt nicht nach „Von“: Dazwischen kann kein Alarm liegen.",
    facility: "Standort",
    camera: "Kamera",
    moreCameras: (cameras) =>
      count(cameras, { one: "und # weitere: suchen Sie", other: "und # weitere: suchen Sie" }),
    type: "Art",
    severity: "Schwere",
    marks: "Markierungen",
    rule: "Eine Regel oder ein Bereich",
    all: "Alle",
    open: "Offen",
    openness: { true: "Nur offene", false: "Keine offenen" },
    observation: "Beobachtungen",
    observations: { true: "Nur Beobachtungen", false: "Keine Beobachtungen" },
  },
  marks: {
    acknowledged: {
      set: "Quittieren",
      remove: "Quittierung zurücknehmen",
      is: "Quittiert",
      isNot: "Nicht quittiert",
    },
    bookmark: { set: "Merken", remove: "Nicht mehr merken", is: "Gemerkt", isNot: "Nicht gemerkt" },
    falsePositive: { set: "Fehlalarm", remove: "Kein Fehlalarm", is: "Fehlalarm", isNot: "Kein Fehlalarm" },
  },
  markedBy: (mark, author) => `${mark} von ${author}`,
  done: {
    acknowledged: (alerts, isSet) =>
      `${count(alerts, { one: "# Alarm", other: "# Alarme" })} ${isSet ? "quittiert" : "nicht mehr quittiert"}`,
    bookmark: (alerts, isSet) =>
      `${count(alerts, { one: "# Alarm", other: "# Alarme" })} ${isSet ? "gemerkt" : "nicht mehr gemerkt"}`,
    falsePositive: (alerts, isSet) =>
      `${count(alerts, { one: "# Alarm", other: "# Alarme" })} ${isSet ? "als Fehlalarm markiert" : "nicht mehr als Fehlalarm markiert"}`,
    comment: () => "Kommentar geschrieben",
  },
  acknowledgeAll: {
    button: "Alle quittieren",
    title: (alerts) => `${count(alerts, { one: "# Alarm", other: "# Alarme" })} quittieren?`,
    text: "Sie passen zum Filter und sind noch nicht quittiert. Alarme, die von jetzt an kommen, bleiben, wie sie sind. Danach können Sie das rückgängig machen.",
    cut: "Es passen noch mehr: Dies sind die neuesten.",
    confirm: "Quittieren",
  },
  neighbours: "Benachbarte Alarme",
  newer: "Neuer",
  older: "Älter",
  position: (position, total) => `${number.format(position)} von ${number.format(total)}`,
  gone: "Diesen Alarm gibt es hier nicht",
  goneText: "Vielleicht wurde er gelöscht, oder er ist für Sie nicht freigegeben.",
  objects: (objects) => count(objects, { one: "# Objekt", other: "# Objekte" }),
  observation: "Beobachtung",
  rule: "Warum er ausgelöst wurde",
  cameraRules: "Regeln der Kamera",
  sameRule: "Alle Alarme dieser Regel",
  noRule: "Er wurde ohne Regel ausgelöst.",
  ruleDeleted: "Seine Regel wurde gelöscht.",
  comments: (comments) => count(comments, { one: "# Kommentar", other: "# Kommentare" }),
  comment: "Kommentar schreiben",
  send: "Senden",
  deletion: {
    button: "Diesen Alarm löschen",
    title: "Diesen Alarm löschen?",
    text: "Auch sein Bild und seine Kommentare werden gelöscht, und er zählt nicht mehr. Das lässt sich nicht rückgängig machen.",
    confirm: "Löschen",
  },
  edited: "geändert",
  editComment: "Diesen Kommentar ändern",
  deleteComment: "Diesen Kommentar löschen",
  delivery: {
    title: "Wer benachrichtigt wurde",
    none: "Niemand wurde benachrichtigt.",
    forgotten: "Das ist nicht mehr bekannt: Was gesendet wurde, wird 30 Tage aufbewahrt.",
    channels: { EMAIL: "E-Mail", SMS: "SMS", WEBHOOK: "Webhook" },
    states: { PENDING: "Wartet", SENT: "Gesendet", PARKED: "Aufgegeben" },
  },
  keys: {
    next: "Nächster Alarm",
    previous: "Voriger Alarm",
    close: "Zurück zu allen",
    undo: "Rückgängig",
    select: "Alarm auswählen",
    clearSelection: "Nichts auswählen",
    layout: "Raster oder Liste",
    showNew: "Neue Alarme zeigen",
    comment: "Kommentar schreiben",
  },
};
