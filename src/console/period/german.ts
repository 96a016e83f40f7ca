import { plural } from "../language/plural.js";
import type { english } from "./english.js";

const count = plural("de");

export const german: typeof english = {
  presets: {
    today: "Heute",
    yesterday: "Gestern",
    lastNight: "Letzte Nacht",
    thisWeek: "Diese Woche",
    lastWeek: "Letzte Woche",
    "24h": "Letzte 24 Stunden",
    "7d": "Letzte 7 Tage",
    "30d": "Letzte 30 Tage",
  },
  relativeDay: (days) =>
    days === 0 ? "Heute" : days === 1 ? "Gestern" : count(days, "vor # Tag", "vor # Tagen"),
  always: "Gesamte Zeit",
  from: "Von",
  to: "Bis",
  yourTime: (zone) => `Ihre Zeit, ${zone}`,
  relativeWeek: (weeks) =>
    weeks === 0 ? "Diese Woche" : weeks === 1 ? "Letzte Woche" : count(weeks, "vor # Woche", "vor # Wochen"),
  localDays:
    "Tage, Nächte und Wochen nach der Uhr jedes Standorts. Eine Nacht dauert von 18:00 bis 06:00 Uhr.",
  hours: "Alarme nach Uhrzeit",
  hoursHint:
    "Nach der Uhr jedes Standorts. Stunden auswählen oder über mehrere ziehen, um nur deren Alarme zu sehen.",
  hourOf: (hour, alerts) => `Ab ${hour}: ${count(alerts, "# Alarm", "# Alarme")}`,
};
