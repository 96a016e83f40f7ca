import { can } from "../access/permissions.js";
import type { RequestContext } from "../access/request-context.js";
import type { Selection } from "../platform/selection.js";
import { type CameraRow, cameraById, camerasByFacility, camerasOfWorkspace } from "./camera.loader.js";
import { withoutPassword } from "./camera-url.js";

/** The visible cameras, of one facility if it is given, by name. */
export function listCameras(context: RequestContext, facilityId: string | null, selection: Selection): Promise<CameraRow[]> {
  if (facilityId) return camerasByFacility(context, selection).load(facilityId);
  return camerasOfWorkspace(context, selection).load(context.caller.workspaceId);
}

/** One camera; null when there is none of this id that the caller may see. */
export function findCamera(context: RequestContext, id: string, selection: Selection): Promise<CameraRow | null> {
  return cameraById(context, selection).load(id);
}

/** The camera's address; a password in it shows as *** to callers who may not write the camera. */
export function shownUrl(context: RequestContext, camera: CameraRow): string | null {
  if (camera.url == null) return null;
  return can(context.caller, "cameras:write", camera.facilityId) ? camera.url : withoutPassword(camera.url);
}
