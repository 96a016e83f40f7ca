import type { english } from "./english.js";

/** The texts about the profile and the digest in German. */
export const german: typeof english = {
  profile: {
    name: "Name und Position",
    firstName: "Vorname",
    lastName: "Nachname",
    jobTitle: "Position",
    phone: "Telefonnummer",
    phoneHint: "in nationalem oder internationalem Format",
    region: "Land",
    picture: "Bild",
    choosePicture: "Bild wählen",
    pictureHint: "JPEG, PNG oder WebP. Es wird quadratisch zugeschnitten.",
    unreadable: "Dieses Bild lässt sich nicht lesen.",
    zoom: "Vergrößerung",
    cropKeys: "Das Bild. Die Pfeiltasten verschieben es.",
    savePicture: "Dieses Bild speichern",
    email: "E-Mail-Adresse",
    sessions: "Sitzungen",
    signOutEverywhere: "Überall abmelden",
    signOutText: "Beendet Ihre Sitzungen in allen Browsern, auch in diesem.",
    isKey: "Ein API-Schlüssel hat kein Profil.",
    display: "Sprache und Darstellung in diesem Browser",
    mailLanguage: (language: string) => `Mails an Sie werden auf ${language} geschrieben.`,
    changeMailLanguage: (language: string) => `Auf ${language} schreiben`,
    problems: {
      firstName: "Geben Sie 1 bis 100 Zeichen ein.",
      lastName: "Geben Sie 1 bis 100 Zeichen ein.",
      jobTitle: "Geben Sie höchstens 200 Zeichen ein.",
      phoneNumber: "Geben Sie eine Nummer ein, die in diesem Land gültig ist.",
      region: "Wählen Sie ein Land.",
    },
  },
  digest: {
    title: "Tägliche Übersicht",
    text: "Eine E-Mail über die letzten 24 Stunden: offene Alarme, die schlimmste Stunde und was ausgefallen ist. Sie wird nicht gesendet, wenn nichts geschehen und nichts ausgefallen ist.",
    enabled: "Jeden Tag senden",
    at: "Uhrzeit",
    off: "Aus",
    summary: (time, zone, where) => `Um ${time} (${zone}), ${where}`,
    everywhere: "alle Standorte",
    noAddress:
      "Sie kann nicht gesendet werden, da Sie keine E-Mail-Adresse haben. Wer Personen verwaltet, kann eine eintragen.",
    noChannel: "Sie kann nicht gesendet werden: Dieses Gateway ist nicht für E-Mail eingerichtet.",
    problems: {
      enabled: "Sie haben keine E-Mail-Adresse.",
      at: "Geben Sie eine Uhrzeit von 00:00 bis 23:59 ein.",
      timeZoneId: "Geben Sie den Namen einer Zeitzone ein, etwa Europe/Berlin.",
      facilityIds: "Wählen Sie höchstens 1000 Standorte.",
    },
  },
};
