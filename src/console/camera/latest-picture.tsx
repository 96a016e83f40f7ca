import { useRef, useState } from "react";
import type { ShownCameraFragment } from "../../generated/console.js";
import { isolated } from "../../platform/text-direction.js";
import { CameraPicture } from "../fleet/camera-picture.js";
import { useLanguage } from "../language/language.js";
import { useNow } from "../language/now.js";
import { type LiveState, useLiveView } from "./live-view.js";
import { useTexts } from "./texts.js";

/**
 * The latest picture of a camera, with its age, or its live view: what is not of now never
 * looks live.
 */
export function LatestPicture({ camera }: { camera: ShownCameraFragment }) {
  const texts = useTexts();
  const { id, state, imageDimensions, liveUrl } = camera;
  const [isLive, setLive] = useState(false);
  const shape = imageDimensions
    ? { aspectRatio: `${imageDimensions.width} / ${imageDimensions.height}` }
    : {};
  return (
    <div className="latest-picture" data-live={state === "WORKING"} style={shape}>
      {isLive ? <LivePicture key={id} camera={camera} /> : <StillPicture camera={camera} />}
      {(liveUrl !== null || isLive) && (
        <button
          type="button"
          className="live-control"
          aria-pressed={isLive}
          onClick={() => setLive((was) => !was)}
        >
          {texts.live.control}
        </button>
      )}
    </div>
  );
}

function StillPicture({ camera }: { camera: ShownCameraFragment }) {
  const { name, imageLink, thumbnailUrl } = camera;
  return (
    <>
      <CameraPicture name={name} links={[imageLink, thumbnailUrl]} />
      {imageLink && (
        <span className="picture-age">
          <PictureAge camera={camera} />
        </span>
      )}
    </>
  );
}

/** The live view of a camera, before its latest picture until the first frame comes. */
function LivePicture({ camera }: { camera: ShownCameraFragment }) {
  const texts = useTexts();
  const canvas = useRef<HTMLCanvasElement>(null);
  const state = useLiveView(camera.id, canvas);
  const hasFrame = state === "showing" || state === "stalled";
  return (
    <>
      {!hasFrame && <StillPicture camera={camera} />}
      <canvas
        ref={canvas}
        hidden={!hasFrame}
        role="img"
        aria-label={texts.live.viewOf(isolated(camera.name))}
        data-state={state}
      />
      <LiveStateName state={state} />
    </>
  );
}

function LiveStateName({ state }: { state: LiveState }) {
  const { states } = useTexts().live;
  return (
    <span className="live-state" role="status" data-state={state}>
      {states[state]}
    </span>
  );
}

function PictureAge({ camera: { state, pictureAt, streamType } }: { camera: ShownCameraFragment }) {
  const { formats } = useLanguage();
  const texts = useTexts();
  const now = useNow();
  if (pictureAt === null) return texts.pictureOfUnknownAge;
  const age = formats.relative(pictureAt, now);
  if (streamType === "CLIENT") return texts.uploadedPicture(age);
  return state === "WORKING" ? texts.pictureOf(age) : texts.oldPicture(age);
}
