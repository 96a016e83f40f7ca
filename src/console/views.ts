import type { ComponentType } from "react";
import type { Messages } from "./language/en.js";
import { keptPeriodFor } from "./navigation/kept-period.js";
import type { QueryChanges } from "./navigation/location.js";
import { AlertIcon, FleetIcon, InsightIcon, RulesIcon, SettingsIcon, TodayIcon } from "./shell/icons.js";
import { part } from "./shell/part.js";

/** A page of the console. Each has its own folder, which is loaded when the page is first shown. */
interface Page {
  /** The title of the page among the messages, which the navigation has, too. */
  title: keyof Messages["views"];
  /** Whether the page has a heading of its own in place of its title. */
  hasHeading?: boolean;
  component: ComponentType;
}

interface View extends Page {
  icon: ComponentType;
  /** Whether the navigation of a phone has it among others, as it has space for four. */
  isAmongOthers?: boolean;
  /** The key that opens the view, after `g`. */
  key: string;
}

/** All views in the order of the navigation, by their names in the address, such as `/?view=fleet`. */
export const views: Record<string, View> = {
  today: {
    title: "today",
    icon: TodayIcon,
    key: "t",
    component: part(() => import("./today/today-view.js"), "TodayView"),
  },
  alerts: {
    title: "alerts",
    icon: AlertIcon,
    key: "a",
    component: part(() => import("./alerts/alerts-view.js"), "AlertsView"),
  },
  fleet: {
    title: "fleet",
    icon: FleetIcon,
    key: "f",
    component: part(() => import("./fleet/fleet-view.js"), "FleetView"),
  },
  rules: {
    title: "rules",
    icon: RulesIcon,
    key: "r",
    isAmongOthers: true,
    component: part(() => import("./rules/rules-view.js"), "RulesView"),
  },
  insight: {
    title: "insight",
    icon: InsightIcon,
    key: "i",
    isAmongOthers: true,
    component: part(() => import("./insight/insight-view.js"), "InsightView"),
  },
  settings: {
    title: "settings",
    icon: SettingsIcon,
    key: "s",
    isAmongOthers: true,
    component: part(() => import("./administration/administration-view.js"), "AdministrationView"),
  },
};

export const pages: Record<string, Page> = {
  ...views,
  camera: {
    title: "camera",
    hasHeading: true,
    component: part(() => import("./camera/camera-page.js"), "CameraPage"),
  },
};

export const firstView = "today";

/** The filters of the fleet. Links from before it was a view of its own name no view. */
const fleetFilters = ["facility", "state", "operational", "text"];

/** The parameters in the address of a view, with the period that was last chosen. */
export const parametersOfView = (name: string): QueryChanges =>
  name === firstView ? {} : { view: name, ...keptPeriodFor(name) };

/**
 * The name of the page in an address. Links to an alert or a camera name none: `/?camera=` is the page of the camera,
 * but in a view it narrows down what is shown.
 */
export function pageOf(query: URLSearchParams): string {
  const named = query.get("view");
  if (named !== null) return named;
  if (query.has("alert")) return "alerts";
  if (query.has("camera")) return "camera";
  return fleetFilters.some((name) => query.has(name)) ? "fleet" : firstView;
}
