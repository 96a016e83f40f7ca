import type { english } from "./english.js";

/** The texts of the review in German. */
export const german: typeof english = {
  start: "Durchsehen",
  startAll: "Die offenen Alarme durchsehen",
  startHint: "Die offenen Alarme durchgehen, Bild für Bild",
  acknowledgeAndGoOn: "Quittieren und weiter zum nächsten Alarm",
  goOn: "Quittieren und weiter",
  doneTitle: "Alles durchgesehen",
  doneText: "Hier ist kein Alarm offen. Neue erscheinen, sobald sie ausgelöst werden.",
  back: "Zurück zu allen",
};
