import type { LanguageCode } from "../../../platform/text/language.js";
import { statesInEnglish } from "../../camera/status/states-in-english.js";
import { statesInGerman } from "../../camera/status/states-in-german.js";
import type { SeverityGroup } from "../digest-content.js";

const counted =
  (one: string, several: string) =>
  (count: number): string =>
    `${count} ${count === 1 ? one : several}`;

const english = {
  heading: "The last 24 hours",
  openAlerts: counted("open alert", "open alerts"),
  noneOpen: (raised: number) => `${counted("alert", "alerts")(raised)}, none open`,
  noAlerts: "no alerts",
  awayCameras: counted("camera away", "cameras away"),
  awayFacilities: counted("facility away", "facilities away"),
  period: "When",
  fromTo: (from: string, to: string) => `${from} to ${to}`,
  alerts: "Alerts",
  raisedAndOpen: (raised: number, open: number) => `${raised}, ${open} of them open`,
  open: "Open",
  severities: {
    CRITICAL: (count) => `${count} critical`,
    HIGH: (count) => `${count} high`,
    MEDIUM: (count) => `${count} medium`,
    LOW: (count) => `${count} low`,
    OTHER: (count) => `${count} of other severities`,
    NONE: (count) => `${count} without severity`,
  } satisfies Record<SeverityGroup, (count: number) => string>,
  worstHour: "Worst hour",
  hour: (from: string, to: string, alerts: number) =>
    `${from} to ${to}, ${counted("alert", "alerts")(alerts)}`,
  openInAll: "Open in all",
  openByFacility: "Open alerts by facility",
  facilitiesAway: `${statesInEnglish.FACILITY_OFFLINE} since`,
  camerasAway: `${statesInEnglish.NO_STREAM} since`,
  openCount: (count: number) => `${count} open`,
  furtherFacilities: (count: number) => `and ${counted("more facility", "more facilities")(count)}`,
  furtherCameras: (count: number) => `and ${counted("more camera", "more cameras")(count)}`,
  showAlerts: "Alerts",
  showFacility: "Facility",
  showCamera: "Camera",
  openAlertsLink: "Open the alerts",
  openConsole: "Open the console",
  changeDigest: "Change or end this digest",
  footer: "You get this mail because you asked for a digest in your profile.",
};

const german: typeof english = {
  heading: "Die letzten 24 Stunden",
  openAlerts: counted("offener Alarm", "offene Alarme"),
  noneOpen: (raised) => `${counted("Alarm", "Alarme")(raised)}, keiner offen`,
  noAlerts: "keine Alarme",
  awayCameras: counted("Kamera ausgefallen", "Kameras ausgefallen"),
  awayFacilities: counted("Standort ausgefallen", "Standorte ausgefallen"),
  period: "Zeitraum",
  fromTo: (from, to) => `${from} bis ${to}`,
  alerts: "Alarme",
  raisedAndOpen: (raised, open) => `${raised}, davon ${open} offen`,
  open: "Offen",
  severities: {
    CRITICAL: (count) => `${count} kritisch`,
    HIGH: (count) => `${count} hoch`,
    MEDIUM: (count) => `${count} mittel`,
    LOW: (count) => `${count} niedrig`,
    OTHER: (count) => `${count} mit anderem Schweregrad`,
    NONE: (count) => `${count} ohne Schweregrad`,
  },
  worstHour: "Schlimmste Stunde",
  hour: (from, to, alerts) => `${from} bis ${to}, ${counted("Alarm", "Alarme")(alerts)}`,
  openInAll: "Insgesamt offen",
  openByFacility: "Offene Alarme nach Standort",
  facilitiesAway: `${statesInGerman.FACILITY_OFFLINE} seit`,
  camerasAway: `${statesInGerman.NO_STREAM} seit`,
  openCount: (count) => `${count} offen`,
  furtherFacilities: (count) => `und ${counted("weiterer Standort", "weitere Standorte")(count)}`,
  furtherCameras: (count) => `und ${counted("weitere Kamera", "weitere Kameras")(count)}`,
  showAlerts: "Alarme",
  showFacility: "Standort",
  showCamera: "Kamera",
  openAlertsLink: "Alarme öffnen",
  openConsole: "Konsole öffnen",
  changeDigest: "Diese Übersicht ändern oder beenden",
  footer: "Sie bekommen diese E-Mail, weil Sie in Ihrem Profil eine tägliche Übersicht bestellt haben.",
};

export const digestWords: Record<LanguageCode, typeof english> = { en: english, de: german };
