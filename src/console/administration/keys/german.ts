import type { english } from "./english.js";

/** The texts about API keys in German. */
export const german: typeof english = {
  addTitle: "API-Schlüssel erstellen",
  empty: "Noch keine API-Schlüssel",
  emptyText: "Geräte und Programme melden sich mit einem Schlüssel an, etwa ein Detektor, der Alarme meldet.",
  search: "Schlüssel suchen",
  name: "Name",
  permissions: "Was er darf",
  limit: "Wo",
  everywhere: "An allen Standorten",
  facilityCount: (facilities) => (facilities === 1 ? "1 Standort" : `${facilities} Standorte`),
  expires: "Läuft ab",
  never: "nie",
  lastUsed: "Zuletzt benutzt",
  expired: "Abgelaufen",
  revoked: "Widerrufen",
  active: "Aktiv",
  showEnded: "Beendete Schlüssel anzeigen",
  editTitle: (name) => `„${name}“ ändern`,
  fixed:
    "Was ein Schlüssel darf und wo, lässt sich nicht ändern: Erstellen Sie dafür einen anderen. Mit dem Ablauf enden alle Geheimnisse des Schlüssels.",
  hasEnded: "Dieser Schlüssel wurde widerrufen oder ist abgelaufen und lässt sich nicht mehr ändern.",
  rotate: "Erneuern",
  rotateTitle: (name) => `„${name}“ ein neues Geheimnis geben?`,
  rotateText:
    "Das alte Geheimnis gilt noch 24 Stunden, damit Geräte in der Zwischenzeit umgestellt werden können.",
  revoke: "Widerrufen",
  revokeTitle: (name) => `„${name}“ widerrufen?`,
  revokeText:
    "Alles, was diesen Schlüssel benutzt, verliert sofort den Zugang, mit dem jetzigen Geheimnis wie mit einem von vor der Erneuerung. Ein widerrufener Schlüssel lässt sich nicht zurückholen.",
  wasRevoked: (name) => `„${name}“ wurde widerrufen.`,
  created: "Der Schlüssel wurde erstellt",
  createdText: "Kopieren Sie ihn jetzt: Er wird nicht noch einmal angezeigt.",
  key: "Schlüssel",
  tryIt: "Ausprobieren",
  problems: {
    name: "Geben Sie 1 bis 200 druckbare Zeichen ein.",
    permissions: "Wählen Sie mindestens eine Berechtigung.",
    facilityIds: "Wählen Sie höchstens 1000 Standorte.",
    expiresAt: "Geben Sie einen Zeitpunkt in der Zukunft ein.",
  },
};
