import type { english } from "./english.js";

export const german: typeof english = {
  title: "Wen anrufen",
  person: (number) => `Kontakt ${number}`,
  parts: {
    name: "Person oder Dienst",
    role: "Rolle",
    phoneNumber: "Telefon",
    email: "E-Mail",
    note: "Notiz",
  },
  add: "Kontakt hinzufügen",
  problem:
    "Jeder Kontakt braucht eine Person oder einen Dienst. Prüfen Sie die E-Mail-Adresse und kürzen Sie lange Texte.",
};
