import { plural, withText } from "../../platform/text/plural.js";
import type { english } from "./english.js";

const count = plural("de");

export const german: typeof english = {
  snooze: { camera: "Stummschalten", facility: "Standort stummschalten", rule: "Stummschalten" },
  submit: "Stummschalten",
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
  ownTime: withText("nach Ihrer Uhr (#)"),
  from: "Ab",
  fromHint: withText("sonst ab jetzt (#)"),
  reason: "Grund",
  problems: {
    from: "Wählen Sie einen Zeitpunkt vor dem Ende.",
    until: "Wählen Sie einen Zeitpunkt in den nächsten 30 Tagen.",
    reason: "Geben Sie höchstens 200 Zeichen ein.",
  },
  until: "Stumm bis",
  fromUntil: ["Wird stummgeschaltet von", "bis"],
  whose: { camera: "Kamera:", facility: "Standort:" },
  selection: {
    snooze: "Kameras stummschalten",
    effect:
      "Über ihre Alarme wird niemand benachrichtigt, und Regeln, die das Gateway auswertet, lösen keine aus. Ausfälle werden trotzdem gemeldet.",
    all: "Alle auswählen",
    missing: "Wählen Sie mindestens eine Kamera.",
    done: count("# Kamera ist stummgeschaltet.", "# Kameras sind stummgeschaltet."),
  },
  by: withText("von #"),
  change: "Stummschaltung ändern",
  end: "Stummschaltung beenden",
  quiet: "Zurzeit stumm",
};
