import { localTexts } from "../storage.js";

/** How the console looks: as the reader's system does, or always the same. */
export const themes = ["system", "light", "dark"] as const;

/** The name of an appearance. */
export type Theme = (typeof themes)[number];

const storageKey = "console.theme";

/** The appearance that was chosen here. */
export function chosenTheme(): Theme {
  const stored = localTexts.getItem(storageKey);
  return themes.find((theme) => theme === stored) ?? "system";
}

/** Shows the page in an appearance, and remembers it. */
export function chooseTheme(theme: Theme): void {
  localTexts.setItem(storageKey, theme);
  applyTheme(theme);
}

/** Shows the page in an appearance. */
export function applyTheme(theme: Theme): void {
  if (theme === "system") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.dataset.theme = theme;
}
