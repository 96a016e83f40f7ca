import "../../fleet/camera-state.css";
import "./alert-picture.css";
import { useEffect, useRef, useState } from "react";
import { useQuery } from "urql";
import { type AlertItemFragment, PictureOfCameraDocument } from "../../../generated/console.js";
import { defined } from "../../../platform/defined.js";
import type { Point, Size } from "../../../platform/geometry.js";
import { isolated } from "../../../platform/text/text-direction.js";
import { pictureSource } from "../../data/picture.js";
import { useLanguage, useNow } from "../../language/language.js";
import { CameraIcon } from "../../shell/view-icons.js";
import { useAlertTexts } from "../texts.js";

type DrawnAlert = Pick<
  AlertItemFragment,
  "area" | "violatingCoordinates" | "imageDimensions" | "canvasDimensions"
>;

interface AlertPictureProps {
  alert: AlertItemFragment;
  /** Whether the picture fills its frame, as in the stream, or else is shown whole. */
  fills?: boolean;
  isDrawn?: boolean;
  /** Told of the alert once its picture, or what is there instead, has been painted in sight. */
  onPainted?: ((id: string) => void) | undefined;
}

/** Calls a function once an element has come into sight and been painted. Returns a function that stops waiting. */
function onceSeen(element: Element, run: () => void) {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    observer.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => element.isConnected && run()));
  });
  observer.observe(element);
  return () => observer.disconnect();
}

export function AlertPicture({ alert, fills = false, isDrawn = true, onPainted }: AlertPictureProps) {
  const { words } = useLanguage();
  const alertTexts = useAlertTexts();
  const [natural, setNatural] = useState<Size>();
  const [failed, setFailed] = useState<readonly string[]>([]);
  const thumbnail = fills ? pictureSource(alert.thumbnailUrl) : undefined;
  const original = pictureSource(alert.url);
  const sources = [thumbnail, original, pictureSource(alert.proxiedUrl)];
  const source = sources.find((each) => each !== undefined && !failed.includes(each));
  if (!source)
    return (
      <MissingPicture
        alert={alert}
        fills={fills}
        isDrawn={isDrawn}
        hasFailed={original !== undefined}
        onRetry={() => setFailed([])}
        onPainted={onPainted}
      />
    );
  // Without sizes from the detector, points are in pixels of the full picture, never of a smaller one.
  const size = alert.imageDimensions ?? (source === original ? natural : alert.canvasDimensions) ?? undefined;
  return (
    <>
      <img
        src={source}
        alt={
          fills
            ? ""
            : alertTexts.pictureOf(isolated(words.alertType(alert.name)), isolated(alert.camera.name))
        }
        decoding="async"
        onLoad={({ currentTarget: image }) => {
          setNatural({ width: image.naturalWidth, height: image.naturalHeight });
          const wait = () => onceSeen(image, () => onPainted?.(alert.id));
          void image.decode().then(wait, wait);
        }}
        onError={() => setFailed([...failed, source])}
      />
      {isDrawn && size && <Drawing alert={alert} size={size} fills={fills} />}
    </>
  );
}

/** Draws the area and the points of an alert, scaled from the canvas to the picture, whose proportions its box has. */
function Drawing({
  alert: { area, violatingCoordinates, canvasDimensions, imageDimensions },
  size,
  fills,
}: {
  alert: DrawnAlert;
  size: Size;
  fills: boolean;
}) {
  const canvas = canvasDimensions ?? imageDimensions ?? size;
  const scaled = ({ x, y }: Point) =>
    `${(x * size.width) / canvas.width} ${(y * size.height) / canvas.height}`;
  if (!area?.length && !violatingCoordinates?.length) return null;
  // A line without length gets round ends: a point of the same size at any scale.
  const points = violatingCoordinates?.map((point) => `M${scaled(point)}h0`).join("");
  return (
    <svg
      className="alert-drawing"
      viewBox={`0 0 ${size.width} ${size.height}`}
      preserveAspectRatio={`xMidYMid ${fills ? "slice" : "meet"}`}
      aria-hidden="true"
    >
      {area && area.length > 0 && <path className="alert-zone" d={`M${area.map(scaled).join("L")}Z`} />}
      {points && (
        <>
          <path className="alert-point-edge" d={points} />
          <path className="alert-point" d={points} />
        </>
      )}
    </svg>
  );
}

interface MissingPictureProps extends Required<Pick<AlertPictureProps, "alert" | "fills" | "isDrawn">> {
  onPainted: AlertPictureProps["onPainted"];
  /** Whether the gateway has a picture, which could not be loaded. */
  hasFailed: boolean;
  onRetry: () => void;
}

function MissingPicture(props: MissingPictureProps) {
  const {
    alert: { id, url },
    fills,
    hasFailed,
    onRetry,
    onPainted,
  } = props;
  const isLink = !fills;
  const { messages } = useLanguage();
  const alertTexts = useAlertTexts();
  const said = useRef<HTMLSpanElement>(null);
  useEffect(() => onceSeen(defined(said.current), () => onPainted?.(id)), [id, onPainted]);
  if (hasFailed)
    return (
      <span ref={said} className="alert-no-picture">
        <CameraIcon />
        <span>{alertTexts.pictureFailed}</span>
        {isLink && (
          <button type="button" onClick={onRetry}>
            {messages.common.retry}
          </button>
        )}
      </span>
    );
  if (!url)
    return (
      <span ref={said} className="alert-camera-picture" data-live="false">
        <PictureOfCamera {...props} />
      </span>
    );
  return (
    <span ref={said} className="alert-no-picture">
      <CameraIcon />
      {isLink ? (
        <a href={url} target="_blank" rel="noreferrer">
          {alertTexts.openPicture}
        </a>
      ) : (
        <span>{alertTexts.pictureElsewhere}</span>
      )}
    </span>
  );
}

/** The camera's newest picture, greyed, with its age: it shows the place, not the event. */
function PictureOfCamera({ alert, fills, isDrawn }: Omit<MissingPictureProps, "onPainted">) {
  const { formats } = useLanguage();
  const now = useNow();
  const alertTexts = useAlertTexts();
  const [{ data }] = useQuery({ query: PictureOfCameraDocument, variables: { id: alert.cameraId } });
  const [hasFailed, setFailed] = useState(false);
  const [natural, setNatural] = useState<Size>();
  const camera = data?.camera;
  const source =
    (fills ? pictureSource(camera?.thumbnailUrl) : undefined) ??
    pictureSource(camera?.imageLink) ??
    pictureSource(camera?.thumbnailUrl);
  const isShown = source !== undefined && !hasFailed;
  const size = camera?.imageDimensions ?? alert.canvasDimensions ?? alert.imageDimensions ?? natural ?? null;
  const taken = camera?.pictureAt ?? null;
  return (
    <>
      {isShown && (
        <img
          src={source}
          alt=""
          decoding="async"
          onLoad={({ currentTarget: image }) =>
            setNatural({ width: image.naturalWidth, height: image.naturalHeight })
          }
          onError={() => setFailed(true)}
        />
      )}
      {isDrawn && size && <Drawing alert={alert} size={size} fills={fills} />}
      {isShown ? (
        <span className="picture-age">
          {taken === null
            ? alertTexts.cameraPictureOfUnknownAge
            : alertTexts.cameraPicture(formats.relative(taken, now))}
        </span>
      ) : (
        <span className="alert-no-picture">
          <CameraIcon />
          <span>{alertTexts.noPicture}</span>
        </span>
      )}
    </>
  );
}
