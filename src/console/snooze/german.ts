import type { english } from "./english.js";

export const german: typeof english = {
  snooze: "Stummschalten",
  title: (name) => `„${name}“ stummschalten`,
  effects: {
    camera:
      "Über ihre Alarme wird niemand benachrichtigt, und Regeln, die das Gateway auswertet, lösen keine aus. Ausfälle werden trotzdem gemeldet.",
    rule: "Über ihre Alarme wird niemand benachrichtigt. Wertet das Gateway sie aus, löst sie keine aus.",
  },
  howLong: "Wie lange?",
  choices: {
    hour: "1 Stunde",
    tomorrow: (time) => `Bis morgen, ${time}`,
    day: "1 Tag",
    time: "Bis",
  },
  time: "Tag und Uhrzeit",
  facilityTime: (zone) => `am Standort (${zone})`,
  problems: { until: "Wählen Sie einen Zeitpunkt in den nächsten 30 Tagen." },
  until: "Stumm bis",
  by: (person) => `von ${person}`,
  change: "Stummschaltung ändern",
  end: "Stummschaltung beenden",
};
