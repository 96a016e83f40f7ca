import type { Texts } from "../../form/edit-form.js";
import { Field } from "../../form/field.js";
import { useTexts } from "./texts.js";

interface TimeZoneFieldProps {
  start: Texts;
  problem: string | undefined;
}

/** The field `timeZoneId`, which suggests the time zones that this browser knows. */
export function TimeZoneField({ start, problem }: TimeZoneFieldProps) {
  const { facilities } = useTexts();
  return (
    <Field label={facilities.timeZone} hint={facilities.timeZoneHint} problem={problem}>
      {(attributes) => (
        <>
          <input
            {...attributes}
            name="timeZoneId"
            required
            list="time-zones"
            defaultValue={start.timeZoneId}
          />
          <datalist id="time-zones">
            {Intl.supportedValuesOf("timeZone").map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
