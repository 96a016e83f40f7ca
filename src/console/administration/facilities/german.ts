import { withText } from "../../language/plural.js";
import type { FacilityTexts } from "./english.js";

export const german: FacilityTexts = {
  facilities: {
    search: "Standorte suchen",
    empty: "Noch keine Standorte",
    emptyText:
      "Ein Standort ist ein Gelände mit Kameras, etwa ein Werk. Alarme werden nach seinen Ortstagen gezählt.",
    noMatch: "Kein Standort passt.",
    address: "Adresse",
    timeZone: "Zeitzone",
    timeZoneHint: "wie Europe/Berlin",
    movedTimes: (rules) =>
      `Tage, auch die bisheriger Alarme, ${rules === 0 ? "" : `und die Zeiten von ${rules === 1 ? "1 Regel" : `${rules} Regeln`} `}richten sich ab jetzt nach der neuen Zeitzone.`,
    latitude: "Breitengrad",
    longitude: "Längengrad",
    heartbeats: {
      never: "Er sendet keine Heartbeats: Der Zustand seiner Kameras richtet sich nach diesen allein.",
      heeded: "Ohne Heartbeats gilt er als offline.",
      ignored:
        "Seine Heartbeats werden ignoriert: Der Zustand seiner Kameras richtet sich nach diesen allein.",
      ignore: "Heartbeats ignorieren",
      heed: "Heartbeats beachten",
    },
    deleteText: (cameras) =>
      `${cameras === 1 ? "Seine Kamera" : `Seine ${cameras} Kameras`}, alle ihre Alarme, Kommentare, Regeln und Bilder verschwinden sofort aus allen Ansichten und werden dann gelöscht. Berechtigungen dort enden, und API-Schlüssel, die darauf beschränkt sind, sehen nichts mehr. Das lässt sich nicht rückgängig machen.`,
    deleteCheck: withText("Geben Sie „#“ zur Bestätigung ein"),
    problems: {
      name: "Geben Sie 1 bis 200 druckbare Zeichen ein.",
      address: "Geben Sie höchstens 500 Zeichen ein.",
      timeZoneId: "Geben Sie den Namen einer Zeitzone ein, etwa Europe/Berlin.",
      geographicCoordinates:
        "Geben Sie beides ein: einen Breitengrad von -90 bis 90 und einen Längengrad von -180 bis 180.",
    },
  },
  cameras: {
    addTitle: withText("Kamera zu „#“ hinzufügen"),
    empty: "Dieser Standort hat noch keine Kameras",
    emptyText: "Fügen Sie eine Kamera über die URL ihres Streams oder mit einem Bild hinzu.",
    list: withText("Kameras von #"),
    search: "Kameras suchen",
    noMatch: "Keine Kamera passt dazu.",
    source: "Woher ihre Bilder kommen",
    byUrl: "Von der URL ihres Streams",
    byPicture: "Von einem hochgeladenen Bild",
    picture: "Bild",
    pictureHint: "JPEG, PNG oder WebP",
    url: "URL",
    urlHint: "rtsp, rtmp, rtmps, http oder https",
    user: "Benutzer",
    password: "Passwort",
    showPassword: "Passwort anzeigen",
    showSecrets: "Ganz anzeigen",
    streamType: "Verbindung",
    streamTypes: {
      DIRECT: "Direkt",
      VPN: "Über ein VPN",
      PROXY: "Über einen Proxy",
      ALTPROXY: "Über einen Proxy anderer Art",
      HOSTEDSERVER: "Von einem gehosteten Server",
      CLIENT: "Bilder werden hochgeladen",
    },
    emailAddresses: "E-Mail-Adressen für Alarme und Ausfälle",
    note: "Notiz",
    device: "Gerät und Bilder",
    streamProtocol: "Protokoll",
    facilityNodeId: "Gerät am Standort",
    facilityNodeIdHint: "seine ID",
    width: "Breite der Bilder",
    height: "Höhe der Bilder",
    onePerLine: "eine je Zeile",
    deletedSelected: (count) => `${count} Kameras wurden gelöscht.`,
    restorable: "Das Protokoll stellt Gelöschtes 30 Tage lang wieder her, aber ohne die Alarme.",
    select: withText("# auswählen"),
    selectAll: "Alle auswählen",
    deleteSelected: (count) => (count === 1 ? "1 Kamera löschen" : `${count} Kameras löschen`),
    deleteTexts:
      "Ihre Alarme, Kommentare, Regeln, Zonen und Bilder verschwinden sofort aus allen Ansichten. Alarme werden dann gelöscht; das Übrige lässt sich 30 Tage lang im Änderungsprotokoll wiederherstellen.",
    deleteText:
      "Ihre Alarme, Kommentare, Regeln, Zonen und Bilder verschwinden sofort aus allen Ansichten. Alarme werden dann gelöscht; das Übrige lässt sich 30 Tage lang im Änderungsprotokoll wiederherstellen.",
    problems: {
      name: "Geben Sie 1 bis 200 druckbare Zeichen ein.",
      url: "Geben Sie eine URL mit rtsp, rtmp, rtmps, http oder https von höchstens 2048 Zeichen ein. *** kann nur für ein Passwort stehen, das bleibt.",
      streamType: "Wählen Sie, wie der Stream erreicht wird.",
      image: "Wählen Sie ein Bild in JPEG, PNG oder WebP.",
      streamProtocol: "Wählen Sie ein Protokoll.",
      facilityNodeId: "Geben Sie die ID eines Geräts ein, eine UUID, oder nichts.",
      imageDimensions: "Geben Sie Breite und Höhe in Pixeln ein, beide von 1 bis 1.000.000.",
      note: "Geben Sie höchstens 2000 Zeichen ein.",
      emailAddresses: (address) =>
        address === undefined
          ? "Geben Sie höchstens 50 Adressen ein."
          : `„${address}“ ist keine E-Mail-Adresse.`,
    },
  },
  firstPicture: {
    title: withText("Erstes Bild von „#“"),
    waiting: withText("Die Kamera ist gespeichert. Ihr Stream bei # wird geöffnet …"),
    late: "Das dauert länger als sonst. Sie können dies schließen: Die Seite der Kamera zeigt das Bild, sobald es kommt.",
    arrived: "Das erste Bild ist da.",
    failed:
      "Die Kamera ist gespeichert, hat aber noch kein Bild. Es wird weiter versucht, solange Sie warten.",
    change: "Kamera ändern",
  },
  cameraExport: {
    text: "Die Datei enthält die Adressen aller Kameras mit den Benutzern und Passwörtern ihrer Streams im Klartext und die Kontakte. Bewahren Sie sie so auf, dass niemand sonst sie lesen kann, und löschen Sie sie, sobald Sie sie nicht mehr brauchen.",
    save: (count) => (count === 1 ? "1 Kamera herunterladen" : `${count} Kameras herunterladen`),
  },
  cameraImport: {
    title: "Kameras aus CSV hinzufügen",
    back: "Zurück zu den Standorten",
    table: "Tabelle",
    hint: (columns, most) =>
      `Fügen Sie sie ein, oder ziehen Sie eine Datei hierher. Die erste Zeile nennt die Spalten, etwa ${columns}; bei einem einzigen Standort genügen die ersten beiden. Um Kameras hier zu ändern, exportieren Sie sie dort, wo sie aufgelistet sind. Höchstens ${most} Kameras.`,
    choose: "Datei wählen",
    example: "Beispiel herunterladen",
    preview: "Kameras der Tabelle",
    ready: (count) =>
      count === 0
        ? "Alle Kameras der Tabelle gibt es schon."
        : `${count === 1 ? "1 Kamera wird" : `${count} Kameras werden`} gespeichert.`,
    present: (count) =>
      count === 1
        ? "1 gibt es schon genau so; sie wird ausgelassen."
        : `${count} gibt es schon genau so; sie werden ausgelassen.`,
    unread: withText("Spalten, die nicht gelesen werden: #."),
    otherSecret: "anderes Passwort oder Geheimnis",
    wrong: (count) =>
      count === 1
        ? "1 Zeile stimmt nicht und wird ausgelassen."
        : `${count} Zeilen stimmen nicht und werden ausgelassen.`,
    saveReturned: (count) =>
      count === 1
        ? "Diese Zeile mit dem Grund herunterladen"
        : `Diese ${count} Zeilen mit den Gründen herunterladen`,
    reason: "Grund",
    line: (line, problem) => `Zeile ${line}: ${problem}`,
    save: (count) => (count === 1 ? "1 Kamera speichern" : `${count} Kameras speichern`),
    progress: "Gespeicherte Kameras",
    running: (count) =>
      `${count === 1 ? "1 Kamera wird" : `${count} Kameras werden`} gespeichert. Wer diese Seite verlässt, hält nach der laufenden an.`,
    created: (count) => `${count === 1 ? "1 Kamera wurde" : `${count} Kameras wurden`} gespeichert.`,
    refused: (count) =>
      `Das Gateway hat ${count === 1 ? "1 Kamera" : `${count} Kameras`} abgelehnt; die Tabelle unten sagt, warum.`,
    interrupted: (left) =>
      `${left === 1 ? "1 Kamera fehlt" : `${left} Kameras fehlen`} noch. Beim Fortsetzen entsteht keine doppelt.`,
    goOn: (left) => (left === 1 ? "Mit der letzten Kamera fortsetzen" : `Mit den übrigen ${left} fortsetzen`),
    change: "Tabelle ändern",
    lineHead: "Zeile",
    facility: "Standort",
    state: "Zustand",
    states: {
      new: "Wird hinzugefügt",
      changing: "Wird geändert",
      waiting: "Noch nicht gespeichert",
      created: "Gespeichert",
      refused: withText("Abgelehnt: #"),
    },
    problems: {
      empty: "In der Tabelle steht keine Kamera.",
      tooLong: "Die Tabelle ist größer als 1 MB.",
      tooMany: (most) => `Die Tabelle hat mehr als ${most} Kameras. Teilen Sie sie.`,
      noColumns: withText("Diese Spalten fehlen: #."),
      quotes: "Ein Anführungszeichen passt nicht.",
      name: "Der Name muss 1 bis 200 druckbare Zeichen haben.",
      url: "Die URL muss mit rtsp, rtmp, rtmps, http oder https beginnen und höchstens 2048 Zeichen ohne Leerraum haben.",
      streamType: (given, allowed) => `Einen streamType „${given}“ gibt es nicht. Erlaubt sind ${allowed}.`,
      facility: (name) => (name === "" ? "Der Standort fehlt." : `Einen Standort „${name}“ gibt es nicht.`),
      moved: "Eine Kamera bleibt an ihrem Standort.",
      severalFacilities: withText(
        "Mehrere Standorte heißen „#“. Nennen Sie stattdessen die ID des Standorts.",
      ),
      contact: "Ein Kontakt braucht einen Namen.",
      forbidden: withText("Zu „#“ dürfen Sie keine Kameras hinzufügen."),
      sameName: (name, line) => `Zeile ${line} hat am selben Standort schon den Namen „${name}“.`,
      sameUrl: (line) => `Zeile ${line} hat schon dieselbe URL.`,
      nameExists: (name, facility) => `„${facility}“ hat schon eine Kamera „${name}“ mit einer anderen URL.`,
      urlExists: "Eine andere Kamera hat schon diese URL.",
    },
  },
};
