import { type RefObject, useEffect, useState, useSyncExternalStore } from "react";
import { type Client, useClient } from "urql";
import { LiveCameraDocument } from "../../generated/console.js";
import { pauseBefore } from "../data/recovery.js";
import { settings } from "../page-settings.js";
import { readFrames } from "./live-frames.js";

/** What a live view shows. */
export type LiveState =
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
 * Shows the live view of a camera on a canvas while the page is visible. Whenever the view
 * ends, it is opened again by a new link: a link is good for a few minutes only.
 */
export function useLiveView(id: string, canvas: RefObject<HTMLCanvasElement | null>): LiveState {
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

function onVisibilityChange(listener: () => void): () => void {
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

async function keepOpen(view: OpenView): Promise<void> {
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
const liveSource = (link: string | null | undefined): string | undefined =>
  link?.startsWith(`${settings.publicUrl}/cameras/`) ? link.slice(settings.publicUrl.length) : undefined;

async function draw(frame: Blob, canvas: HTMLCanvasElement | null): Promise<void> {
  const picture = await createImageBitmap(frame);
  if (canvas) {
    canvas.width = picture.width;
    canvas.height = picture.height;
    canvas.getContext("2d")?.drawImage(picture, 0, 0);
  }
  picture.close();
}
