import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import type { Point, Size } from "../../../platform/geometry.js";
import { maxCorners, minCorners, stepOf, within } from "../areas.js";
import { useTexts } from "../texts.js";
import type { DrawingChange } from "./drawing.js";
import { placeOf, pointOf } from "./positions.js";

interface PenProps {
  size: Size;
  points: readonly Point[];
  onChange: (change: DrawingChange) => void;
}

/**
 * Adds corners one after the other, at the position of a click or where the arrow keys
 * led. A corner follows the pointer until that is released.
 */
export function Pen({ size, points, onChange }: PenProps) {
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
