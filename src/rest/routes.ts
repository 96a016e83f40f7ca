import { alertRoutes } from "../alert/alert.rest.js";
import { alertRuleRoutes } from "../alert-rule/alert-rule.rest.js";
import { cameraRoutes } from "../camera/camera.rest.js";
import { facilityRoutes } from "../facility/facility.rest.js";
import type { Route } from "../http/route.js";
import { userRoutes } from "../user/user.rest.js";

/** A folder of endpoints in the docs. */
export interface RouteGroup {
  tag: string;
  routes: Route[];
}

/** Every REST endpoint, by subject. */
export const routeGroups: RouteGroup[] = [
  { tag: "Cameras", routes: [...cameraRoutes, ...alertRuleRoutes] },
  { tag: "Alerts", routes: alertRoutes },
  { tag: "Facilities", routes: facilityRoutes },
  { tag: "Users", routes: userRoutes },
];
