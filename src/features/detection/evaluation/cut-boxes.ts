import type { Point, Size } from "../../../platform/geometry.js";

interface Boxed {
  box: Point & Size;
}

/** The objects of a frame with their boxes cut to it, as detectors guess beyond it. Omits those outside of it. */
export function cutToFrame<Each extends Boxed>(objects: readonly Each[], frame: Size): readonly Each[] {
  if (objects.every(({ box }) => isWithin(box, frame))) return objects;
  return objects.flatMap((object) => {
    if (isWithin(object.box, frame)) return object;
    const box = cut(object.box, frame);
    return box.width > 0 && box.height > 0 ? { ...object, box } : [];
  });
}

const isWithin = ({ x, y, width, height }: Boxed["box"], frame: Size): boolean =>
  x >= 0 && y >= 0 && width > 0 && height > 0 && x + width <= frame.width && y + height <= frame.height;

function cut({ x, y, width, height }: Boxed["box"], frame: Size): Boxed["box"] {
  const [left, top] = [Math.max(x, 0), Math.max(y, 0)];
  return {
    x: left,
    y: top,
    width: Math.min(x + width, frame.width) - left,
    height: Math.min(y + height, frame.height) - top,
  };
}
