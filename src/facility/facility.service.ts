import type { RequestContext } from "../access/request-context.js";
import { type FacilityRow, facilitiesOfWorkspace, facilityById } from "./facility.loader.js";

/** The visible facilities, by name. */
export function listFacilities(context: RequestContext, columns: string[]): Promise<FacilityRow[]> {
  return facilitiesOfWorkspace(context, columns).load(context.caller.workspaceId);
}

/** One facility; null when there is none of this id that the caller may see. */
export async function findFacility(context: RequestContext, id: string, columns: string[]): Promise<FacilityRow | null> {
  return (await facilityById(context, columns).load(id)) ?? null;
}

/** Whether a facility's device reported within HEARTBEAT_TIMEOUT. */
export function isOnline(context: RequestContext, lastHeartbeatAt: Date | null | undefined): boolean {
  if (!lastHeartbeatAt) return false;
  const { now, settings } = context.services;
  return now().getTime() - lastHeartbeatAt.getTime() <= settings.heartbeatTimeout * 1000;
}
