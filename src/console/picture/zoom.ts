/** A point of a frame, as shares of its width and height. */
export interface FramePoint {
  x: number;
  y: number;
}

/** How a picture is enlarged in its frame, with its offset. */
interface Zoom extends FramePoint {
  scale: number;
}

export const wholePicture: Zoom = { scale: 1, x: 0, y: 0 };

const greatestScale = 8;

const between = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most);

/** Keeps the frame filled. */
const within = ({ scale, x, y }: Zoom): Zoom => ({
  scale,
  x: between(x, 1 - scale, 0),
  y: between(y, 1 - scale, 0),
});

/** Enlarges by a factor. What is at a point of the frame stays there. */
export function enlarged(zoom: Zoom, factor: number, { x, y }: FramePoint): Zoom {
  const scale = between(zoom.scale * factor, 1, greatestScale);
  const change = scale / zoom.scale;
  return within({ scale, x: x - (x - zoom.x) * change, y: y - (y - zoom.y) * change });
}

export const moved = ({ scale, x, y }: Zoom, by: FramePoint): Zoom =>
  within({ scale, x: x + by.x, y: y + by.y });
