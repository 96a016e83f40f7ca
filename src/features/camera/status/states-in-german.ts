import type { statesInEnglish } from "./states-in-english.js";

export const statesInGerman: typeof statesInEnglish = {
  FACILITY_OFFLINE: "Standort offline",
  NO_STREAM: "Kein Stream",
  FAULT_REPORTED: "Störung gemeldet",
  NEVER_CONNECTED: "Nie verbunden",
  PICTURE_OLD: "Altes Bild",
  WORKING: "In Betrieb",
};
