import type { ConsoleSettings } from "./settings.js";

/** What the gateway has written into the page. */
export const settings: ConsoleSettings = JSON.parse(document.getElementById("settings")?.textContent ?? "{}");
