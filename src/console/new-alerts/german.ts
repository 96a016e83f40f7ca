import { withText } from "../../platform/text/plural.js";
import type { english } from "./english.js";

export const german: typeof english = {
  title: "Neue Alarme, in diesem Browser",
  text: "Solange die Konsole in einem Tab geöffnet ist, zeigen dessen Titel und Symbol die Zahl der offenen Alarme. Auf neue kann sie auch so hinweisen:",
  notification: "Mit einer Benachrichtigung, solange der Tab im Hintergrund ist",
  notificationShown: "So sehen neue Alarme aus",
  notificationDenied:
    "Der Browser blockiert Benachrichtigungen dieser Seite. Erlauben Sie sie in den Einstellungen des Browsers für diese Seite, und wählen Sie noch einmal.",
  notificationMissing:
    "Dieser Browser zeigt keine Benachrichtigungen dieser Seite. Sie brauchen HTTPS und einen Computer.",
  sound: "Mit einem Ton",
  soundHint: "Nach dem Laden der Seite bleiben Browser stumm, bis Sie darin klicken oder eine Taste drücken.",
  many: withText("# weitere neue Alarme"),
};
