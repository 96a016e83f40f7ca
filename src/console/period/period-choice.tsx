import { type AlertSelection, endsBeforeStart, hasPeriod } from "../alerts/filter/alert-filter.js";
import { nightTimes } from "../alerts/local-time.js";
import { useAlertTexts } from "../alerts/texts.js";
import { SingleChoice } from "../form/field.js";
import { useLanguage } from "../language/language.js";
import { localInputValue, readersTimeZone } from "../language/time-zones.js";
import { boundOf, choiceOf, presetNames, presetOf } from "./period-presets.js";

/** The period of a selection in words; undefined for all time. */
export function usePeriodInWords(selection: AlertSelection): string | undefined {
  const { formats } = useLanguage();
  const texts = useAlertTexts().period;
  const { period, start, end, localDays, relativeDays, relativeWeeks } = selection;
  const preset = presetOf(selection);
  if (preset) return texts.presets[preset];
  const text = (instant: string | undefined) => (instant ? formats.moment(instant) : "…");
  const parts = [
    ...inWords(localDays, (day) => formats.date(day)),
    ...inWords(relativeDays, (day) => texts.relativeDay(-day)),
    ...inWords(relativeWeeks, (week) => texts.relativeWeek(-week)),
    ...(period ? [texts.presets[period]] : []),
    ...(start || end ? [`${text(start)} – ${text(end)}`] : []),
  ];
  return parts.length > 0 ? parts.join(", ") : undefined;
}

const inWords = <Value,>(range: { from: Value; to: Value } | undefined, wordsOf: (value: Value) => string) =>
  range ? [[...new Set([range.from, range.to])].map(wordsOf).join(" – ")] : [];

const { from, to } = nightTimes;

interface PeriodChoiceProps {
  selection: AlertSelection;
  onChange: (changes: Partial<AlertSelection>) => void;
  hasAllTime: boolean;
}

export function PeriodChoice({ selection, onChange, hasAllTime }: PeriodChoiceProps) {
  const alertTexts = useAlertTexts();
  const texts = alertTexts.period;
  const { filters } = alertTexts;
  const { messages, formats } = useLanguage();
  const { start, end } = selection;
  const isReversed = endsBeforeStart(selection);
  const chosen = presetOf(selection) ?? (hasPeriod(selection) ? "own" : "all");
  const fields = [
    { name: "start", label: texts.from, value: start },
    { name: "end", label: texts.to, value: end },
  ] as const;
  return (
    <>
      <SingleChoice
        label={filters.period}
        options={[
          ...(hasAllTime ? [["all", texts.always] as const] : []),
          ...presetNames.map((each) => [each, texts.presets[each]] as const),
        ]}
        chosen={chosen}
        onChange={(value) => onChange(choiceOf(value === "all" ? undefined : value, selection))}
      />
      <p className="hint">
        {messages.facilityClock("")} {texts.night(formats.clockTime(from), formats.clockTime(to))}
      </p>
      {fields.map(({ name, label, value }) => (
        <label key={name} className="period-field">
          <span>{label}</span>
          <input
            type="datetime-local"
            aria-invalid={isReversed || undefined}
            aria-describedby={isReversed ? "period-problem" : undefined}
            defaultValue={localInputValue(value)}
            key={value}
            onChange={({ target }) => {
              const time = new Date(target.value);
              if (target.value === "" || (time.getFullYear() >= 1970 && time.getFullYear() <= 9998))
                onChange(boundOf(name, target.value === "" ? undefined : time.toISOString(), selection));
            }}
          />
        </label>
      ))}
      <p id="period-problem" className="problem" role="alert">
        {isReversed && filters.endsBeforeStart}
      </p>
      <p className="hint">{texts.yourTime(readersTimeZone)}</p>
    </>
  );
}
