import { TextField } from "../../form/field.js";
import { useTexts } from "./texts.js";

export function TimeZoneField() {
  const { facilities } = useTexts();
  return (
    <>
      <TextField
        name="timeZoneId"
        label={facilities.timeZone}
        hint={facilities.timeZoneHint}
        required
        list="time-zones"
      />
      <datalist id="time-zones">
        {Intl.supportedValuesOf("timeZone").map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}
