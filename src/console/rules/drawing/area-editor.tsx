import type { PointerEvent } from "react";
import type { Point, Size } from "../../../platform/geometry.js";
import { type DrawnArea, maxCorners, nearestEdge, outlineOf } from "../areas.js";
import type { AlertPlaces } from "./alert-places.js";
import { Corners } from "./corners.js";
import type { Drawing, DrawingChange } from "./drawing.js";
import { Pen } from "./pen.js";
import { pointOf } from "./positions.js";

interface AreaEditorProps {
  size: Size;
  drawing: Drawing;
  /** Where the camera's recent alerts were, shown below the area. */
  places: AlertPlaces | undefined;
  onChange: (change: DrawingChange) => void;
}

/** Draws an area over a picture, with a pointer or only with keys. */
export function AreaEditor({ size, drawing, places, onChange }: AreaEditorProps) {
  const { points, isClosed } = drawing;
  return (
    <div className="area-editor">
      <svg viewBox={`0 0 ${size.width} ${size.height}`} preserveAspectRatio="none" aria-hidden="true">
        <path
          className="alert-place"
          d={places?.alerts
            .flat()
            .map(({ x, y }) => `M${x} ${y}h0`)
            .join("")}
        />
        <Shape drawing={drawing} />
        {isClosed && <Edges size={size} points={points} onChange={onChange} />}
      </svg>
      {isClosed ? (
        <Corners size={size} points={points} onChange={onChange} />
      ) : (
        <Pen size={size} points={points} onChange={onChange} />
      )}
    </div>
  );
}

function Shape({ drawing: { points, isClosed, color } }: { drawing: DrawnArea & { isClosed: boolean } }) {
  const outline = outlineOf(points);
  return isClosed ? (
    <polygon className="area" data-selected="true" points={outline} stroke={color} fill={color} />
  ) : (
    <polyline className="area" points={outline} stroke={color} fill="none" />
  );
}

/** The edges of a closed outline: pressing one adds a corner there, which can be dragged. */
function Edges({
  size,
  points,
  onChange,
}: Omit<AreaEditorProps, "drawing" | "places"> & { points: readonly Point[] }) {
  const add = (event: PointerEvent<SVGElement>) => {
    if (points.length >= maxCorners) return;
    const point = pointOf(event, size);
    const corner = nearestEdge(points, point) + 1;
    event.currentTarget.setPointerCapture(event.pointerId);
    event.currentTarget.dataset.corner = String(corner);
    onChange({ points: points.toSpliced(corner, 0, point), corner });
  };
  const drag = (event: PointerEvent<SVGElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    onChange({ points: points.with(Number(event.currentTarget.dataset.corner), pointOf(event, size)) });
  };
  return <polygon className="edges" points={outlineOf(points)} onPointerDown={add} onPointerMove={drag} />;
}
