import type { Route } from "../../engine/route/route.js";
import { alertRoutes } from "../../features/alert/alert.rest.js";
import { alertExportRoutes } from "../../features/alert/export/alert-export.rest.js";
import { alertRuleRoutes } from "../../features/alert-rule/alert-rule.rest.js";
import { cameraRoutes } from "../../features/camera/camera.rest.js";
import { clientCameraRoutes } from "../../features/camera/client/client-camera.rest.js";
import { streamCallbackRoutes } from "../../features/camera/stream/stream-callback.rest.js";
import { facilityRoutes } from "../../features/facility/facility.rest.js";
import { userRoutes } from "../../features/user/user.rest.js";

interface RouteGroup {
  tag: string;
  description: string;
  routes: Route[];
}

export const routeGroups: RouteGroup[] = [
  {
    tag: "Cameras",
    description: "Cameras with their calibrations, analysis jobs and alert rules.",
    routes: [...cameraRoutes, ...clientCameraRoutes, ...alertRuleRoutes],
  },
  {
    tag: "Alerts",
    description: "List, count, delete and export alerts.",
    routes: [...alertRoutes, ...alertExportRoutes],
  },
  {
    tag: "Facilities",
    description: "Facilities, and the heartbeats of their devices.",
    routes: [...facilityRoutes],
  },
  {
    tag: "Users",
    description: "The calling user, and the access of users to facilities.",
    routes: [...userRoutes],
  },
  {
    tag: "Stream callbacks",
    description:
      "What a feed server reports about a requested stream. The `requestId` in the path is the credential.",
    routes: [...streamCallbackRoutes],
  },
];
