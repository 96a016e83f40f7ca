import {
  type AlertFilter,
  type HeatmapFragment,
  InsightHeatmapDocument,
  type InsightHeatmapQuery,
} from "../../generated/console.js";
import { defined } from "../../platform/defined.js";
import { isolated } from "../../platform/text/text-direction.js";
import { pictureSource } from "../data/picture.js";
import { Count, CountsQuery, Heads } from "./panel.js";
import { useTexts } from "./texts.js";

type Camera = NonNullable<InsightHeatmapQuery["camera"]>;

/** Cells small enough to locate an alert, and large enough to leave the picture visible, in multiples of three. */
const grid = { columns: 48, rows: 27 };

/** Where in a camera's picture its alerts are: drawn over the picture, and in words for its ninths. */
export function CameraHeatmap({ cameraId, filter }: { cameraId: string; filter: AlertFilter }) {
  const insight = useTexts();
  return (
    <CountsQuery
      query={InsightHeatmapDocument}
      variables={{ cameraId, filter, ...grid }}
      placeholder={<div className="heatmap-picture placeholder" />}
    >
      {({ camera }) => {
        const heatmap = camera?.alertHeatmap;
        if (!camera || !heatmap) return <p className="hint">{insight.heatmapSlow}</p>;
        if (heatmap.alerts === 0) return <p className="hint">{insight.heatmapNone}</p>;
        return <Heat camera={camera} heatmap={heatmap} />;
      }}
    </CountsQuery>
  );
}

function Heat({
  camera: { name, imageLink, thumbnailUrl },
  heatmap,
}: {
  camera: Camera;
  heatmap: HeatmapFragment;
}) {
  const insight = useTexts();
  const source = pictureSource(imageLink) ?? pictureSource(thumbnailUrl);
  const { columns, rows, counts, alerts } = heatmap;
  const most = Math.max(1, ...counts);
  return (
    <>
      <div
        className="heatmap-picture"
        role="img"
        aria-label={insight.heatmapLabel(isolated(name), insight.alerts(alerts))}
      >
        {source && <img src={source} alt="" decoding="async" />}
        <svg viewBox={`0 0 ${columns} ${rows}`} preserveAspectRatio="none" aria-hidden="true">
          {counts.flatMap((count, index) => {
            const [x, y] = [index % columns, Math.floor(index / columns)];
            return count === 0 ? (
              []
            ) : (
              <circle
                key={`${x} ${y}`}
                cx={x + 0.5}
                cy={y + 0.5}
                r="1.3"
                opacity={0.25 + 0.75 * Math.sqrt(count / most)}
              />
            );
          })}
        </svg>
      </div>
      <p className="hint heatmap-basis">{insight.heatmapBasis(insight.alerts(alerts))}</p>
      <details>
        <summary>{insight.asTable}</summary>
        <table>
          <thead>
            <tr>
              <td />
              <Heads of={insight.thirds} />
            </tr>
          </thead>
          <tbody>
            {ninthsOf(heatmap).map((row, index) => (
              <tr key={insight.rowsOfThirds[index]}>
                <th scope="row">{insight.rowsOfThirds[index]}</th>
                {row.map((count, third) => (
                  <Count key={insight.thirds[third]} count={count} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

/** The counts of the thirds of the picture's width in the thirds of its height. */
function ninthsOf({ columns, rows, counts }: HeatmapFragment) {
  const ninths = [
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
  ];
  for (const [index, count] of counts.entries()) {
    const row = defined(ninths[Math.floor((3 * Math.floor(index / columns)) / rows)]);
    const third = Math.floor((3 * (index % columns)) / columns);
    row[third] = (row[third] ?? 0) + count;
  }
  return ninths;
}
