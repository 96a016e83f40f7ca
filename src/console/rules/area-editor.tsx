import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import {
  maxCorners,
  middleOf,
  minCorners,
  outlineOf,
  type Point,
  type Size,
  stepOf,
  within,
} from "./areas.js";
import { useTexts } from "./texts.js";

/**
 * The outline of an area that is being drawn. Open while the viewer adds corners, then
 * closed.
 */
export interface Outline {
  points: readonly Point[];
  isClosed: boolean;
}

/** Whether a kept value is an outline. */
export function isOutline(value: unknown): value is Outline {
  const { points, isClosed } = (value ?? {}) as Partial<Outline>;
  return (
    typeof isClosed === "boolean" &&
    Array.isArray(points) &&
    points.every((point) => Number.isFinite(point?.x) && Number.isFinite(point?.y))
  );
}

interface AreaEditorProps {
  size: Size;
  color: string;
  outline: Outline;
  onChange: (outline: Outline) => void;
}

/** Draws an area over a picture, with a pointer or only with keys. */
export function AreaEditor({ size, color, outline, onChange }: AreaEditorProps) {
  const { points, isClosed } = outline;
  return (
    <div className="area-editor">
      <svg viewBox={`0 0 ${size.width} ${size.height}`} preserveAspectRatio="none" aria-hidden="true">
        {isClosed ? (
          <polygon
            className="area"
            data-selected="true"
            points={outlineOf(points)}
            stroke={color}
            fill={color}
          />
        ) : (
          <polyline className="area" points={outlineOf(points)} stroke={color} fill="none" />
        )}
      </svg>
      {isClosed ? (
        <Corners
          size={size}
          points={points}
          onChange={(changed) => onChange({ points: changed, isClosed: true })}
        />
      ) : null}
      {isClosed ? null : <Pen size={size} points={points} onChange={onChange} />}
    </div>
  );
}

interface CornersProps {
  size: Size;
  points: readonly Point[];
  onChange: (points: readonly Point[]) => void;
}

/** The corners of a closed outline. The viewer can move, remove and add corners. */
function Corners({ size, points, onChange }: CornersProps) {
  const rules = useTexts();
  const list = useRef<HTMLUListElement>(null);
  const [focused, setFocused] = useState<number>();
  useEffect(() => {
    if (focused === undefined) return;
    list.current?.querySelectorAll<HTMLElement>(".corner")[focused]?.focus();
    setFocused(undefined);
  }, [focused]);
  const move = (index: number, to: Point) => onChange(points.with(index, within(size, to)));
  const remove = (index: number) => {
    if (points.length <= minCorners) return;
    onChange(points.toSpliced(index, 1));
    setFocused(Math.max(0, index - 1));
  };
  const drag = (index: number) => (event: PointerEvent<HTMLElement>) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) move(index, pointOf(event, size));
  };
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
        const middle = middleOf(point, points[(index + 1) % points.length] as Point);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a corner's place in the outline identifies it.
          <li key={index}>
            <button
              type="button"
              className="corner"
              style={placeOf(point, size)}
              aria-label={rules.corner(index + 1, points.length, point.x, point.y)}
              onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
              onPointerMove={drag(index)}
              onKeyDown={press(index, point)}
            />
            {points.length < maxCorners && (
              <button
                type="button"
                className="corner-between"
                style={placeOf(middle, size)}
                aria-label={rules.addCorner(index + 1)}
                onClick={() => {
                  onChange(points.toSpliced(index + 1, 0, middle));
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
  onChange: (outline: Outline) => void;
}

/**
 * Adds corners one after the other, at the position of a click or where the arrow keys
 * led.
 */
function Pen({ size, points, onChange }: PenProps) {
  const rules = useTexts();
  const [at, setAt] = useState<Point>({ x: Math.round(size.width / 2), y: Math.round(size.height / 2) });
  const [isByKeys, setByKeys] = useState(false);
  const pen = useRef<HTMLButtonElement>(null);
  useEffect(() => pen.current?.focus(), []);
  const add = (point: Point) =>
    points.length < maxCorners && onChange({ points: [...points, point], isClosed: false });
  const close = () => points.length >= minCorners && onChange({ points, isClosed: true });
  const press = (event: KeyboardEvent) => {
    const step = stepOf(event);
    if (step) {
      setByKeys(true);
      setAt(within(size, { x: at.x + step.x, y: at.y + step.y }));
    } else if (event.key === " ") {
      setByKeys(true);
      add(at);
    } else if (event.key === "Enter") close();
    else if (event.key === "Backspace") onChange({ points: points.slice(0, -1), isClosed: false });
    else return;
    event.preventDefault();
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
        onPointerDown={(event) => {
          setByKeys(false);
          add(pointOf(event, size));
        }}
        onKeyDown={press}
      />
      <span className="visually-hidden" role="status">
        {isByKeys ? `${at.x}, ${at.y}` : ""}
      </span>
      {isByKeys && <span className="crosshair" style={placeOf(at, size)} aria-hidden="true" />}
      {points.slice(1).map((point, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a corner's place in the outline identifies it.
        <span key={index} className="corner-placed" style={placeOf(point, size)} aria-hidden="true" />
      ))}
      {first && (
        <button
          type="button"
          className="corner"
          style={placeOf(first, size)}
          aria-label={rules.closeOutline}
          disabled={points.length < minCorners}
          onClick={close}
        />
      )}
    </>
  );
}

const placeOf = ({ x, y }: Point, { width, height }: Size) => ({
  left: `${(x / width) * 100}%`,
  top: `${(y / height) * 100}%`,
});

/** The position of the pointer in the picture. */
function pointOf({ currentTarget, clientX, clientY }: PointerEvent<HTMLElement>, size: Size): Point {
  const { left, top, width, height } = (
    currentTarget.closest(".area-editor") as HTMLElement
  ).getBoundingClientRect();
  return within(size, {
    x: ((clientX - left) / width) * size.width,
    y: ((clientY - top) / height) * size.height,
  });
}
