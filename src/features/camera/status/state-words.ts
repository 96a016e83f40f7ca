import type { LanguageCode } from "../../../platform/text/language.js";

const english = {
  FACILITY_OFFLINE: "Facility offline",
  NO_STREAM: "No stream",
  FAULT_REPORTED: "Fault reported",
  NEVER_CONNECTED: "Never connected",
  PICTURE_OLD: "Old picture",
  WORKING: "Working",
};

/** What the states of cameras are called, in messages and in the console. */
export const cameraStateWords = {
  en: english,
  de: {
    FACILITY_OFFLINE: "Standort offline",
    NO_STREAM: "Kein Stream",
    FAULT_REPORTED: "Störung gemeldet",
    NEVER_CONNECTED: "Nie verbunden",
    PICTURE_OLD: "Altes Bild",
    WORKING: "In Betrieb",
  },
} satisfies Record<LanguageCode, typeof english>;
