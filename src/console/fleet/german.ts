import { plural } from "../language/plural.js";
import type { FleetTexts } from "./english.js";

const number = new Intl.NumberFormat("de");
const count = plural("de", number);

/** The texts of the fleet in German. */
export const german: FleetTexts = {
  onlineWith: (concerning) =>
    concerning === 0
      ? "Online"
      : count(concerning, { one: "Online, # zu prüfen", other: "Online, # zu prüfen" }),
  offlineSince: (moment) => `Offline, zuletzt ${moment}`,
  neverOnline: "Noch nie online",
  localTime: "Ortszeit",
  zoneUnknown: (zone, used) =>
    `Das Gateway kennt die Zeitzone ${zone} nicht: Zeiten und Tage folgen ${used}.`,
  zoneUnknownHere: (zone) => `Dieser Browser kennt die Zeitzone ${zone} nicht: Zeiten sind in UTC.`,
  today: (alerts) => count(alerts, { one: "# Alarm heute", other: "# Alarme heute" }),
  usual: (alerts, weekday) => `${weekday}s üblich: ${number.format(alerts)}`,
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
  found: (cameras) => count(cameras, { one: "# Kamera", other: "# Kameras" }),
  noMatchText: "Eine andere Suche oder weniger Filter helfen vielleicht.",
  clearFilters: "Alle Filter entfernen",
  newestAlert: "Neuester Alarm",
  noAlerts: "Noch keine Alarme",
  keyConcern: "Nur zeigen, was zu prüfen ist, oder alles",
};
