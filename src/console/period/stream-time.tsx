import "./stream-time.css";
import { type ReactNode, type RefObject, useContext, useEffect, useRef, useState } from "react";
import type { AlertItemFragment } from "../../generated/console.js";
import type { AlertSelection } from "../alerts/alert-filter.js";
import { ListClock } from "../alerts/list-clock.js";
import { localMoment } from "../alerts/local-time.js";
import { dayNumber, dayOfWeek } from "../language/calendar-days.js";
import { useLanguage } from "../language/language.js";
import { useNow } from "../language/now.js";
import { localDay } from "../language/time-zones.js";
import { StreamHours } from "./stream-hours.js";
import { useTexts } from "./texts.js";

/** More alerts take too long to count by the hour: the database looks at each. */
const mostCounted = 200_000;

interface StreamTimeProps {
  selection: AlertSelection;
  /** The number of alerts in the stream; undefined until it is known. */
  total: number | undefined;
  /** An alert of the stream that has been read. */
  alertOf: (id: string) => AlertItemFragment | undefined;
  children: ReactNode;
}

/**
 * The stream with the day of the alerts in sight above it, and the hours of the day beside
 * it.
 */
export function StreamTime({ selection, total, alertOf, children }: StreamTimeProps) {
  const stream = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  useHeightOfToolbar(frame);
  const id = useFirstInSight(stream);
  const alert = id === undefined ? undefined : alertOf(id);
  const hasHours =
    selection.hoursOfDay.length > 0 || (total !== undefined && total > 0 && total <= mostCounted);
  return (
    <div ref={frame} className="stream-time" data-hours={hasHours}>
      <div ref={stream} className="stream">
        {total !== 0 && <h3 className="stream-day">{alert && <DayInWords alert={alert} />}</h3>}
        {children}
      </div>
      {hasHours && (
        <StreamHours
          selection={selection}
          current={alert && Number(localMoment(alert, {}).time.slice(0, 2))}
        />
      )}
    </div>
  );
}

/** The day of an alert by the clock of the list, which is named if it may be another one. */
function DayInWords({ alert: { createdAt, facility } }: { alert: AlertItemFragment }) {
  const { formats } = useLanguage();
  const { relativeDay } = useTexts();
  const now = useNow();
  const zone = useContext(ListClock) ?? facility.timeZoneId;
  const day = localDay(createdAt, zone);
  const ago = dayNumber(localDay(now, zone)) - dayNumber(day);
  const clock = zone === facility.timeZoneId ? "" : ` (${formats.zone(createdAt, zone)})`;
  const date = `${formats.dayOfWeek(dayOfWeek(day), "long")}, ${formats.date(day)}${clock}`;
  return ago === 0 || ago === 1 ? `${relativeDay(ago)} · ${date}` : date;
}

/** Tells the styles how much of the window the toolbar above the stream covers. */
function useHeightOfToolbar(frame: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const toolbar = frame.current?.parentElement?.querySelector<HTMLElement>(".alert-toolbar");
    if (!toolbar) return;
    const observer = new ResizeObserver(() =>
      frame.current?.style.setProperty("--toolbar-height", `${toolbar.offsetHeight}px`),
    );
    observer.observe(toolbar);
    return () => observer.disconnect();
  }, [frame]);
}

/** The alert at the top of the window; undefined while there is none. */
function useFirstInSight(stream: RefObject<HTMLElement | null>): string | undefined {
  const [id, setId] = useState<string>();
  useEffect(() => {
    let frame: number | undefined;
    const look = () => {
      frame = undefined;
      const items = stream.current?.querySelectorAll<HTMLElement>("[data-alert]") ?? [];
      const heading = stream.current?.querySelector(".stream-day")?.getBoundingClientRect().bottom ?? 0;
      const first = [...items].find((item) => item.getBoundingClientRect().bottom > heading + 1);
      setId(first?.dataset.alert);
    };
    const lookSoon = () => {
      frame ??= requestAnimationFrame(look);
    };
    // The rows are rendered as they come into sight, and their alerts come later.
    const changes = new MutationObserver(lookSoon);
    if (stream.current)
      changes.observe(stream.current, {
        ...{ subtree: true, childList: true },
        attributeFilter: ["data-alert"],
      });
    window.addEventListener("scroll", lookSoon, { passive: true });
    window.addEventListener("resize", lookSoon);
    lookSoon();
    return () => {
      changes.disconnect();
      window.removeEventListener("scroll", lookSoon);
      window.removeEventListener("resize", lookSoon);
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, [stream]);
  return id;
}
