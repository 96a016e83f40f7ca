import { germanAlertTypes } from "../../features/alert/german-alert-types.js";
import { statesInGerman } from "../../features/camera/status/states-in-german.js";
import { plural, withText } from "../../platform/text/plural.js";
import type { Messages, TodayPeriod } from "./en.js";

const count = plural("de");

const inPeriod: Record<TodayPeriod, string> = {
  visit: "seitdem",
  lastNight: "aus der letzten Nacht",
  "24h": "aus den letzten 24 Stunden",
  "7d": "aus den letzten 7 Tagen",
};

export const de: Messages = {
  product: "Kamera-Monitoring",
  pages: {
    label: "Seiten",
    skip: "Zum Inhalt springen",
    console: "Konsole",
    developers: "Entwicklung",
    playground: "Playground",
    docs: "REST",
  },
  views: {
    label: "Ansichten",
    today: "Heute",
    fleet: "Kameras",
    alerts: "Alarme",
    rules: "Regeln",
    insight: "Auswertung",
    settings: "Einstellungen",
    camera: "Kamera",
  },
  settings: {
    facilities: "Standorte und Kameras",
    people: "Personen",
    keys: "API-Schlüssel",
    connectors: "Konnektoren",
    notifications: "Benachrichtigungen",
    audit: "Änderungsprotokoll",
    workspace: "Arbeitsbereich",
    profile: "Profil",
  },
  adding: {
    facility: "Standort hinzufügen",
    camera: "Kamera hinzufügen",
    cameras: "Kameras aus CSV hinzufügen",
    person: "Jemanden einladen",
    key: "Schlüssel erstellen",
  },
  palette: "Suchen und öffnen",
  savedViews: "Gespeicherte Ansichten",
  common: {
    alerts: count("# Alarm", "# Alarme"),
    loading: "Wird geladen …",
    retry: "Erneut versuchen",
    close: "Schließen",
    clear: "Leeren",
    showMore: "Mehr anzeigen",
    more: "Mehr",
    andMore: count("und # weitere"),
    unknown: "Unbekannt",
    undo: "Rückgängig",
    undone: "Rückgängig gemacht.",
  },
  forms: {
    cancel: "Abbrechen",
    save: "Speichern",
    name: "Name",
    change: "Ändern",
    delete: "Löschen",
    editTitle: withText("„#“ ändern"),
    deleteTitle: withText("„#“ löschen?"),
    added: withText("„#“ wurde hinzugefügt."),
    deleted: withText("„#“ wurde gelöscht."),
  },
  account: {
    label: "Konto",
    key: "API-Schlüssel",
    workspace: withText("Arbeitsbereich #"),
    language: "Sprache",
    theme: "Darstellung",
    themes: { system: "Wie das System", light: "Hell", dark: "Dunkel" },
    signedOut: "Nicht angemeldet",
    signIn: "Anmelden",
    signOut: "Abmelden",
  },
  keys: {
    title: "Tastaturkürzel",
    everywhere: "Überall",
    show: "Diese Tasten zeigen",
    on: "Auf diese Tasten reagieren",
    thenKey: "dann",
    goTo: withText("Zu #"),
  },
  connection: {
    lost: "Verbindung verloren. Was Sie sehen, ist vielleicht veraltet und wird aktualisiert, sobald sie wieder da ist. Neuer Versuch läuft …",
    back: "Wieder verbunden.",
  },
  clock: {
    behind: withText(
      "Die Uhr dieses Computers geht gegenüber der des Gateways nach: #. Zeiten und Zeiträume hier folgen dem Gateway.",
    ),
    ahead: withText(
      "Die Uhr dieses Computers geht gegenüber der des Gateways vor: #. Zeiten und Zeiträume hier folgen dem Gateway.",
    ),
  },
  failures: {
    unreachable: {
      title: "Das Gateway ist nicht erreichbar",
      text: "Prüfen Sie das Netzwerk. Die Konsole versucht es von selbst erneut.",
    },
    unavailable: {
      title: "Das Gateway kann gerade nicht antworten",
      text: "Es ist ausgelastet, oder etwas fehlt, das es braucht. Die Konsole versucht es von selbst erneut.",
    },
    unrenewed: {
      title: "Ihre Anmeldung konnte nicht erneuert werden",
      text: "Der Identitätsanbieter antwortet nicht. Die Konsole versucht es von selbst erneut.",
    },
    limited: {
      title: "Zu viele Anfragen",
      text: "Das Limit ist im Moment ausgeschöpft. Versuchen Sie es in einer Minute erneut.",
    },
    forbidden: {
      title: "Das ist für Sie nicht freigegeben",
      text: "Ihrem Konto fehlt eine Berechtigung. Die Administration kann sie erteilen.",
    },
    invalid: {
      title: "Das Gateway hat diese Ansicht abgelehnt",
      text: "Die Adresse nennt vielleicht etwas, das es nicht gibt.",
    },
    internal: {
      title: "Etwas ist schiefgegangen",
      text: "Das Gateway hat den Fehler protokolliert. Ein neuer Versuch hilft vielleicht.",
    },
    unexpected: { title: "Etwas ist schiefgegangen", text: "Ein neuer Versuch hilft vielleicht." },
  },
  changes: {
    offline:
      "Nichts ist geschehen: Das Gateway ist nicht erreichbar. Wiederholen Sie es, sobald es wieder da ist; von selbst wird nichts nachgeholt.",
    refused: withText("Nichts wurde geändert: #"),
    unknown: withText(
      "Ob das ausgeführt wurde, ist nicht bekannt. Sehen Sie nach, bevor Sie es wiederholen: #",
    ),
  },
  broken: {
    updated: {
      title: "Dieser Teil konnte nicht geladen werden",
      text: "Das Gateway wurde aktualisiert. Laden Sie die Seite neu.",
    },
    part: {
      title: "Dieser Teil konnte nicht angezeigt werden",
      text: "Laden Sie die Seite neu, um es erneut zu versuchen.",
    },
    page: {
      title: "Die Konsole kann nicht angezeigt werden",
      text: "Laden Sie die Seite neu. Hilft das nicht, beginnen Sie von vorn: Das vergisst, was hier gewählt wurde, und meldet Sie ab.",
    },
    reload: "Neu laden",
    startOver: "Von vorn beginnen",
  },
  notFound: {
    title: "Diese Ansicht gibt es nicht",
    text: "Die Adresse führt ins Leere. Sie stammt vielleicht aus einer anderen Version.",
    home: "Zu „Heute“",
    fleet: "Zu den Kameras",
  },
  today: {
    raised: (alerts, period) =>
      `${count("# Alarm", "# Alarme")(alerts)} ${inPeriod[period]}, mit Fehlalarmen und Beobachtungen`,
    none: (period) => `Keiner ${inPeriod[period]}`,
    period: {
      label: "Zeitraum",
      names: {
        visit: "Seit meinem letzten Besuch",
        lastNight: "Letzte Nacht",
        "24h": "Letzte 24 Stunden",
        "7d": "Letzte 7 Tage",
      },
    },
    lead: {
      chosen: (period) =>
        `Was in ${{ lastNight: "der letzten Nacht", "24h": "den letzten 24 Stunden", "7d": "den letzten 7 Tagen" }[period]} geschehen ist und was jetzt jemanden braucht.`,
      since: (moment, ago) =>
        `Was seit Ihrem letzten Besuch (${moment}, ${ago}) geschehen ist und was jetzt jemanden braucht.`,
      first: withText("Was in den letzten 24 Stunden, seit #, geschehen ist und was jetzt jemanden braucht."),
      cut: (seen, moment) =>
        `Was in den letzten 31 Tagen, seit ${moment}, geschehen ist und was jetzt jemanden braucht. Zuletzt waren Sie am ${seen} hier.`,
    },
    nothing: "Nichts zu tun.",
    nothingText: "Kein Alarm ist offen, und alle Kameras sind in Betrieb.",
    open: {
      title: "Offene Alarme",
      raised: (alerts, period) =>
        `${count("# offener Alarm", "# offene Alarme")(alerts)} ${inPeriod[period]}`,
      none: "Keiner ist offen",
      inAll: count("Insgesamt # offen, aus der gesamten Zeit"),
    },
    grave: withText("Neueste offene Alarme: #"),
    away: {
      title: "Ausgefallen",
      cameras: count("# Kamera zu prüfen", "# Kameras zu prüfen"),
      inState: (state, cameras) => `${state} ${count("#")(cameras)}`,
      none: "Alle Kameras sind in Betrieb",
    },
    night: {
      title: "Letzte Nacht",
      none: "Keine Alarme",
      times: (from, until) => `Von ${from} bis ${until} Uhr.`,
      usual: "Üblich",
      before: count("# Alarm in den sieben Nächten davor", "# Alarme in den sieben Nächten davor"),
      unknown: "Noch kein Vergleich möglich.",
    },
    worstHour: {
      title: "Schlimmste Stunde",
      hour: (from, until, alerts) => `${from} – ${until}: ${count("# Alarm", "# Alarme")(alerts)}`,
      clock: "Die Tagesstunde mit den meisten Alarmen.",
    },
    acknowledged: {
      title: "Quittiert",
      raised: (alerts, period) => `${count("# Alarm", "# Alarme")(alerts)} ${inPeriod[period]} quittiert`,
      by: withText("quittiert von #"),
    },
  },
  fleet: {
    facilities: "Standorte",
    cameras: "Kameras",
    cameraCount: count("# Kamera", "# Kameras"),
    search: "Kameras suchen",
    states: statesInGerman,
    noMatch: "Keine Kamera gefunden",
    nothingVisible: "Kein Standort ist für Sie freigegeben",
    nothingVisibleText:
      "Ihr Konto hat an keinem Standort eine Berechtigung. Die Administration kann sie erteilen.",
  },
  apiCalls: {
    title: "Woraus diese Ansicht besteht",
    show: "API-Aufrufe dieser Ansicht",
  },
  facilityClock: (zones) => `Nach der Uhr des jeweiligen Standorts${zones && ` (${zones})`}.`,
  noSeverity: "Ohne Schweregrad",
  statusDetails: {
    OPERATIONAL: statesInGerman.WORKING,
    STREAM_ERROR: statesInGerman.NO_STREAM,
  },
  severities: { CRITICAL: "Kritisch", HIGH: "Hoch", MEDIUM: "Mittel", LOW: "Niedrig" },
  alertTypes: germanAlertTypes,
};
