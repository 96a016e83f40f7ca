import { useSyncExternalStore } from "react";
import { Listeners } from "../listeners.js";
import { localTexts } from "../storage.js";

export const themes = ["system", "light", "dark"] as const;

export type Theme = (typeof themes)[number];

const storageKey = "console.theme";
const listeners = new Listeners();

export function chosenTheme(): Theme {
  const stored = localTexts.getItem(storageKey);
  return themes.find((theme) => theme === stored) ?? "system";
}

/** Applies an appearance to the page, and remembers it. */
export function chooseTheme(theme: Theme): void {
  localTexts.setItem(storageKey, theme);
  applyTheme(theme);
  listeners.notify();
}

export const useTheme = (): Theme => useSyncExternalStore(listeners.add, chosenTheme);

export function applyTheme(theme: Theme): void {
  if (theme === "system") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.dataset.theme = theme;
}
