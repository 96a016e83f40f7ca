import type { ComponentType } from "react";
import type { Messages } from "./language/en.js";
import { AlertIcon, FleetIcon, InsightIcon, RulesIcon } from "./shell/icons.js";
import { part } from "./shell/part.js";

/**
 * A view of the console: a folder of its own, which is loaded when it is shown for the
 * first time.
 */
interface View {
  /** Its name, in the navigation and as the title of the page. */
  title: (messages: Messages) => string;
  icon: ComponentType;
  /** The key that leads to it, after `g`. */
  key: string;
  component: ComponentType;
}

/**
 * All views in the order of the navigation, by their name in the address: `/?view=fleet`.
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
};

/** The view that the console starts with. */
export const firstView = "fleet";

/** The name of the view that an address shows; links to an alert name none. */
export function viewOf(query: URLSearchParams): string {
  return query.get("view") ?? (query.has("alert") ? "alerts" : firstView);
}
