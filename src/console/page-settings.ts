import type { PageSettings } from "../pages/settings.js";

/** The settings that the gateway wrote into the page. */
export const settings: PageSettings = JSON.parse(document.getElementById("settings")?.textContent ?? "{}");
