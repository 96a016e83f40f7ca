import type { english } from "./english.js";

export const german: typeof english = {
  title: "Willkommen. So entsteht der erste Alarm",
  complete: "Alles ist eingerichtet",
  later: "Nicht jetzt",
  done: "erledigt",
  look: "Sehen, warum noch kein Bild da ist",
  steps: {
    facility: {
      title: "Einen Standort hinzufügen",
      text: "Ein Gelände mit Kameras, etwa ein Werk. Alarme werden nach seinen Ortstagen gezählt.",
    },
    camera: {
      title: "Eine Kamera hinzufügen",
      text: "Über die URL ihres Streams oder mit einem Bild dessen, was sie sieht.",
    },
    rule: {
      title: "Einen Bereich zeichnen und eine Regel anlegen",
      text: "Die Regel sagt, wonach in dem Bereich gesucht wird und wen sie benachrichtigt.",
      action: "Regel anlegen",
    },
    test: {
      title: "Sich selbst einen Test senden",
      text: "Wen die Regel benachrichtigt, erhält eine Nachricht mit dem Bild der Kamera und dem Bereich.",
      action: "Test senden",
      look: "Zur Regel",
    },
    source: {
      title: "Woher Alarme kommen",
      text: "Ein Detektor sagt, was er sieht, und die Regel macht daraus Alarme. Mit seinem ersten Einzelbild ist dies erledigt.",
      action: "Schlüssel für einen Detektor erstellen",
      command: "Ohne Detektor ausprobieren: Dieser Befehl sendet, wonach die Regel sucht",
      connectors:
        "Frigate und Axis brauchen einen Konnektor vor Ort, der ihren MQTT-Broker und dieses Gateway erreicht: siehe docs/connectors.md.",
      connect: "Seine Konfiguration schreiben",
      alert: "Den Alarm ansehen",
    },
    invite: { title: "Kollegen einladen", text: "Jeden mit dem, was er braucht: etwa als Wache." },
  },
};
