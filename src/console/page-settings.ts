import type { PageSettings } from "../platform/pages/settings.js";

/** The settings that the gateway wrote into the page. */
export const settings: PageSettings = JSON.parse(document.getElementById("settings")?.textContent ?? "{}");
