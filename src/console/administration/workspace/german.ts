import type { english } from "./english.js";

/** The texts about the workspace in German. */
export const german: typeof english = {
  title: "Arbeitsbereich",
  name: "Name des Arbeitsbereichs",
  version: "Version des Gateways",
  problems: { name: "Geben Sie 1 bis 200 druckbare Zeichen ein." },
};
