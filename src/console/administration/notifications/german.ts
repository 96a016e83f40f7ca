import { statesInGerman } from "../../../features/camera/status/states-in-german.js";
import type { english } from "./english.js";

export const german: typeof english = {
  empty: "Noch wurde nichts gesendet",
  emptyText: "E-Mails, Textnachrichten und Webhooks über Alarme und Ausfälle stehen hier, auch Einladungen.",
  noMatch: "Keine Benachrichtigung passt.",
  channel: "Kanal",
  state: "Zustand",
  all: "Alle",
  states: { PENDING: "Wartet", SENT: "Gesendet", PARKED: "Aufgegeben" },
  kinds: {
    ALERT: "Alarm",
    CLIP: "Clip",
    CAMERA_LOST: statesInGerman.NO_STREAM,
    CAMERA_RECOVERED: "Wieder in Betrieb",
    FACILITY_BACK: "Standort zurück",
    FACILITY_OFFLINE: statesInGerman.FACILITY_OFFLINE,
    INVITATION: "Einladung",
    DIGEST: "Tägliche Übersicht",
    TEST: "Test",
  },
  attempts: (attempts) => (attempts === 1 ? "1 Versuch" : `${attempts} Versuche`),
  resend: "Erneut senden",
  resendAll: (count) =>
    count === 1 ? "Die aufgegebene erneut senden" : `Alle ${count} aufgegebenen erneut senden`,
  resendTitle: (count) =>
    count === 1 ? "1 Benachrichtigung erneut senden?" : `${count} Benachrichtigungen erneut senden?`,
  resendText:
    "Jede geht noch einmal an ihr Ziel, auch wenn ihr Anlass lange vorbei ist. Das lässt sich nicht zurücknehmen.",
  resendCut: "Es passen noch mehr: Dies sind die neuesten.",
  resendRefused: (count) =>
    `${count} weitere bleiben aus, weil Sie an ihren Standorten keine Regeln ändern dürfen.`,
  resendRest: (count) => `Die übrigen ${count} erneut senden`,
  resendProgress: "Benachrichtigungen, die erneut gesendet werden",
  resentSoFar: (sent, count) => `${sent} von ${count}`,
  resent: (count) => (count === 1 ? "Sie wird erneut gesendet." : `${count} werden erneut gesendet.`),
  channels: "Kanäle dieses Gateways",
  setUp: "Eingerichtet",
  missing: {
    EMAIL: "Nicht eingerichtet: Der Betreiber setzt SMTP_URL und MAIL_FROM.",
    SMS: "Nicht eingerichtet: Der Betreiber setzt TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN und TWILIO_FROM.",
    WEBHOOK: "Nicht eingerichtet.",
  },
};
