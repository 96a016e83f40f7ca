import { useState } from "react";
import { type AlertFilter, InsightCamerasDocument } from "../../generated/console.js";
import { Options } from "../form/field.js";
import { StoredText, useLanguage } from "../language/language.js";
import { Link, type QueryChanges } from "../navigation/location.js";
import { CameraHeatmap } from "./camera-heatmap.js";
import { CountsQuery, Panel } from "./panel.js";
import { useTexts } from "./texts.js";

/** The maximum number of cameras in the list. */
const mostListed = 10;

interface BusiestCamerasProps {
  filter: AlertFilter;
  linkOf: (cameraId: string) => QueryChanges;
}

/** The cameras with the most alerts, and where in the picture of one of them its alerts are. */
export function BusiestCameras({ filter, linkOf }: BusiestCamerasProps) {
  const { formats } = useLanguage();
  const insight = useTexts();
  const [chosen, choose] = useState<string>();
  return (
    <CountsQuery query={InsightCamerasDocument} variables={{ filter }}>
      {({ alertStatistics }) => {
        const cameras = alertStatistics.flatMap(({ camera, count }) =>
          camera ? [{ ...camera, count }] : [],
        );
        const [first] = cameras;
        if (!first) return null;
        const shown = cameras.find(({ id }) => id === chosen) ?? first;
        return (
          <div className="insight-pair">
            <Panel title={insight.busiest}>
              <ol className="busiest">
                {cameras.slice(0, mostListed).map(({ id, name, count }) => (
                  <li key={id}>
                    <Link to={linkOf(id)}>
                      <StoredText>{name}</StoredText>
                    </Link>
                    <span>{formats.number(count)}</span>
                    <span
                      className="busiest-bar"
                      style={{ width: `${(100 * count) / first.count}%` }}
                      aria-hidden="true"
                    />
                  </li>
                ))}
              </ol>
            </Panel>
            <Panel
              title={insight.heatmap}
              beside={
                <select
                  aria-label={insight.heatmapCamera}
                  value={shown.id}
                  onChange={(event) => choose(event.target.value)}
                >
                  <Options of={cameras.map(({ id, name }) => [id, name])} />
                </select>
              }
            >
              <CameraHeatmap key={shown.id} cameraId={shown.id} filter={filter} />
            </Panel>
          </div>
        );
      }}
    </CountsQuery>
  );
}
