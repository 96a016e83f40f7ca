import type { ComponentType } from "react";
import type { Messages } from "./language/en.js";
import { AlertIcon, FleetIcon, InsightIcon, RulesIcon, SettingsIcon } from "./shell/icons.js";
import { part } from "./shell/part.js";

/**
 * A view of the console. Each view has its own folder, which is loaded when the view is
 * first shown.
 */
interface View {
  /** The name of the view, in the navigation and as the title of the page. */
  title: (messages: Messages) => string;
  icon: ComponentType;
  /** The key that opens the view, after `g`. */
  key: string;
  component: ComponentType;
}

/**
 * All views in the order of the navigation, by their names in the address, such as
 * `/?view=fleet`.
 */
export const views: Record<string, View> = {
  fleet: {
    title: (messages) => messages.views.fleet,
    icon: FleetIcon,
    key: "f",
    component: part(async () => (await import("./fleet/fleet-view.js")).FleetView),
  },
  alerts: {
    title: (messages) => messages.views.alerts,
    icon: AlertIcon,
    key: "a",
    component: part(async () => (await import("./alerts/alerts-view.js")).AlertsView),
  },
  rules: {
    title: (messages) => messages.views.rules,
    icon: RulesIcon,
    key: "r",
    component: part(async () => (await import("./rules/rules-view.js")).RulesView),
  },
  insight: {
    title: (messages) => messages.views.insight,
    icon: InsightIcon,
    key: "i",
    component: part(async () => (await import("./insight/insight-view.js")).InsightView),
  },
  settings: {
    title: (messages) => messages.views.settings,
    icon: SettingsIcon,
    key: "s",
    component: part(async () => (await import("./administration/administration-view.js")).AdministrationView),
  },
};

/** The initial view of the console. */
export const firstView = "fleet";

/** The name of the view in an address. Links to an alert name none. */
export function viewOf(query: URLSearchParams): string {
  return query.get("view") ?? (query.has("alert") ? "alerts" : firstView);
}
