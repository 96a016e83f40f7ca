import { alertRoutes } from "../alert/alert.rest.js";
import { alertExportRoutes } from "../alert/alert-export.rest.js";
import { alertRuleRoutes } from "../alert-rule/alert-rule.rest.js";
import { cameraRoutes } from "../camera/camera.rest.js";
import { clientCameraRoutes } from "../camera/client-camera.rest.js";
import { streamCallbackRoutes } from "../camera/stream-callback.rest.js";
import { facilityRoutes } from "../facility/facility.rest.js";
import type { Route } from "../http/route.js";
import { userRoutes } from "../user/user.rest.js";

/** A group of endpoints in the documentation. */
export interface RouteGroup {
  tag: string;
  routes: Route[];
}

/** All REST endpoints, by subject. */
export const routeGroups: RouteGroup[] = [
  { tag: "Cameras", routes: [...cameraRoutes, ...clientCameraRoutes, ...alertRuleRoutes, ...streamCallbackRoutes] },
  { tag: "Alerts", routes: [...alertRoutes, ...alertExportRoutes] },
  { tag: "Facilities", routes: [...facilityRoutes] },
  { tag: "Users", routes: [...userRoutes] },
];
