import { withText } from "../../platform/text/plural.js";
import type { SessionTexts } from "./english.js";

export const german: SessionTexts = {
  signIn: {
    title: "Anmelden",
    lead: "Standorte, Kameras und Alarme, live.",
    withDemo: "Mit der Demo fortfahren",
    withProvider: "Anmelden",
    providerHint: withText("Sie werden zu # weitergeleitet."),
    otherwise: "Anders anmelden",
    credential: "Token oder API-Schlüssel",
    byLink: "Mit dem Link anmelden",
    byLinkAs: withText("Als # anmelden"),
    remember: "Auf diesem Gerät 30 Tage angemeldet bleiben",
    invited: (workspace, inviter) =>
      inviter ? `${inviter} lädt Sie zu ${workspace} ein.` : `Sie sind zu ${workspace} eingeladen.`,
    email: "E-Mail-Adresse",
    mailLink: "Link zusenden",
    linkMailed:
      "Wenn jemand mit dieser Adresse Zugang hat, ist ein Link dorthin unterwegs. Er gilt einmal, 15 Minuten lang.",
    noAddress: "Geben Sie eine E-Mail-Adresse ein.",
    linkRefused:
      "Dieser Link wurde schon benutzt oder durch einen neueren ersetzt. Bitten Sie um einen neuen.",
    ended: "Ihr Zugang ist beendet. Bitten Sie die Verwaltung, ihn zu verlängern.",
    linkExpired: "Dieser Link ist abgelaufen. Bitten Sie um einen neuen.",
    linkIncomplete:
      "Dieser Link ist unvollständig. Kopieren Sie ihn ganz, oder öffnen Sie ihn direkt in der E-Mail.",
    credentialSource:
      "Ein Administrator erstellt Schlüssel und lädt Personen ein; der Betreiber gibt Token mit npm run token aus, Links mit npm run sign-in.",
    credentialHint:
      "Er bleibt in den Tabs dieses Browsers, bis der letzte geschlossen ist, und wird nur an dieses Gateway gesendet.",
    submit: "Weiter",
    missing: "Geben Sie ein Token oder einen API-Schlüssel ein.",
    refused: "Das Gateway akzeptiert ihn nicht: Vielleicht ist er vertippt oder widerrufen.",
    expired: "Er ist abgelaufen. Besorgen Sie sich einen neuen.",
    failed: withText("Die Anmeldung ist fehlgeschlagen: #"),
    nothingKept:
      "Dieser Browser speichert nichts für diese Seite, etwa weil Cookies blockiert sind, so dass Sie von dort nicht zurückkehren könnten. Erlauben Sie es, oder geben Sie ein Token ein.",
    progress: "Anmeldung läuft …",
  },
  linkQuestion: {
    title: "Mit dem Link anmelden?",
    text: withText(
      "Sie sind als # angemeldet. Der Link kann jemand anderem gehören: Er meldet stattdessen diese Person an, in allen Tabs dieses Browsers.",
    ),
    stay: "Angemeldet bleiben",
  },
  expired: {
    title: "Ihre Sitzung ist beendet",
    text: "Das Gateway akzeptiert das Token oder den Schlüssel nicht mehr: abgelaufen, oder der Zugang wurde entzogen. Melden Sie sich erneut an, um hier weiterzumachen.",
  },
};
