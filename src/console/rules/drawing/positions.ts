import type { PointerEvent } from "react";
import type { Point, Size } from "../../../platform/geometry.js";
import { within } from "../areas.js";

/** The style of an element at a point of the picture. */
export const placeOf = ({ x, y }: Point, { width, height }: Size) => ({
  left: `${(x / width) * 100}%`,
  top: `${(y / height) * 100}%`,
});

/** The position of the pointer in the picture. */
export function pointOf({ currentTarget, clientX, clientY }: PointerEvent, size: Size): Point {
  const { left, top, width, height } = (
    currentTarget.closest(".area-editor") as HTMLElement
  ).getBoundingClientRect();
  return within(size, {
    x: ((clientX - left) / width) * size.width,
    y: ((clientY - top) / height) * size.height,
  });
}
