import type { RequestContext } from "../access/request-context.js";
import type { Selection } from "../platform/selection.js";
import { type FacilityRow, facilitiesOfWorkspace, facilityById } from "./facility.loader.js";

/** The visible facilities, by name. */
export function listFacilities(context: RequestContext, selection: Selection): Promise<FacilityRow[]> {
  return facilitiesOfWorkspace(context, selection).load(context.caller.workspaceId);
}

/** One facility; null when there is none of this id that the caller may see. */
export function findFacility(context: RequestContext, id: string, selection: Selection): Promise<FacilityRow | null> {
  return facilityById(context, selection).load(id);
}

/** Whether a facility's device reported within HEARTBEAT_TIMEOUT. */
export function isOnline(context: RequestContext, lastHeartbeatAt: Date | null | undefined): boolean {
  if (!lastHeartbeatAt) return false;
  const { now, settings } = context.services;
  return now().getTime() - lastHeartbeatAt.getTime() <= settings.heartbeatTimeout * 1000;
}
