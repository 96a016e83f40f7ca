import { useEffect, useId, useRef, useState } from "react";
import { useClient } from "urql";
import { AlertDetailsDocument } from "../../generated/console.js";
import { CoveringPanel } from "../alerts/covering-panel.js";
import { type AlertSelection, alertParametersOf } from "../alerts/filter/alert-filter.js";
import { isOpen } from "../alerts/filter/alert-matching.js";
import type { AlertStream } from "../alerts/list/alert-stream.js";
import { useAlertTexts } from "../alerts/texts.js";
import { pictureSource } from "../data/picture.js";
import { changeQuery, type QueryChanges } from "../navigation/location.js";
import { AcknowledgeIcon } from "../shell/icons.js";
import { Notice } from "../shell/notice/notice.js";

export const reviewParameters = (selection: AlertSelection): QueryChanges => ({
  ...alertParametersOf({ ...selection, open: true, acknowledged: undefined, falsePositive: undefined }),
  review: "on",
});

export const isReview = (address: URLSearchParams): boolean => address.get("review") === "on";

/** The first open alert from a position on; undefined if an alert before it has not been read. */
function nextOpen(stream: AlertStream, from: number) {
  for (let position = from; position < stream.total; position += 1) {
    const alert = stream.at(position);
    if (!alert || isOpen(alert)) return alert;
  }
  return undefined;
}

/** The number of alerts that are read at the beginning of a review. */
const firstAlerts = 5;

interface ReviewOptions {
  stream: AlertStream;
  isOn: boolean;
  openId: string | null;
  /** Waits until the acknowledgements so far have been answered. */
  settled: () => Promise<void>;
  /** Goes to the next alert of the list, outside of a review. */
  step: () => void;
}

interface Review {
  isDone: boolean;
  /**
   * Opens the next open alert. After the last one, begins with those that were left out. Outside of a
   * review, goes to the next alert.
   */
  goOn: () => Promise<void>;
}

export function useReview({ stream, isOn, openId, settled, step }: ReviewOptions): Review {
  const [isReading, setReading] = useState(false);
  const isBetween = isOn && openId === null && stream.isReady && !isReading;
  const firstId = isBetween ? nextOpen(stream, 0)?.id : undefined;
  useEffect(() => {
    if (firstId !== undefined) changeQuery({ alert: firstId }, { replace: true });
  }, [firstId]);
  // The reader may have begun far down in the list.
  useEffect(() => {
    if (isBetween) stream.show(0, firstAlerts);
  }, [stream, isBetween]);
  const isAllRead = stream.total === 0 || stream.at(0) !== undefined;
  return {
    isDone: isBetween && !stream.failure && isAllRead && firstId === undefined,
    goOn: async () => {
      if (!isOn) return step();
      const position = openId === null ? -1 : stream.indexOf(openId);
      const next = nextOpen(stream, position + 1);
      if (next) {
        changeQuery({ alert: next.id }, { replace: true });
        return;
      }
      setReading(true);
      await settled();
      stream.show(0, firstAlerts);
      await stream.reload();
      changeQuery({ alert: undefined }, { replace: true });
      setReading(false);
    },
  };
}

export function ReviewEnd({ onClose }: { onClose: () => void }) {
  const texts = useAlertTexts().review;
  const titleId = useId();
  return (
    <CoveringPanel labelledBy={titleId}>
      <Notice
        icon={<AcknowledgeIcon />}
        title={texts.doneTitle}
        titleId={titleId}
        actions={
          <button type="button" className="primary" onClick={onClose}>
            {texts.back}
          </button>
        }
      >
        {texts.doneText}
      </Notice>
    </CoveringPanel>
  );
}

export const alertsAhead = 5;

/** Loads a picture, and decodes it: shown later, it is drawn at once. */
function decodedPicture(source: string) {
  const picture = new Image();
  picture.src = source;
  // An error is no concern here: whatever shows the picture later says that it cannot be shown.
  picture.decode().catch(() => undefined);
  return picture;
}

/** Reads the alerts after a position of a stream, and loads their pictures, so that they are shown without waiting. */
export function useNextAlerts(stream: AlertStream, position: number): void {
  const client = useClient();
  const loaded = useRef(new Map<string, HTMLImageElement | undefined>());
  // This runs after each rendering, as the alerts may have been read meanwhile.
  useEffect(() => {
    if (position < 0) return;
    const next = [...stream.between(position + 1, position + alertsAhead)];
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
