import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import { defined } from "../../../platform/defined.js";
import type { Point, Size } from "../../../platform/geometry.js";
import {
  type AreaChange,
  type DrawnArea,
  defaultColor,
  maxCorners,
  middleOf,
  minCorners,
  nearestEdge,
  outlineOf,
  stepOf,
  within,
} from "../areas.js";
import { useTexts } from "../texts.js";
import type { AlertPoints } from "./alert-points.js";

interface AreaEditorProps {
  size: Size;
  area: DrawnArea;
  /** The other areas of the rule. */
  others: readonly DrawnArea[];
  alertPoints: AlertPoints | undefined;
  onChange: (change: AreaChange) => void;
}

/** Draws an area over a picture, with a pointer or only with keys. */
export function AreaEditor({ size, area, others, alertPoints, onChange }: AreaEditorProps) {
  const { points, isClosed } = area;
  return (
    <div className="area-editor">
      <svg viewBox={`0 0 ${size.width} ${size.height}`} preserveAspectRatio="none" aria-hidden="true">
        <path
          className="alert-point"
          d={alertPoints?.alerts
            .flat()
            .map(({ x, y }) => `M${x} ${y}h0`)
            .join("")}
        />
        {others.map((other, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: new areas have no other identity.
          <Shape key={index} area={other} />
        ))}
        <Shape area={area} isSelected />
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

interface ShapeProps {
  area: DrawnArea;
  isSelected?: boolean;
}

function Shape({ area: { points, isClosed, color = defaultColor }, isSelected = false }: ShapeProps) {
  const outline = outlineOf(points);
  return isClosed ? (
    <polygon className="area" data-selected={isSelected} points={outline} stroke={color} fill={color} />
  ) : (
    <polyline className="area" points={outline} stroke={color} fill="none" />
  );
}

/** The edges of a closed outline: pressing one adds a corner there, which can be dragged. */
function Edges({ size, points, onChange }: CornersProps) {
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

interface CornersProps {
  size: Size;
  points: readonly Point[];
  onChange: (change: AreaChange) => void;
}

/** A corner that is being dragged, by the pointer's distance from it. */
interface Drag {
  corner: number;
  offset: Point;
}

/** The corners of a closed outline, which the viewer can move, remove and add to. */
function Corners({ size, points, onChange }: CornersProps) {
  const rules = useTexts();
  const list = useRef<HTMLUListElement>(null);
  const dragged = useRef<Drag>(undefined);
  const [focused, setFocused] = useState<number>();
  useEffect(() => {
    if (focused === undefined) return;
    list.current?.querySelectorAll<HTMLElement>(".corner")[focused]?.focus();
    setFocused(undefined);
  }, [focused]);
  const move = (corner: number, to: Point) =>
    onChange({ points: points.with(corner, within(size, to)), corner });
  const remove = (corner: number) => {
    if (points.length <= minCorners) return;
    onChange({ points: points.toSpliced(corner, 1), corner: undefined });
    setFocused(Math.max(0, corner - 1));
  };
  const grab = (corner: number, point: Point) => (event: PointerEvent<HTMLElement>) => {
    const at = pointOf(event, size);
    event.currentTarget.setPointerCapture(event.pointerId);
    dragged.current = { corner, offset: { x: point.x - at.x, y: point.y - at.y } };
  };
  const drag = (event: PointerEvent<HTMLElement>) => {
    const { current } = dragged;
    if (!current || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const { x, y } = pointOf(event, size);
    move(current.corner, { x: x + current.offset.x, y: y + current.offset.y });
  };
  const add = (corner: number, point: Point) =>
    onChange({ points: points.toSpliced(corner, 0, point), corner });
  const press = (index: number, point: Point) => (event: KeyboardEvent) => {
    const step = stepOf(event);
    if (step) move(index, { x: point.x + step.x, y: point.y + step.y });
    else if (event.key === "Delete" || event.key === "Backspace") remove(index);
    else return;
    event.preventDefault();
  };
  return (
    <ul ref={list} aria-label={rules.corners}>
      {points.map((point, index) => {
        const middle = middleOf(point, defined(points[(index + 1) % points.length]));
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a corner's index in the outline identifies it.
          <li key={index}>
            <button
              type="button"
              className="corner"
              style={styleAt(point, size)}
              aria-label={rules.corner(index + 1, points.length, point.x, point.y)}
              onFocus={() => onChange({ corner: index })}
              onPointerDown={grab(index, point)}
              onPointerMove={drag}
              onKeyDown={press(index, point)}
            />
            {points.length < maxCorners && (
              <button
                type="button"
                className="corner-between"
                style={styleAt(middle, size)}
                aria-label={rules.addCorner(index + 1)}
                onPointerDown={(event) => {
                  grab(index + 1, middle)(event);
                  add(index + 1, middle);
                }}
                onPointerMove={drag}
                onPointerUp={() => setFocused(index + 1)}
                onClick={({ detail }) => {
                  // A pointer has added it when it was pressed.
                  if (detail > 0) return;
                  add(index + 1, middle);
                  setFocused(index + 1);
                }}
              />
            )}
          </li>
        );
      })}
    </ul>
  );
}

interface PenProps {
  size: Size;
  points: readonly Point[];
  onChange: (change: AreaChange) => void;
}

/**
 * Adds corners one after the other, at the position of a click or where the arrow keys led. A corner follows
 * the pointer until that is released.
 */
function Pen({ size, points, onChange }: PenProps) {
  const rules = useTexts();
  const [at, setAt] = useState<Point>({ x: Math.round(size.width / 2), y: Math.round(size.height / 2) });
  const [isByKeys, setByKeys] = useState(false);
  const pen = useRef<HTMLButtonElement>(null);
  useEffect(() => pen.current?.focus(), []);
  const add = (point: Point) => {
    if (points.length < maxCorners) onChange({ points: [...points, point] });
  };
  const close = () => {
    if (points.length >= minCorners) onChange({ isClosed: true });
  };
  const press = (event: KeyboardEvent) => {
    const step = stepOf(event);
    if (step) {
      setByKeys(true);
      setAt(within(size, { x: at.x + step.x, y: at.y + step.y }));
    } else if (event.key === " ") {
      setByKeys(true);
      add(at);
    } else if (event.key === "Enter") close();
    else if (event.key === "Backspace") onChange({ points: points.slice(0, -1) });
    else return;
    event.preventDefault();
  };
  const put = (event: PointerEvent<HTMLElement>) => {
    if (points.length >= maxCorners) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    setByKeys(false);
    add(pointOf(event, size));
  };
  const drag = (event: PointerEvent<HTMLElement>) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId) && points.length > 0)
      onChange({ points: points.with(-1, pointOf(event, size)) });
  };
  const [first] = points;
  return (
    <>
      <button
        ref={pen}
        type="button"
        className="pen"
        aria-label={rules.pen(points.length)}
        aria-describedby="pen-keys"
        onPointerDown={put}
        onPointerMove={drag}
        onKeyDown={press}
      />
      <span className="visually-hidden" role="status">
        {isByKeys ? `${at.x}, ${at.y}` : ""}
      </span>
      {isByKeys && <span className="crosshair" style={styleAt(at, size)} aria-hidden="true" />}
      {points.slice(1).map((point, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a corner's index in the outline identifies it.
        <span key={index} className="corner-set" style={styleAt(point, size)} aria-hidden="true" />
      ))}
      {first && (
        <button
          type="button"
          className="corner"
          style={styleAt(first, size)}
          aria-label={rules.closeOutline}
          disabled={points.length < minCorners}
          onClick={close}
        />
      )}
    </>
  );
}

const styleAt = ({ x, y }: Point, { width, height }: Size) => ({
  left: `${(x / width) * 100}%`,
  top: `${(y / height) * 100}%`,
});

function pointOf({ currentTarget, clientX, clientY }: PointerEvent, size: Size) {
  const { left, top, width, height } = defined(currentTarget.closest(".area-editor")).getBoundingClientRect();
  return within(size, {
    x: ((clientX - left) / width) * size.width,
    y: ((clientY - top) / height) * size.height,
  });
}
