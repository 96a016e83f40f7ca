import { can } from "../access/permissions.js";
import type { RequestContext } from "../operation/request-context.js";
import { withoutSecrets } from "../platform/url-secrets.js";
import type { Selection } from "../reading/selection.js";
import { type CameraRow, camerasByFacility, camerasByWorkspace } from "./camera.loader.js";

/** The visible cameras, ordered by name; of one facility, if given. */
export function listCameras(
  context: RequestContext,
  facilityId: string | null,
  selection: Selection,
): Promise<CameraRow[]> {
  if (facilityId) return camerasByFacility(context, selection).load(facilityId);
  return camerasByWorkspace(context, selection).load(context.caller.workspaceId);
}

/**
 * The URL of a camera. Callers without cameras:write see *** instead of what is not known to be
 * harmless.
 */
export function shownUrl(context: RequestContext, camera: CameraRow): string | null {
  if (camera.url == null) return null;
  return can(context.caller, "cameras:write", camera.facilityId) ? camera.url : withoutSecrets(camera.url);
}
