import type { CameraFilter } from "../../generated/console.js";

/** The filter for cameras in the address. */
export interface FleetFilter {
  facilityIds: string[];
  text: string;
  isNotOperational: boolean;
}

/**
 * Reads the filter from the query: `facility` (repeatable), `text` and
 * `operational=false`.
 */
export function fleetFilterOf(query: URLSearchParams): FleetFilter {
  return {
    facilityIds: query.getAll("facility"),
    text: query.get("text") ?? "",
    isNotOperational: query.get("operational") === "false",
  };
}

/** The filter as input for the API. */
export function cameraFilterOf({ facilityIds, text, isNotOperational }: FleetFilter): CameraFilter {
  return {
    ...(facilityIds.length > 0 && { facilityIds }),
    ...(text.trim() !== "" && { text: text.trim() }),
    ...(isNotOperational && { operational: false }),
  };
}
