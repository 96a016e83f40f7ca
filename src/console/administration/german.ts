import type { AdministrationTexts } from "./english.js";

/** The texts of the settings in German. */
export const german: AdministrationTexts = {
  parts: {
    label: "Einstellungen",
    facilities: "Standorte und Kameras",
    people: "Personen",
    apiKeys: "API-Schlüssel",
    connectors: "Konnektoren",
    notifications: "Benachrichtigungen",
    auditLog: "Änderungsprotokoll",
    workspace: "Arbeitsbereich",
    profile: "Profil",
  },
  actions: { edit: "Bearbeiten", delete: "Löschen" },
  adding: {
    facility: "Standort hinzufügen",
    camera: "Kamera hinzufügen",
    cameras: "Kameras aus CSV hinzufügen",
    person: "Jemanden einladen",
    key: "Schlüssel erstellen",
  },
  saved: "Gespeichert.",
  permissions: {
    "facilities:read": "Standorte sehen",
    "facilities:write": "Standorte ändern",
    "cameras:read": "Kameras sehen",
    "cameras:write": "Kameras ändern und löschen, ihre Passwörter sehen",
    "alerts:read": "Alarme sehen",
    "alerts:write": "Alarme melden, markieren und kommentieren",
    "alerts:delete": "Alarme löschen",
    "alert-rules:write": "Regeln und ihre Ziele ändern",
    "users:read": "Personen und das Änderungsprotokoll sehen",
    "users:write": "Personen und ihre Berechtigungen ändern",
    "api-keys:write": "API-Schlüssel ändern",
  },
};
