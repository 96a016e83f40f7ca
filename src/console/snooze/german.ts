import { withText } from "../language/plural.js";
import type { english } from "./english.js";

export const german: typeof english = {
  snooze: "Stummschalten",
  title: withText("„#“ stummschalten"),
  effects: {
    camera:
      "Über ihre Alarme wird niemand benachrichtigt, und Regeln, die das Gateway auswertet, lösen keine aus. Ausfälle werden trotzdem gemeldet.",
    facility:
      "Alle seine Kameras sind stumm: Über ihre Alarme wird niemand benachrichtigt, und Regeln, die das Gateway auswertet, lösen keine aus. Ausfälle werden trotzdem gemeldet.",
    rule: "Über ihre Alarme wird niemand benachrichtigt. Wertet das Gateway sie aus, löst sie keine aus.",
  },
  howLong: "Wie lange?",
  choices: {
    hour: "1 Stunde",
    tomorrow: withText("Bis morgen, #"),
    day: "1 Tag",
    time: "Bis",
  },
  time: "Tag und Uhrzeit",
  facilityTime: withText("am Standort (#)"),
  from: "Ab",
  fromHint: withText("sonst ab jetzt (#)"),
  reason: "Grund",
  problems: {
    from: "Wählen Sie einen Zeitpunkt vor dem Ende.",
    until: "Wählen Sie einen Zeitpunkt in den nächsten 30 Tagen.",
    reason: "Geben Sie höchstens 200 Zeichen ein.",
  },
  until: "Stumm bis",
  fromUntil: ["Stumm von", "bis"],
  whose: { camera: "Kamera:", facility: "Standort:" },
  selection: {
    snooze: "Kameras stummschalten",
    title: "Kameras stummschalten",
    effect:
      "Über ihre Alarme wird niemand benachrichtigt, und Regeln, die das Gateway auswertet, lösen keine aus. Ausfälle werden trotzdem gemeldet.",
    all: "Alle auswählen",
  },
  by: withText("von #"),
  change: "Stummschaltung ändern",
  end: "Stummschaltung beenden",
};
