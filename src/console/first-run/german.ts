import type { english } from "./english.js";

export const german: typeof english = {
  title: "Willkommen. Vier Schritte bis zur ersten Benachrichtigung",
  complete: "Alles ist eingerichtet",
  later: "Nicht jetzt",
  close: "Schließen",
  done: "erledigt",
  look: "Sehen, warum noch kein Bild da ist",
  steps: {
    facility: {
      title: "Einen Standort hinzufügen",
      text: "Ein Gelände mit Kameras, etwa ein Werk. Alarme werden nach seinen Ortstagen gezählt.",
      action: "Standort hinzufügen",
    },
    camera: {
      title: "Eine Kamera hinzufügen",
      text: "Über die URL ihres Streams oder mit einem Bild dessen, was sie sieht.",
      action: "Kamera hinzufügen",
    },
    rule: {
      title: "Eine Zone zeichnen und eine Regel anlegen",
      text: "Die Regel sagt, wonach in der Zone gesucht wird und wen sie benachrichtigt: Tragen Sie Ihre eigene Adresse ein.",
      action: "Regel anlegen",
    },
    test: {
      title: "Sich selbst einen Test senden",
      text: "Drücken Sie auf der Karte der Regel „Test senden“.",
      action: "Zur Regel",
    },
  },
};
