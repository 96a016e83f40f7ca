import type { english } from "./english.js";

export const german: typeof english = {
  byGateway: "Das Gateway wertet sie aus.",
  byDetector: "Das Gateway wertet sie nicht aus: Der Detektor selbst löst ihre Alarme aus.",
  lastFrame: "Letztes Einzelbild eines Detektors",
  noFrame: "Noch kein Einzelbild eines Detektors.",
  unevaluated:
    "Das Gateway wertet keine Regel dieser Kamera aus, deshalb entsteht aus ihren Einzelbildern kein Alarm.",
  allQuiet: "Keine Regel kann jetzt einen Alarm auslösen.",
  quiet: {
    INACTIVE: "Nicht aktiv: löst nichts aus.",
    SNOOZED: "Jetzt stummgeschaltet: löst nichts aus.",
    OUTSIDE_WINDOW: "Jetzt außerhalb ihrer Zeiten: löst nichts aus.",
  },
};
