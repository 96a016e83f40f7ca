import { can } from "../access/permissions.js";
import type { RequestContext } from "../access/request-context.js";
import { type CameraRow, cameraById, camerasByFacility, camerasOfWorkspace } from "./camera.loader.js";
import { withoutPassword } from "./camera-url.js";

/** The visible cameras, of one facility if it is given, by name. */
export function listCameras(context: RequestContext, facilityId: string | null, columns: string[]): Promise<CameraRow[]> {
  if (facilityId) return camerasByFacility(context, columns).load(facilityId);
  return camerasOfWorkspace(context, columns).load(context.caller.workspaceId);
}

/** One camera; null when there is none of this id that the caller may see. */
export async function findCamera(context: RequestContext, id: string, columns: string[]): Promise<CameraRow | null> {
  return (await cameraById(context, columns).load(id)) ?? null;
}

/** The camera's address; a password in it shows as *** to callers who may not write the camera. */
export function shownUrl(context: RequestContext, camera: CameraRow): string | null {
  if (camera.url == null) return null;
  return can(context.caller, "cameras:write", camera.facilityId) ? camera.url : withoutPassword(camera.url);
}
