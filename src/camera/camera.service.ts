import { can } from "../access/permissions.js";
import type { RequestContext } from "../access/request-context.js";
import { selectOf } from "../platform/selection.js";
import { type CameraRow, cameraById } from "./camera.loader.js";

/** The visible cameras, of one facility if it is given, by name. */
export async function listCameras(context: RequestContext, facilityId: string | null, columns: string[]): Promise<CameraRow[]> {
  const rows = await context.visible.camera.findMany({
    where: facilityId ? { facilityId } : {},
    select: selectOf(columns),
    orderBy: [{ name: "asc" }, { id: "asc" }],
  });
  return rows as unknown as CameraRow[];
}

/** One camera; null when there is none of this id that the caller may see. */
export async function findCamera(context: RequestContext, id: string, columns: string[]): Promise<CameraRow | null> {
  return (await cameraById(context, columns).load(id)) ?? null;
}

const password = /^([a-z][a-z0-9+.-]*:\/\/[^:/?#@]*:)[^/?#]*@/i;

/** The camera's address; a password in it shows as *** to callers who may not write the camera. */
export function shownUrl(context: RequestContext, camera: CameraRow): string | null {
  if (camera.url == null) return null;
  return can(context.caller, "cameras:write", camera.facilityId) ? camera.url : camera.url.replace(password, "$1***@");
}
