import "./zoomable-picture.css";
import { type PointerEvent, type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import { defined } from "../../platform/defined.js";
import { useAlertTexts } from "../alerts/texts.js";
import { useShortcuts } from "../keyboard/shortcuts.js";
import { enlarged, type FramePoint, moved, wholePicture } from "./zoom.js";

/** The factor of a key, a button or a double click. */
const step = 1.5;
/** The factor of one pixel of the wheel. */
const wheelStep = 1.002;
/** The distance that an arrow key moves an enlarged picture, in pixels. */
const arrowDistance = 60;
const lineHeight = 16;
/** The distance over which a finger has to swipe, in pixels. */
const swipeDistance = 50;

/** A position in the frame, in pixels. */
interface Position {
  x: number;
  y: number;
}

const distanceOf = ([one, other]: readonly Position[]) =>
  one && other ? Math.hypot(one.x - other.x, one.y - other.y) : 0;

/**
 * A picture that the reader enlarges and moves: by wheel, fingers, keys, buttons or double clicks, and by
 * dragging. A finger that swipes a whole picture away goes on to the next.
 */
export function ZoomablePicture({
  children,
  onSwipe,
}: {
  children: ReactNode;
  onSwipe: (by: 1 | -1) => void;
}) {
  const texts = useAlertTexts().picture;
  const frame = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState(wholePicture);
  const pointers = useRef(new Map<number, Position>());
  const swipeStart = useRef<number>(undefined);
  const isEnlarged = zoom.scale > 1;

  const positionOf = ({ clientX, clientY }: { clientX: number; clientY: number }): Position => {
    const { left, top } = defined(frame.current).getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  /** A position or a distance as shares of the frame, which may have another size later. */
  const inShares = ({ x, y }: Position): FramePoint => {
    const { clientWidth, clientHeight } = defined(frame.current);
    return { x: x / clientWidth, y: y / clientHeight };
  };
  const enlarge = (factor: number, at?: Position) => {
    const point = at ? inShares(at) : { x: 0.5, y: 0.5 };
    setZoom((present) => enlarged(present, factor, point));
  };
  const move = (x: number, y: number) => {
    const by = inShares({ x, y });
    setZoom((present) => moved(present, by));
  };
  const reset = () => setZoom(wholePicture);

  // React's listener could not keep the page from scrolling.
  const onWheel = useEffectEvent((event: WheelEvent) => {
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? lineHeight : 1);
    enlarge(wheelStep ** -pixels, positionOf(event));
  });
  useEffect(() => {
    const element = defined(frame.current);
    const follow = (event: WheelEvent) => onWheel(event);
    element.addEventListener("wheel", follow, { passive: false });
    return () => element.removeEventListener("wheel", follow);
  }, []);

  const press = (event: PointerEvent) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    pointers.current.set(event.pointerId, positionOf(event));
    const maySwipe = event.pointerType === "touch" && pointers.current.size === 1 && !isEnlarged;
    swipeStart.current = maySwipe ? event.clientX : undefined;
  };
  const drag = (event: PointerEvent) => {
    const before = pointers.current.get(event.pointerId);
    if (!before) return;
    const position = positionOf(event);
    const distance = distanceOf([...pointers.current.values()]);
    pointers.current.set(event.pointerId, position);
    const now = [...pointers.current.values()];
    if (now.length === 1) move(position.x - before.x, position.y - before.y);
    const [one, other] = now;
    if (!one || !other || distance === 0) return;
    enlarge(distanceOf(now) / distance, { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 });
  };
  const release = ({ pointerId, type, clientX }: PointerEvent) => {
    pointers.current.delete(pointerId);
    const distance = clientX - (swipeStart.current ?? clientX);
    swipeStart.current = undefined;
    if (type === "pointerup" && Math.abs(distance) >= swipeDistance) onSwipe(distance < 0 ? 1 : -1);
  };

  useShortcuts(texts.group, [
    { keys: "+", label: texts.enlarge, run: () => enlarge(step) },
    { keys: "-", label: texts.reduce, run: () => enlarge(1 / step) },
    { keys: "0", label: texts.whole, run: reset },
    ...(isEnlarged
      ? [
          { keys: "ArrowLeft", label: texts.left, run: () => move(arrowDistance, 0) },
          { keys: "ArrowRight", label: texts.right, run: () => move(-arrowDistance, 0) },
          { keys: "ArrowUp", label: texts.up, run: () => move(0, arrowDistance) },
          { keys: "ArrowDown", label: texts.down, run: () => move(0, -arrowDistance) },
        ]
      : []),
  ]);
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys and buttons do the same. */}
      <div
        ref={frame}
        className="zoomable"
        data-enlarged={isEnlarged}
        onPointerDown={press}
        onPointerMove={drag}
        onPointerUp={release}
        onPointerCancel={release}
        onDoubleClick={(event) => (isEnlarged ? reset() : enlarge(step * step, positionOf(event)))}
      >
        <div
          className="zoomed"
          style={{
            "--zoom": `translate(${zoom.x * 100}%, ${zoom.y * 100}%) scale(${zoom.scale})`,
          }}
        >
          {children}
        </div>
      </div>
      <fieldset className="zoom-buttons">
        <legend className="visually-hidden">{texts.group}</legend>
        <button
          type="button"
          aria-label={texts.reduce}
          disabled={!isEnlarged}
          onClick={() => enlarge(1 / step)}
        >
          −
        </button>
        {isEnlarged && (
          <button type="button" aria-label={`${texts.percent(zoom.scale)}, ${texts.whole}`} onClick={reset}>
            {texts.percent(zoom.scale)}
          </button>
        )}
        <button type="button" aria-label={texts.enlarge} onClick={() => enlarge(step)}>
          +
        </button>
      </fieldset>
    </>
  );
}
