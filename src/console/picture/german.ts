import type { english } from "./english.js";

/** The texts around the picture of an alert in German. */
export const german: typeof english = {
  group: "Bild",
  enlarge: "Vergrößern",
  reduce: "Verkleinern",
  whole: "Ganzes Bild",
  left: "Weiter links",
  right: "Weiter rechts",
  up: "Weiter oben",
  down: "Weiter unten",
  percent: (scale) => `${Math.round(scale * 100)} %`,
  withoutDrawing: "Halten: ohne Bereich und Punkte",
  download: "Bild",
  downloadDrawn: "Mit Bereich",
  drawn: "Bereich",
  copyLink: "Link kopieren",
  copied: "Kopiert",
  link: "Link zu diesem Alarm",
  neighbours: "Kurz davor und danach an dieser Kamera",
  noNeighbours: "Diese Kamera hat keinen anderen Alarm.",
  earlier: (duration) => `${duration} früher`,
  later: (duration) => `${duration} später`,
};
