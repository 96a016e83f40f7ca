import { useState } from "react";
import { TextField, useForm } from "../../form/field.js";
import { useLanguage } from "../../language/language.js";
import { scheduleInWords, weekdays } from "../schedule.js";
import { useTexts } from "../texts.js";
import { textsIn } from "./condition-fields.js";
import { dayField, daysOf } from "./rule-input.js";

/** The days and hours of a rule by the clock of its facility, also in words. */
export function ScheduleFields({ timeZone }: { timeZone: string }) {
  const { formats } = useLanguage();
  const rules = useTexts();
  const { schedule } = rules;
  const { start } = useForm();
  const [texts, setTexts] = useState(start);
  const days = daysOf(texts);
  const hours = texts.from && texts.to ? { from: texts.from, to: texts.to } : undefined;
  return (
    <fieldset className="rule-fields" onInput={({ currentTarget }) => setTexts(textsIn(currentTarget))}>
      <legend>{schedule.title}</legend>
      <fieldset className="weekdays">
        <legend className="visually-hidden">{schedule.days}</legend>
        {weekdays.map((day) => (
          <label key={day}>
            <input
              type="checkbox"
              name={dayField(day)}
              aria-label={formats.dayOfWeek(day, "long")}
              defaultChecked={dayField(day) in start}
            />
            <span aria-hidden="true">{formats.dayOfWeek(day, "short")}</span>
          </label>
        ))}
      </fieldset>
      <div className="field-row">
        <TextField name="from" label={schedule.from} type="time" required={Boolean(texts.to)} />
        <TextField name="to" label={schedule.to} type="time" required={Boolean(texts.from)} />
      </div>
      <p className="hint">{schedule.clock(timeZone)}</p>
      <p className="rule-sentence" role="status">
        {scheduleInWords(days, hours, { formats, rules })}
      </p>
    </fieldset>
  );
}
