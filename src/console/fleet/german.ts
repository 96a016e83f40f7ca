import { plural } from "../language/plural.js";
import type { english } from "./english.js";

const count = plural("de");

export const german: typeof english = {
  onlineWith: (concerning) => (concerning === 0 ? "Online" : count(concerning, "Online, # zu prüfen")),
  offlineSince: (moment) => `Offline, zuletzt ${moment}`,
  workingWith: (concerning) => (concerning === 0 ? "Keine Probleme" : count(concerning, "# zu prüfen")),
  localTime: "Ortszeit",
  zoneUnknown: (zone, used) =>
    `Das Gateway kennt die Zeitzone ${zone} nicht: Zeiten und Tage folgen ${used}.`,
  zoneUnknownHere: (zone) => `Dieser Browser kennt die Zeitzone ${zone} nicht: Zeiten sind in UTC.`,
  today: (alerts) => count(alerts, "# Alarm heute", "# Alarme heute"),
  usual: (alerts, weekday) => `${weekday}s üblich: ${count(alerts, "#")}`,
  usualUnknown: "noch kein Vergleich",
  state: "Zustand",
  concern: "Zu prüfen",
  stateAges: {
    FACILITY_OFFLINE: (moment) => `Standort zuletzt gesehen ${moment}`,
    NO_STREAM: (moment) => `Stream verloren ${moment}`,
    FAULT_REPORTED: (moment) => `Gemeldet ${moment}`,
    NEVER_CONNECTED: (moment) => `Hinzugefügt ${moment}`,
    PICTURE_OLD: (moment) => `Letztes Bild ${moment}`,
    WORKING: (moment) => `Bild ${moment}`,
  },
  noMatchText: "Eine andere Suche oder weniger Filter helfen vielleicht.",
  clearFilters: "Alle Filter entfernen",
  newestAlert: "Neuester Alarm",
  noAlerts: "Noch keine Alarme",
  keyConcern: "Nur zeigen, was zu prüfen ist, oder alles",
};
