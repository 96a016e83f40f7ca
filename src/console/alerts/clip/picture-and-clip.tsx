import "./picture-and-clip.css";
import { useCallback, useEffect, useRef, useState } from "react";
import type { AlertItemFragment } from "../../../generated/console.js";
import { useShortcuts } from "../../keyboard/shortcuts.js";
import { useMessages } from "../../language/language.js";
import { ZoomablePicture } from "../../picture/zoomable-picture.js";
import { PauseIcon, PlayIcon } from "../../shell/view-icons.js";
import { AlertPicture } from "../details/alert-picture.js";
import { useAlertTexts } from "../texts.js";
import { clipSource } from "./clip-source.js";

interface PictureAndClipProps {
  alert: AlertItemFragment;
  isDrawn: boolean;
  /** Whether the clip plays by itself once the picture has been seen. */
  playsOnceSeen: boolean;
  onPainted: (id: string) => void;
  onSwipe: (by: 1 | -1) => void;
  /** Reads the alert again: its links may have expired. */
  onRetry: () => void;
}

// What keeps it from playing is told by the element.
const play = (video: HTMLVideoElement | null) => void video?.play().catch(() => undefined);

/** Whether a clip can be fetched, from the gateway or from where it sends browsers to. */
const isThere = (source: string) =>
  fetch(source, { headers: { range: "bytes=0-0" }, redirect: "manual" }).then(
    ({ ok, type }) => ok || type === "opaqueredirect",
    () => false,
  );

const arrows: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };

/** The picture of an alert, and in front of it its clip while that is played. */
export function PictureAndClip({
  alert,
  isDrawn,
  playsOnceSeen,
  onPainted,
  onSwipe,
  onRetry,
}: PictureAndClipProps) {
  const { common } = useMessages();
  const texts = useAlertTexts().clip;
  const source = clipSource(alert);
  const video = useRef<HTMLVideoElement>(null);
  const [isSeen, setSeen] = useState(false);
  const [isPlaying, setPlaying] = useState(false);
  /** In whole seconds; undefined while the picture is shown. */
  const [time, setTime] = useState<number>();
  const [isLoading, setLoading] = useState(false);
  const [failed, setFailed] = useState<{ source: string; isThere: boolean }>();
  const failure = failed?.source === source ? failed : undefined;
  const notePainted = useCallback(
    (id: string) => {
      onPainted(id);
      setSeen(true);
    },
    [onPainted],
  );
  const playsNow = playsOnceSeen && isSeen && source !== undefined;
  useEffect(() => {
    if (playsNow && matchMedia("(prefers-reduced-motion: no-preference)").matches) play(video.current);
  }, [playsNow]);
  const toggle = () => {
    video.current?.focus();
    if (isPlaying) video.current?.pause();
    else play(video.current);
  };
  const fail = async (missed: string) => {
    setPlaying(false);
    setLoading(false);
    setFailed({ source: missed, isThere: await isThere(missed) });
  };
  const retry = () => {
    setFailed(undefined);
    setTime(undefined);
    video.current?.load();
    onRetry();
  };
  useShortcuts(
    texts.title,
    source && !failure
      ? [
          { keys: "p", label: texts.play, run: toggle },
          // The element itself takes the arrows.
          { keys: "←", label: texts.back, run: () => false },
          { keys: "→", label: texts.forward, run: () => false },
        ]
      : [],
  );
  return (
    <>
      <ZoomablePicture onSwipe={onSwipe}>
        <AlertPicture alert={alert} isDrawn={isDrawn} onPainted={notePainted} />
        {source && (
          <video
            ref={video}
            src={source}
            aria-label={texts.title}
            tabIndex={0}
            muted
            playsInline
            // Until it is played, the picture is seen through it.
            preload="none"
            onPlay={() => setPlaying(true)}
            onPause={() => {
              setPlaying(false);
              setLoading(false);
            }}
            onWaiting={() => setLoading(true)}
            onSeeking={() => setLoading(true)}
            onSeeked={() => setLoading(false)}
            onPlaying={() => setLoading(false)}
            onTimeUpdate={({ currentTarget }) => setTime(Math.round(currentTarget.currentTime))}
            onEnded={({ currentTarget }) => {
              currentTarget.load();
              setTime(undefined);
            }}
            onError={() => void fail(source)}
            onKeyDown={(event) => {
              const by = arrows[event.key];
              if (by === undefined) return;
              event.preventDefault();
              event.currentTarget.currentTime += by;
            }}
          />
        )}
      </ZoomablePicture>
      {source && (
        <div className="clip-controls">
          {failure ? (
            <>
              <span role="status">{failure.isThere ? texts.unplayable : texts.unloaded}</span>
              {!failure.isThere && (
                <button type="button" onClick={retry}>
                  {common.retry}
                </button>
              )}
            </>
          ) : (
            <button type="button" aria-pressed={isPlaying} onClick={toggle}>
              {isPlaying ? <PauseIcon /> : <PlayIcon />} {texts.title}{" "}
              <span aria-hidden="true">
                <kbd>p</kbd>
              </span>
            </button>
          )}
          {time !== undefined && !failure && (
            <input
              type="range"
              aria-label={texts.position}
              min={0}
              max={alert.clip?.duration ?? undefined}
              value={time}
              // A field would take the keys of the view.
              onPointerUp={() => video.current?.focus()}
              onChange={({ target }) => {
                setTime(target.valueAsNumber);
                if (video.current) video.current.currentTime = target.valueAsNumber;
              }}
            />
          )}
          {isLoading && (
            <span role="status" className="clip-loading">
              {common.loading}
            </span>
          )}
        </div>
      )}
    </>
  );
}
