import "./alert-list.css";
import { type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from "react";
import { defined } from "../../../platform/defined.js";
import { useMessages } from "../../language/language.js";
import { useAlertTexts } from "../texts.js";
import type { AlertStream } from "./alert-stream.js";
import { AlertTile } from "./alert-tile.js";
import { useWindowRows } from "./window-rows.js";

/** Methods that move the focus and the list. */
export interface AlertListHandle {
  focusedId: () => string | undefined;
  /** Moves the focus by a number of alerts. */
  move: (by: number) => void;
  focus: (id: string) => void;
  /** Shows the newly raised alerts, at the top. */
  showNew: () => void;
}

interface AlertListProps {
  stream: AlertStream;
  layout: "grid" | "list";
  /** Whether an open alert covers the list. */
  isCovered: boolean;
  selected: ReadonlySet<string>;
  mayMark: (id: string) => boolean;
  onSelect: (id: string, isRange: boolean) => void;
  /** Told of each alert whose tile has been painted; always the same function. */
  onPainted: (id: string) => void;
  ref: Ref<AlertListHandle>;
}

/** The maximum distance from the top, in pixels, that still counts as the top. */
const nearTop = 8;

// In rem, so that a larger font gets larger tiles.
const sizes = {
  gap: 0.75,
  leastTile: 16.5,
  leastTileNarrow: 9,
  narrow: 37,
  tileText: 7.4,
  tileTextNarrow: 7.7,
  row: 4.75,
  rowNarrow: 7.25,
};

interface Geometry {
  columns: number;
  rowHeight: number;
}

/** The number of tiles in a row, and their height. */
function geometryOf(width: number, layout: "grid" | "list"): Geometry {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const isNarrow = width < sizes.narrow * rem;
  if (layout === "list") return { columns: 1, rowHeight: (isNarrow ? sizes.rowNarrow : sizes.row) * rem };
  const gap = sizes.gap * rem;
  const least = (isNarrow ? sizes.leastTileNarrow : sizes.leastTile) * rem;
  const columns = Math.max(1, Math.floor((width + gap) / (least + gap)));
  const tileWidth = (width - gap * (columns - 1)) / columns;
  return {
    columns,
    rowHeight: Math.round(
      (tileWidth * 9) / 16 + (isNarrow ? sizes.tileTextNarrow : sizes.tileText) * rem + gap,
    ),
  };
}

/** All alerts of a stream, in rows. Only those in sight are rendered, so the number of alerts has no limit. */
export function AlertList({
  stream,
  layout,
  isCovered,
  selected,
  mayMark,
  onSelect,
  onPainted,
  ref,
}: AlertListProps) {
  const messages = useMessages();
  const alertTexts = useAlertTexts();
  const list = useRef<HTMLUListElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const [{ columns, rowHeight }, setGeometry] = useState<Geometry>({ columns: 1, rowHeight: 0 });
  useLayoutEffect(() => {
    const element = defined(frame.current);
    const observer = new ResizeObserver(() =>
      setGeometry((present) => sameOr(present, geometryOf(element.clientWidth, layout))),
    );
    observer.observe(element);
    setGeometry((present) => sameOr(present, geometryOf(element.clientWidth, layout)));
    return () => observer.disconnect();
  }, [layout]);
  const rows = useWindowRows(frame, rowHeight, rowHeight === 0 ? 0 : Math.ceil(stream.total / columns));
  const first = rows.first * columns;
  const last = rowHeight === 0 ? -1 : Math.min(stream.total, (rows.last + 1) * columns) - 1;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new number of alerts changes the shown ones, too.
  useEffect(() => stream.show(first, last), [stream, first, last, stream.total]);

  useEffect(() => {
    const follow = () => {
      const isAtTop = window.scrollY <= nearTop;
      stream.holdsBack = !isAtTop || selected.size > 0;
      if (!stream.holdsBack) stream.release();
    };
    follow();
    window.addEventListener("scroll", follow, { passive: true });
    return () => window.removeEventListener("scroll", follow);
  }, [stream, selected]);

  const wanted = useRef<number>(undefined);
  const focusedId = () => document.activeElement?.closest<HTMLElement>("[data-alert]")?.dataset.alert;
  const linkAt = (index: number) =>
    list.current?.querySelector<HTMLElement>(`[aria-posinset="${index + 1}"] .alert-link`);
  const focusAt = (index: number) => {
    const rowTop = rows.topOf(Math.floor(index / columns));
    // The header and the filters cover the top of the window.
    if (rowTop < 140 || rowTop + rowHeight > window.innerHeight)
      rows.scrollBy(rowTop - window.innerHeight / 3);
    wanted.current = index;
    focusWanted();
  };
  const focusWanted = () => {
    const link = wanted.current === undefined ? undefined : linkAt(wanted.current);
    if (!link) return;
    wanted.current = undefined;
    link.focus({ preventScroll: true });
    // In a low window, the end of a tall tile would be behind the navigation.
    link.scrollIntoView({ block: "nearest" });
  };
  // The row may be rendered only after scrolling there, and its alert read later still.
  useEffect(focusWanted);
  const showNew = () => {
    window.scrollTo(0, 0);
    stream.release();
  };
  useImperativeHandle(ref, () => ({
    focusedId,
    showNew,
    move: (by) => {
      const id = focusedId();
      const from = id === undefined ? undefined : stream.indexOf(id);
      focusAt(Math.max(0, Math.min(stream.total - 1, from === undefined || from < 0 ? first : from + by)));
    },
    focus: (id) => {
      const index = stream.indexOf(id);
      if (index >= 0) focusAt(index);
    },
  }));

  const style = {
    "--columns": columns,
    "--row-height": `${rowHeight}px`,
    "--height": `${rows.height}px`,
    "--offset": `${rows.top}px`,
  };
  return (
    <>
      <p className="new-alerts" role="status">
        {stream.waiting > 0 && !isCovered && (
          <button type="button" className="primary" onClick={showNew}>
            ↑ {alertTexts.newAlerts(stream.waiting)}
          </button>
        )}
      </p>
      {last - first + 1 < stream.total && (
        <p className="alerts-listed hint">{alertTexts.listed(first + 1, last + 1, stream.total)}</p>
      )}
      <div ref={frame} className="alert-frame" data-layout={layout} style={style} aria-busy={!stream.isReady}>
        <ul ref={list} className="alert-list" aria-label={messages.views.alerts}>
          {Array.from({ length: Math.max(0, last - first + 1) }, (_, offset) => {
            const index = first + offset;
            const alert = stream.at(index);
            return (
              <li
                key={alert?.id ?? index}
                className="alert-item"
                data-alert={alert?.id}
                data-fresh={alert && stream.isFresh(alert.id)}
                data-selected={alert && selected.has(alert.id)}
                aria-setsize={stream.total}
                aria-posinset={index + 1}
              >
                {alert ? (
                  <AlertTile
                    alert={alert}
                    isSelected={selected.has(alert.id)}
                    onSelect={mayMark(alert.id) ? onSelect : undefined}
                    onPainted={onPainted}
                  />
                ) : (
                  <span className="alert-placeholder" />
                )}
              </li>
            );
          })}
        </ul>
      </div>
    </>
  );
}

const sameOr = (present: Geometry, next: Geometry) =>
  present.columns === next.columns && present.rowHeight === next.rowHeight ? present : next;
