import { type PointerEvent, useEffect, useRef, useState } from "react";
import { useMessages } from "../../language/language.js";
import { Dialog } from "../../shell/dialog.js";
import { useTexts } from "../texts.js";

const size = 512;
const maxZoom = 4;
/** How far an arrow key moves the picture, in its pixels on the canvas. */
const step = 16;

interface PictureCropProps {
  file: File;
  isSaving: boolean;
  onSave: (picture: Blob) => void;
  onClose: () => void;
}

/** The middle of the visible square, as shares of the picture, and its magnification. */
interface Frame {
  x: number;
  y: number;
  zoom: number;
}

/** Cuts a picture to a square. Drag it, or move it by the arrow keys. */
export function PictureCrop({ file, isSaving, onSave, onClose }: PictureCropProps) {
  const messages = useMessages();
  const { profile } = useTexts();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [picture, setPicture] = useState<ImageBitmap>();
  const [isUnreadable, setUnreadable] = useState(false);
  const [frame, setFrame] = useState<Frame>({ x: 0.5, y: 0.5, zoom: 1 });
  useEffect(() => {
    let isCurrent = true;
    createImageBitmap(file).then(
      (read) => isCurrent && setPicture(read),
      () => isCurrent && setUnreadable(true),
    );
    return () => {
      isCurrent = false;
    };
  }, [file]);
  useEffect(() => {
    if (picture && canvas.current) draw(canvas.current, picture, frame);
  }, [picture, frame]);
  const move = (right: number, down: number) => {
    if (!picture) return;
    const scale = scaleOf(picture, frame.zoom);
    setFrame(
      within(picture, {
        ...frame,
        x: frame.x - right / (picture.width * scale),
        y: frame.y - down / (picture.height * scale),
      }),
    );
  };
  const drag = (event: PointerEvent<HTMLCanvasElement>) => {
    if (event.buttons === 0) return;
    const ratio = size / event.currentTarget.clientWidth;
    move(event.movementX * ratio, event.movementY * ratio);
  };
  const arrows: Record<string, [number, number]> = {
    ArrowLeft: [-step, 0],
    ArrowRight: [step, 0],
    ArrowUp: [0, -step],
    ArrowDown: [0, step],
  };
  const save = () => canvas.current?.toBlob((blob) => blob && onSave(blob), "image/jpeg", 0.9);
  return (
    <Dialog title={profile.picture} onClose={onClose}>
      <div className="edit-form">
        {isUnreadable ? (
          <p className="problem" role="alert">
            {profile.unreadable}
          </p>
        ) : (
          <>
            <canvas
              ref={canvas}
              className="picture-crop"
              width={size}
              height={size}
              role="img"
              aria-label={profile.cropKeys}
              tabIndex={0}
              onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
              onPointerMove={drag}
              onKeyDown={(event) => {
                const arrow = arrows[event.key];
                if (!arrow) return;
                event.preventDefault();
                move(...arrow);
              }}
            />
            <label className="setting-choice">
              {profile.zoom}
              <input
                type="range"
                min={1}
                max={maxZoom}
                step={0.05}
                value={frame.zoom}
                onChange={({ currentTarget }) =>
                  picture && setFrame(within(picture, { ...frame, zoom: Number(currentTarget.value) }))
                }
              />
            </label>
          </>
        )}
        <div className="form-actions">
          {picture && (
            <button type="button" className="primary" aria-busy={isSaving} onClick={() => isSaving || save()}>
              {profile.savePicture}
            </button>
          )}
          <button type="button" onClick={onClose}>
            {messages.forms.cancel}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

/** The factor from the picture's pixels to those of the canvas. */
const scaleOf = ({ width, height }: ImageBitmap, zoom: number) => (size / Math.min(width, height)) * zoom;

/** The frame, moved so that the square shows nothing beside the picture. */
function within(picture: ImageBitmap, { x, y, zoom }: Frame): Frame {
  const scale = scaleOf(picture, zoom);
  const clamp = (middle: number, pixels: number) => {
    const half = size / 2 / (pixels * scale);
    return Math.min(Math.max(middle, half), 1 - half);
  };
  return { x: clamp(x, picture.width), y: clamp(y, picture.height), zoom };
}

function draw(canvas: HTMLCanvasElement, picture: ImageBitmap, { x, y, zoom }: Frame) {
  const scale = scaleOf(picture, zoom);
  const [width, height] = [picture.width * scale, picture.height * scale];
  const context = canvas.getContext("2d");
  if (!context) return;
  // JPEG has no transparency.
  context.fillStyle = "white";
  context.fillRect(0, 0, size, size);
  context.drawImage(picture, size / 2 - x * width, size / 2 - y * height, width, height);
}
