import type { CameraFilter, CameraState } from "../../generated/console.js";
import { cameraStates, isCameraState, statesOfConcern } from "./camera-states.js";

export interface FleetFilter {
  facilityIds: readonly string[];
  text: string;
  /** The chosen states; empty for all. */
  states: readonly CameraState[];
  /** Whether all states are chosen in which somebody has to look after a camera. */
  isOfConcern: boolean;
}

/** Reads `facility` and `state` (both repeatable), `text`, and `operational=false` for all states but the good one. */
export function fleetFilterOf(query: URLSearchParams): FleetFilter {
  const chosen = [...new Set(query.getAll("state").filter(isCameraState))];
  const isOfConcern = chosen.length === 0 && query.get("operational") === "false";
  return {
    facilityIds: query.getAll("facility"),
    text: query.get("text") ?? "",
    states: isOfConcern ? statesOfConcern : chosen,
    isOfConcern,
  };
}

/** The states whose cameras are shown, worst first. */
export const shownStates = ({ states }: FleetFilter): readonly CameraState[] =>
  cameraStates.filter((state) => states.length === 0 || states.includes(state));

/** The filter as input for the API, but for the states: these are counted and listed one by one. */
export function statelessFilterOf({ facilityIds, text }: FleetFilter): CameraFilter {
  return {
    ...(facilityIds.length > 0 && { facilityIds: [...facilityIds] }),
    ...(text.trim() !== "" && { text: text.trim() }),
  };
}
