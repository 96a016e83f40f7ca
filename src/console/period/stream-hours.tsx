import { type KeyboardEvent, type PointerEvent, useRef, useState } from "react";
import { StreamHoursDocument } from "../../generated/console.js";
import { type AlertSelection, alertFilterOf, alertParametersOf } from "../alerts/alert-filter.js";
import { runOverMidnight } from "../alerts/local-time.js";
import { useRepeatedQuery } from "../data/query.js";
import { useStableValue } from "../data/stable-value.js";
import { useLanguage } from "../language/language.js";
import { useStepOfTime } from "../language/now.js";
import { changeQuery } from "../navigation/location.js";
import { useTexts } from "./texts.js";

const minute = 60_000;
const hoursInDay = 24;

/** The hours of a day in their order: those of a night begin in the evening. */
function hoursInOrder({ localTimes }: Pick<AlertSelection, "localTimes">): number[] {
  const first = localTimes && runOverMidnight(localTimes) ? Number(localTimes.from.slice(0, 2)) : 0;
  return Array.from({ length: hoursInDay }, (_, index) => (first + index) % hoursInDay);
}

interface StreamHoursProps {
  selection: AlertSelection;
  /** The hour of the alert at the top of the window. */
  current: number | undefined;
}

/**
 * The number of alerts in each hour of the day, as bars that narrow the stream down to
 * their hours.
 */
export function StreamHours({ selection, current }: StreamHoursProps) {
  const { formats } = useLanguage();
  const texts = useTexts();
  const present = useStepOfTime(minute);
  const filter = useStableValue(alertFilterOf({ ...selection, hoursOfDay: [] }, new Date(present)));
  const [{ data }] = useRepeatedQuery({ query: StreamHoursDocument, variables: { filter } }, present);
  const bars = useRef<HTMLFieldSetElement>(null);
  const hours = hoursInOrder(selection);
  const [drag, setDrag] = useState<{ from: number; to: number }>();
  const [focused, setFocused] = useState(0);
  const chosen = drag ? between(hours, drag.from, drag.to) : selection.hoursOfDay;
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
  /** The place of the bar at the pointer, which lies beside or above the others. */
  const placeAt = (event: PointerEvent): number => {
    const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
    const isRow = width > height;
    const share = isRow ? (event.clientX - left) / width : 1 - (event.clientY - top) / height;
    return Math.max(0, Math.min(hoursInDay - 1, Math.floor(share * hoursInDay)));
  };
  const end = (event: PointerEvent) => {
    if (!drag) return;
    const to = placeAt(event);
    setDrag(undefined);
    if (to === drag.from) toggle(hours[to] as number);
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
      <fieldset
        ref={bars}
        title={texts.hoursHint}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          const place = placeAt(event);
          setDrag({ from: place, to: place });
        }}
        onPointerMove={(event) => drag && setDrag({ ...drag, to: placeAt(event) })}
        onPointerUp={end}
        onPointerCancel={() => setDrag(undefined)}
        onKeyDown={move}
      >
        <legend className="visually-hidden">{texts.hours}</legend>
        {hours.map((hour, place) => {
          const count = counts.get(hour) ?? 0;
          const words = texts.hourOf(formats.hourOfDay(hour), count);
          return (
            <button
              key={hour}
              type="button"
              tabIndex={place === focused ? 0 : -1}
              aria-pressed={chosen.includes(hour)}
              aria-label={words}
              title={words}
              data-current={hour === current}
              onFocus={() => setFocused(place)}
              // A pointer has already chosen when the button hears of the click.
              onClick={({ detail }) => detail === 0 && toggle(hour)}
            >
              <span className="stream-hour-bar" style={{ "--share": count / most } as React.CSSProperties} />
              {place % 6 === 0 && <span className="stream-hour-name">{formats.hourOfDay(hour)}</span>}
            </button>
          );
        })}
      </fieldset>
    </aside>
  );
}

/** The hours from one place to another, whichever comes first. */
const between = (hours: readonly number[], one: number, other: number): number[] =>
  hours.slice(Math.min(one, other), Math.max(one, other) + 1);
