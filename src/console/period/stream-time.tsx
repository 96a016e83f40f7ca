import "./stream-time.css";
import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from "react";
import { type AlertItemFragment, StreamHoursDocument } from "../../generated/console.js";
import { type AlertSelection, alertFilterOf, alertParametersOf } from "../alerts/filter/alert-filter.js";
import { localMoment, runOverMidnight } from "../alerts/local-time.js";
import { useAlertTexts } from "../alerts/texts.js";
import { useRepeatedQuery } from "../data/query.js";
import { dayNumber, dayOfWeek } from "../language/calendar-days.js";
import { useFacilityClock, useLanguage, useNow, useStepOfTime } from "../language/language.js";
import { localDay } from "../language/time-zones.js";
import { changeQuery } from "../navigation/location.js";

/** In a narrow window the hours are above the alerts, and folded so that these are in sight. */
const isNarrow = window.matchMedia("(max-width: 40rem)").matches;

/** More alerts take too long to count by the hour: the database looks at each. */
const mostCounted = 200_000;

interface StreamTimeProps {
  selection: AlertSelection;
  total: number | undefined;
  /** An alert of the stream that has been read. */
  alertOf: (id: string) => AlertItemFragment | undefined;
  /** The time zones of the facilities, by whose clocks the hours go. */
  timeZones: readonly string[];
  children: ReactNode;
}

/** The stream with the day of the alerts in sight above it, and the hours of the day beside it. */
export function StreamTime({ selection, total, alertOf, timeZones, children }: StreamTimeProps) {
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
        {total !== 0 &&
          (alert ? (
            <h3 className="stream-day">
              <DayInWords alert={alert} />
            </h3>
          ) : (
            <div className="stream-day" />
          ))}
        {children}
      </div>
      {hasHours && (
        <StreamHours
          selection={selection}
          timeZones={timeZones}
          current={alert && localMoment(alert, {}).time}
        />
      )}
    </div>
  );
}

/** The day of an alert by the reader's clock. */
function DayInWords({ alert: { createdAt } }: { alert: AlertItemFragment }) {
  const { formats } = useLanguage();
  const { relativeDay } = useAlertTexts().period;
  const now = useNow();
  const day = localDay(createdAt);
  const ago = dayNumber(localDay(now)) - dayNumber(day);
  const date = `${formats.dayOfWeek(dayOfWeek(day), "long")}, ${formats.date(day)}`;
  return ago === 0 || ago === 1 ? `${relativeDay(ago)} · ${date}` : date;
}

/** Tells the styles how much of the window the toolbar above the stream covers. */
function useHeightOfToolbar(frame: RefObject<HTMLElement | null>) {
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
function useFirstInSight(stream: RefObject<HTMLElement | null>) {
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
        subtree: true,
        childList: true,
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

const minute = 60_000;
const hoursInDay = 24;

/** The hours of a day in their order: those of a night begin in the evening. */
function hoursInOrder({ localTimes }: Pick<AlertSelection, "localTimes">) {
  const first = localTimes && runOverMidnight(localTimes) ? Number(localTimes.from.slice(0, 2)) : 0;
  return Array.from({ length: hoursInDay }, (_, index) => (first + index) % hoursInDay);
}

interface StreamHoursProps extends Pick<StreamTimeProps, "selection" | "timeZones"> {
  /** The time of the alert in sight at its facility, where the handle is. */
  current: string | undefined;
}

/** The number of alerts in each hour of the day, as bars that narrow the stream down to their hours. */
function StreamHours({ selection, timeZones, current }: StreamHoursProps) {
  const { formats } = useLanguage();
  const texts = useAlertTexts().period;
  const clock = useFacilityClock(timeZones);
  const present = useStepOfTime(minute);
  const filter = alertFilterOf({ ...selection, hoursOfDay: [] }, new Date(present));
  const [{ data }] = useRepeatedQuery({ query: StreamHoursDocument, variables: { filter } }, present);
  const bars = useRef<HTMLFieldSetElement>(null);
  const hours = hoursInOrder(selection);
  const [drag, setDrag] = useState<{ from: number; to: number }>();
  const [focused, setFocused] = useState(0);
  const chosen = drag ? between(hours, drag.from, drag.to) : selection.hoursOfDay;
  const currentHour = current && Number(current.slice(0, 2));
  const counts = new Map(data?.alertStatistics.map(({ hourOfDay, count }) => [hourOfDay, count]));
  const most = Math.max(1, ...counts.values());

  const choose = (hoursOfDay: readonly number[]) =>
    changeQuery(alertParametersOf({ ...selection, hoursOfDay }));
  const toggle = (hour: number) =>
    choose(
      selection.hoursOfDay.includes(hour)
        ? selection.hoursOfDay.filter((each) => each !== hour)
        : [...selection.hoursOfDay, hour].sort((one, other) => one - other),
    );
  /** The index of the bar at the pointer, which lies beside or above the others. */
  const indexAt = (event: PointerEvent) => {
    const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
    const isRow = width > height;
    const share = isRow ? (event.clientX - left) / width : 1 - (event.clientY - top) / height;
    return Math.max(0, Math.min(hoursInDay - 1, Math.floor(share * hoursInDay)));
  };
  const end = (event: PointerEvent) => {
    if (!drag) return;
    const to = indexAt(event);
    setDrag(undefined);
    const hour = hours[to];
    if (to === drag.from && hour !== undefined) toggle(hour);
    else choose(between(hours, drag.from, to).sort((one, other) => one - other));
  };
  const move = (event: KeyboardEvent) => {
    const step = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 }[event.key];
    const to =
      { Home: 0, End: hoursInDay - 1 }[event.key] ?? (step === undefined ? undefined : focused + step);
    if (to === undefined || to < 0 || to >= hoursInDay) return;
    event.preventDefault();
    event.stopPropagation();
    setFocused(to);
    bars.current?.querySelectorAll("button")[to]?.focus();
  };
  return (
    <aside className="stream-hours" aria-label={texts.hours}>
      <details open={!isNarrow}>
        <summary title={clock.words}>
          {texts.hoursTitle} {clock.zones}
        </summary>
        <fieldset
          ref={bars}
          title={`${clock.words} ${texts.hoursHint}`}
          onPointerDown={(event) => {
            if (event.button !== 0) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            const index = indexAt(event);
            setDrag({ from: index, to: index });
          }}
          onPointerMove={(event) => drag && setDrag({ ...drag, to: indexAt(event) })}
          onPointerUp={end}
          onPointerCancel={() => setDrag(undefined)}
          onKeyDown={move}
        >
          <legend className="visually-hidden">{texts.hours}</legend>
          {hours.map((hour, index) => {
            const count = counts.get(hour) ?? 0;
            const handle = current && hour === currentHour && formats.clockTime(current);
            const counted = texts.hourOf(formats.hourOfDay(hour), count);
            const words = handle ? `${handle} · ${counted}` : counted;
            return (
              <button
                key={hour}
                type="button"
                tabIndex={index === focused ? 0 : -1}
                aria-pressed={chosen.includes(hour)}
                aria-label={words}
                title={words}
                data-current={Boolean(handle)}
                onFocus={() => setFocused(index)}
                // A pointer has already chosen when the button hears of the click.
                onClick={({ detail }) => detail === 0 && toggle(hour)}
              >
                <span className="stream-hour-bar" style={{ "--share": count / most }} />
                {handle ? (
                  <span className="stream-hour-name stream-handle">{handle}</span>
                ) : (
                  index % 6 === 0 && <span className="stream-hour-name">{formats.hourOfDay(hour)}</span>
                )}
              </button>
            );
          })}
        </fieldset>
      </details>
    </aside>
  );
}

/** The hours from one index to another, whichever comes first. */
const between = (hours: readonly number[], one: number, other: number) =>
  hours.slice(Math.min(one, other), Math.max(one, other) + 1);
