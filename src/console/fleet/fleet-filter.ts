import type { CameraFilter } from "../../generated/console.js";

/** What the address says about which cameras are shown. */
export interface FleetFilter {
  facilityIds: string[];
  text: string;
  isNotOperational: boolean;
}

/** Reads the filter: `facility` (several times), `text` and `operational=false`. */
export function fleetFilterOf(query: URLSearchParams): FleetFilter {
  return {
    facilityIds: query.getAll("facility"),
    text: query.get("text") ?? "",
    isNotOperational: query.get("operational") === "false",
  };
}

/** The filter as the API takes it. */
export function cameraFilterOf({ facilityIds, text, isNotOperational }: FleetFilter): CameraFilter {
  return {
    ...(facilityIds.length > 0 && { facilityIds }),
    ...(text.trim() !== "" && { text: text.trim() }),
    ...(isNotOperational && { operational: false }),
  };
}
