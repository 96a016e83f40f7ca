import type { english } from "./english.js";

export const german: typeof english = {
  lead: "Alles hier kommt aus der öffentlichen API. Kopieren Sie einen Aufruf oder führen Sie ihn im Playground aus; er enthält keine Zugangsdaten.",
  query: "Abfrage",
  variables: "Variablen",
  rest: "Anfrage",
  noRest: "Kein REST-Pfad beantwortet das.",
  openPlayground: "Im Playground öffnen",
};
