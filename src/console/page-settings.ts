import type { ConsoleSettings } from "./settings.js";

/** The settings that the gateway wrote into the page. */
export const settings: ConsoleSettings = JSON.parse(document.getElementById("settings")?.textContent ?? "{}");
