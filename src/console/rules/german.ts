import { plural } from "../language/plural.js";
import type { RuleTexts } from "./english.js";

const number = new Intl.NumberFormat("de");
const count = plural("de", number);

/** The texts of the rules in German. */
export const german: RuleTexts = {
  list: "Regeln der Kamera",
  none: "Diese Kamera hat noch keine Regeln.",
  moreCameras: (cameras) =>
    count(cameras, { one: "# weitere: über die Suche", other: "# weitere: über die Suche" }),
  add: "Regel hinzufügen",
  change: "Ändern",
  changeTitle: (rule) => `„${rule}“ ändern`,
  delete: "Löschen",
  deleteTitle: (rule) => `„${rule}“ löschen?`,
  deleteText: "Ihr Bereich und ihre Ziele gehen verloren. Die Alarme, die sie ausgelöst hat, bleiben.",
  deleted: (rule) => `„${rule}“ wurde gelöscht.`,
  changeArea: "Bereich ändern",
  drawArea: "Bereich zeichnen",
  drawing: "Bereich zeichnen",
  saveArea: "Bereich speichern",
  redraw: "Von vorn beginnen",
  closeOutline: "Umriss schließen",
  corners: "Ecken des Bereichs",
  corner: (number, of, x, y) => `Ecke ${number} von ${of}: ${x}, ${y}`,
  addCorner: (after) => `Ecke nach Ecke ${after} einfügen`,
  cornerKeys:
    "Ziehen Sie eine Ecke, oder bewegen Sie sie mit den Pfeiltasten (schneller mit Umschalt). Entf entfernt sie, die kleinen Punkte fügen eine hinzu.",
  pen: (corners) => `Zeichenfläche, ${count(corners, { one: "# Ecke", other: "# Ecken" })}`,
  penKeys:
    "Klicken Sie auf die Ecken, zuletzt auf die erste, um den Umriss zu schließen. Mit Tasten: Pfeile bewegen, Leertaste setzt eine Ecke, Rücktaste nimmt sie zurück, Enter schließt.",
  observation: "Eine Beobachtung: Nur ein Webhook wird benachrichtigt.",
  inactive: (status) => `Nicht aktiv (${status}): Niemand wird benachrichtigt.`,
  tellsNobody: "Sie benachrichtigt niemanden.",
  notSetUp: "An diesem Gateway nicht eingerichtet: Es wird nichts gesendet",
  silent: "Wird nicht benachrichtigt, so wie die Regel ist",
  nothingSent: "In letzter Zeit nichts gesendet",
  states: { SENT: "Zuletzt gesendet", PENDING: "Wartet auf den Versand seit", PARKED: "Aufgegeben" },
  testStates: { SENT: "Test gesendet", PENDING: "Test unterwegs seit", PARKED: "Test aufgegeben" },
  sendTest: "Test senden",
  type: "Wonach sie sucht",
  object: "Wovon",
  objects: { PERSON: "Personen", VEHICLE: "Fahrzeuge" },
  severity: "Schweregrad",
  emails: "E-Mail-Adressen",
  onePerLine: "eine je Zeile",
  phoneNumbers: "Telefonnummern",
  phoneHint: "etwa +905321234567, eine je Zeile",
  webhook: "Webhook",
  webhookHint: "eine öffentliche http(s)-Adresse",
  problems: {
    emails: (address) => `„${address}“ ist keine E-Mail-Adresse.`,
    phoneNumbers: (phoneNumber) =>
      `„${phoneNumber}“ ist keine Telefonnummer im internationalen Format, etwa +905321234567.`,
    tooMany: (most) => `Es können höchstens ${number.format(most)} sein.`,
    webhook: (address) => `„${address}“ ist keine http(s)-Adresse.`,
    webhookCredentials: "Die Adresse darf weder Benutzernamen noch Passwort enthalten.",
  },
  saved: "Die Regel wurde gespeichert.",
  added: "Die Regel wurde hinzugefügt.",
  areaSaved: "Der Bereich wurde gespeichert.",
  newArea: "Zone",
  active: "Aktiv: Wer genannt ist, wird benachrichtigt",
};
