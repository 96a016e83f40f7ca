import { part, ViewBoundary } from "../shell/part.js";
import type { SnoozedPlaces } from "./snoozes.js";

const Snoozes = part(() => import("./snoozes.js"), "Snoozes");

/** Says at which of the places nobody is told of alerts, once that is known. */
export const QuietPlaces = (places: SnoozedPlaces) => (
  <ViewBoundary placeholder={null}>
    <Snoozes {...places} />
  </ViewBoundary>
);
