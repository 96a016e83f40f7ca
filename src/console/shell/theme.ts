import { useSyncExternalStore } from "react";
import { Listeners } from "../listeners.js";
import { localTexts } from "../storage.js";

/** The appearances of the pages: the system's, or always the same. */
export const themes = ["system", "light", "dark"] as const;

type Theme = (typeof themes)[number];

const storageKey = "console.theme";
const listeners = new Listeners();

export function chosenTheme(): Theme {
  return themeNamed(localTexts.getItem(storageKey));
}

/** The appearance with a name; the system's if there is none. */
export const themeNamed = (name: string | null): Theme => themes.find((theme) => theme === name) ?? "system";

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
