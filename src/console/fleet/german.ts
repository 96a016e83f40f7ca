import { plural, withText } from "../../platform/text/plural.js";
import type { english } from "./english.js";

const count = plural("de");

export const german: typeof english = {
  onlineWith: (concerning) => (concerning === 0 ? "Online" : count("Online, # zu prüfen")(concerning)),
  offlineSince: withText("Offline, zuletzt #"),
  workingWith: (concerning) => (concerning === 0 ? "Keine Probleme" : count("# zu prüfen")(concerning)),
  localTime: "Ortszeit",
  zoneUnknown: (zone, used) =>
    `Das Gateway kennt die Zeitzone ${zone} nicht: Zeiten und Tage folgen ${used}.`,
  zoneUnknownHere: withText("Dieser Browser kennt die Zeitzone # nicht: Zeiten sind in UTC."),
  today: count("# Alarm heute", "# Alarme heute"),
  yesterday: count("# gestern bis zu dieser Uhrzeit"),
  state: "Zustand",
  concern: "Zu prüfen",
  stateAges: {
    FACILITY_OFFLINE: withText("Standort zuletzt gesehen #"),
    NO_STREAM: withText("Stream verloren #"),
    FAULT_REPORTED: withText("Gemeldet #"),
    NEVER_CONNECTED: withText("Hinzugefügt #"),
    PICTURE_OLD: withText("Letztes Bild #"),
    WORKING: withText("Bild #"),
  },
  noMatchText: "Eine andere Suche oder weniger Filter helfen vielleicht.",
  clearFilters: "Alle Filter entfernen",
  newestAlert: "Neuester Alarm",
  noAlerts: "Noch keine Alarme",
  keyConcern: "Nur zeigen, was zu prüfen ist, oder alles",
  noPicture: "Noch kein Bild",
  pictureElsewhere: "Bild öffnen",
  pictureOf: withText("Neuestes Bild von #"),
};
