import { useEffect, useRef } from "react";
import { useClient } from "urql";
import { AlertDetailsDocument } from "../../generated/console.js";
import type { AlertStream } from "../alerts/alert-stream.js";
import { pictureSource } from "../data/picture.js";

/** The number of alerts that are loaded ahead. */
export const alertsAhead = 5;

/** Loads a picture, and decodes it: shown later, it is drawn at once. */
function decodedPicture(source: string): HTMLImageElement {
  const picture = new Image();
  picture.src = source;
  // The place where the picture is shown says that it cannot be.
  picture.decode().catch(() => undefined);
  return picture;
}

/**
 * Reads the alerts after a place of a stream, and loads their pictures, so that the next
 * ones are shown without waiting.
 */
export function useNextAlerts(stream: AlertStream, place: number): void {
  const client = useClient();
  const loaded = useRef(new Map<string, HTMLImageElement | undefined>());
  // After each rendering, as the alerts may have been read meanwhile.
  useEffect(() => {
    if (place < 0) return;
    const next = [...stream.between(place + 1, place + alertsAhead)];
    const before = loaded.current;
    loaded.current = new Map(
      next.map(({ id, url, proxiedUrl }) => {
        if (before.has(id)) return [id, before.get(id)];
        void client.query(AlertDetailsDocument, { id }, { requestPolicy: "cache-first" }).toPromise();
        const source = pictureSource(url) ?? pictureSource(proxiedUrl);
        return [id, source === undefined ? undefined : decodedPicture(source)];
      }),
    );
  });
}
