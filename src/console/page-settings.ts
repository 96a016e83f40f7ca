import type { PageSettings } from "../platform/pages/settings.js";

export const settings: PageSettings = JSON.parse(document.getElementById("settings")?.textContent ?? "{}");
