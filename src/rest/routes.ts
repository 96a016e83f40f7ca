import { alertRoutes } from "../alert/alert.rest.js";
import { alertExportRoutes } from "../alert/alert-export.rest.js";
import { alertWriteRoutes } from "../alert/alert-write.rest.js";
import { alertRuleRoutes } from "../alert-rule/alert-rule.rest.js";
import { cameraRoutes } from "../camera/camera.rest.js";
import { cameraWriteRoutes } from "../camera/camera-write.rest.js";
import { clientCameraRoutes } from "../camera/client-camera.rest.js";
import { streamCallbackRoutes } from "../camera/stream-callback.rest.js";
import { facilityRoutes } from "../facility/facility.rest.js";
import { facilityWriteRoutes } from "../facility/facility-write.rest.js";
import type { Route } from "../http/route.js";
import { userRoutes } from "../user/user.rest.js";
import { userWriteRoutes } from "../user/user-write.rest.js";

/** A group of endpoints in the documentation. */
export interface RouteGroup {
  tag: string;
  routes: Route[];
}

/** All REST endpoints, by subject. */
export const routeGroups: RouteGroup[] = [
  { tag: "Cameras", routes: [...cameraRoutes, ...cameraWriteRoutes, ...clientCameraRoutes, ...alertRuleRoutes, ...streamCallbackRoutes] },
  { tag: "Alerts", routes: [...alertRoutes, ...alertWriteRoutes, ...alertExportRoutes] },
  { tag: "Facilities", routes: [...facilityRoutes, ...facilityWriteRoutes] },
  { tag: "Users", routes: [...userRoutes, ...userWriteRoutes] },
];
