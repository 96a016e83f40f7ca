import "./camera.css";
import { type RefObject, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { type Client, useClient } from "urql";
import { type LatestPictureFragment, LiveCameraDocument } from "../../generated/console.js";
import { isolated } from "../../platform/text/text-direction.js";
import { pauseBefore } from "../data/recovery.js";
import { CameraPicture } from "../fleet/camera-picture.js";
import { useLanguage, useNow } from "../language/language.js";
import { settings } from "../page-settings.js";
import { readFrames } from "./live-frames.js";
import { useTexts } from "./texts.js";

/** The latest picture of a camera, with its age, or its live view: what is not of now never looks live. */
export function LatestPicture({
  camera,
  startsLive = false,
}: {
  camera: LatestPictureFragment;
  startsLive?: boolean;
}) {
  const texts = useTexts();
  const { id, state, imageDimensions, liveUrl } = camera;
  const [isLive, setLive] = useState(startsLive);
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

function StillPicture({ camera }: { camera: LatestPictureFragment }) {
  const { name, imageLink, thumbnailUrl } = camera;
  return (
    <>
      <CameraPicture name={name} links={[imageLink, thumbnailUrl]} />
      {(imageLink ?? thumbnailUrl) && (
        <span className="picture-age">
          <PictureAge camera={camera} />
        </span>
      )}
    </>
  );
}

function LivePicture({ camera }: { camera: LatestPictureFragment }) {
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
      {state === "stalled" && <AgeOfLastFrame />}
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

function AgeOfLastFrame() {
  const { formats } = useLanguage();
  const now = useNow();
  const [shownAt] = useState(now.getTime() - freshness);
  return <span className="picture-age">{useTexts().pictureOf(formats.relative(shownAt, now))}</span>;
}

function PictureAge({ camera: { state, pictureAt, streamType } }: { camera: LatestPictureFragment }) {
  const { formats } = useLanguage();
  const texts = useTexts();
  const now = useNow();
  if (pictureAt === null) return texts.pictureOfUnknownAge;
  const age = formats.relative(pictureAt, now);
  if (streamType === "CLIENT") return texts.uploadedPicture(age);
  return state === "WORKING" ? texts.pictureOf(age) : texts.oldPicture(age);
}

type LiveState =
  /** No frame has come yet. */
  | "opening"
  | "showing"
  /** The last frame is too old to look live. */
  | "stalled"
  /** The stream cannot be opened at present. */
  | "unavailable"
  /** The viewer or the workspace has too many live views. */
  | "crowded";

/** A frame looks live for this time, in milliseconds. */
const freshness = 5_000;

/**
 * Shows the live view of a camera on a canvas while the page is visible. Whenever the view ends, opens it by a new
 * link: a link is good for a few minutes only.
 */
function useLiveView(id: string, canvas: RefObject<HTMLCanvasElement | null>) {
  const client = useClient();
  const isVisible = useSyncExternalStore(onVisibilityChange, () => document.visibilityState === "visible");
  const [state, setState] = useState<LiveState>("opening");
  useEffect(() => {
    if (!isVisible) return;
    const left = new AbortController();
    void keepOpen({ client, id, signal: left.signal, setState, canvas });
    return () => {
      left.abort();
      setState("opening");
    };
  }, [client, id, isVisible, canvas]);
  return state;
}

function onVisibilityChange(listener: () => void) {
  document.addEventListener("visibilitychange", listener);
  return () => document.removeEventListener("visibilitychange", listener);
}

interface OpenView {
  client: Client;
  id: string;
  signal: AbortSignal;
  setState: (state: LiveState) => void;
  canvas: RefObject<HTMLCanvasElement | null>;
}

async function keepOpen(view: OpenView) {
  const { signal, setState } = view;
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    const outcome = await show(view, () => {
      attempt = 0;
    }).catch((): LiveState => "unavailable");
    if (signal.aborted) return;
    setState(outcome);
    await new Promise((resolve) => setTimeout(resolve, pauseBefore(attempt)));
  }
}

/** Shows the frames of one connection, and returns what the view shows after its end. */
async function show(view: OpenView, onFrame: () => void): Promise<LiveState> {
  const { client, id, signal, setState, canvas } = view;
  const { data } = await client.query(LiveCameraDocument, { id }, { requestPolicy: "network-only" });
  const source = liveSource(data?.camera?.liveUrl);
  if (source === undefined || signal.aborted) return "unavailable";
  const response = await fetch(source, { signal, cache: "no-store" });
  if (!response.ok || !response.body) return response.status === 429 ? "crowded" : "unavailable";
  let stalling: ReturnType<typeof setTimeout> | undefined;
  try {
    for await (const frame of readFrames(response.body)) {
      await draw(frame, canvas.current);
      if (signal.aborted) break;
      onFrame();
      setState("showing");
      clearTimeout(stalling);
      stalling = setTimeout(() => setState("stalled"), freshness);
    }
  } finally {
    clearTimeout(stalling);
  }
  return "stalled";
}

/** The path of a link to a live view of this gateway. */
const liveSource = (link: string | null | undefined) =>
  link?.startsWith(`${settings.publicUrl}/cameras/`) ? link.slice(settings.publicUrl.length) : undefined;

async function draw(frame: Blob, canvas: HTMLCanvasElement | null) {
  const picture = await createImageBitmap(frame);
  if (canvas) {
    canvas.width = picture.width;
    canvas.height = picture.height;
    canvas.getContext("2d")?.drawImage(picture, 0, 0);
  }
  picture.close();
}
