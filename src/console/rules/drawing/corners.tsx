import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import type { Point, Size } from "../../../platform/geometry.js";
import { maxCorners, middleOf, minCorners, stepOf, within } from "../areas.js";
import { useTexts } from "../texts.js";
import type { DrawingChange } from "./drawing.js";
import { placeOf, pointOf } from "./positions.js";

interface CornersProps {
  size: Size;
  points: readonly Point[];
  onChange: (change: DrawingChange) => void;
}

/** A corner that is being dragged, by the pointer's distance from it. */
interface Drag {
  corner: number;
  offset: Point;
}

/** The corners of a closed outline. The viewer can move, remove and add corners. */
export function Corners({ size, points, onChange }: CornersProps) {
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
        const middle = middleOf(point, points[(index + 1) % points.length] as Point);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a corner's place in the outline identifies it.
          <li key={index}>
            <button
              type="button"
              className="corner"
              style={placeOf(point, size)}
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
                style={placeOf(middle, size)}
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
