import { useMemo } from "react";
import { alertFilterOf, alertSelectionOf, quarter } from "../alerts/alert-filter.js";
import { CameraHeatmap } from "../insight/camera-heatmap.js";
import { useStepOfTime } from "../language/now.js";
import { keptPeriodFor } from "../navigation/kept-period.js";
import { Link } from "../navigation/link.js";
import { useTexts } from "./texts.js";

/** Where in the picture the alerts of the last month lie. */
export function CameraAlertPlaces({ id }: { id: string }) {
  const texts = useTexts();
  const until = useStepOfTime(quarter);
  const filter = useMemo(
    () =>
      alertFilterOf(alertSelectionOf(new URLSearchParams({ camera: id, period: "30d" })), new Date(until)),
    [id, until],
  );
  return (
    <section className="insight-panel" aria-labelledby="camera-alert-places">
      <header>
        <h2 id="camera-alert-places">{texts.heatmap}</h2>
        <Link to={{ view: "insight", ...keptPeriodFor("insight"), camera: id }}>{texts.insight}</Link>
      </header>
      <p className="hint">{texts.heatmapPeriod}</p>
      <CameraHeatmap cameraId={id} filter={filter} until={until} />
    </section>
  );
}
