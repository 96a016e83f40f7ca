import { withText } from "../../platform/text/plural.js";
import type { english } from "./english.js";

export const german: typeof english = {
  missing: "Diese Angabe ist nötig.",
  unfit: "Diese Angabe passt hier nicht.",
  atLeast: withText("Mindestens #."),
  atMost: withText("Höchstens #."),
  look: "Nichts wurde gespeichert: siehe die Markierungen.",
  changedMeanwhile: "Jemand anderes hat das inzwischen geändert. Nichts wurde gespeichert.",
  overwrite: "Meines trotzdem speichern",
  discardQuestion: "Das Eingegebene verwerfen?",
  discard: "Verwerfen",
  keepEditing: "Weiter bearbeiten",
};
