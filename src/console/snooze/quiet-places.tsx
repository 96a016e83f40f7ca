import { part, ViewBoundary } from "../shell/part.js";

export interface SnoozedPlaces {
  /** Empty for all. */
  facilityIds: readonly string[];
  cameraIds: readonly string[];
}

const Snoozes = part(() => import("./snoozes.js"), "Snoozes");

/** Says at which of the places nobody is told of alerts, once that is known. */
export const QuietPlaces = (places: SnoozedPlaces) => (
  <ViewBoundary placeholder={null}>
    <Snoozes {...places} />
  </ViewBoundary>
);
