import { useState } from "react";
import { useQuery } from "urql";
import { type AdministeredFacilityFragment, RuleHoursDocument } from "../../../generated/console.js";
import { TextField } from "../../form/field.js";
import { useTexts } from "./texts.js";

export function TimeZoneField({ facility }: { facility?: AdministeredFacilityFragment | undefined }) {
  const { facilities } = useTexts();
  const [zone, setZone] = useState(facility?.timeZoneId);
  return (
    <>
      <TextField
        name="timeZoneId"
        label={facilities.timeZone}
        hint={facilities.timeZoneHint}
        required
        list="time-zones"
        onChange={({ currentTarget }) => setZone(currentTarget.value)}
      />
      {facility && zone !== facility.timeZoneId && <MovedTimes facility={facility.id} />}
      <datalist id="time-zones">
        {Intl.supportedValuesOf("timeZone").map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </>
  );
}

/** Says what goes by another time zone once it is saved. */
function MovedTimes({ facility }: { facility: string }) {
  const { facilities } = useTexts();
  const [{ data }] = useQuery({ query: RuleHoursDocument, variables: { facility } });
  const rules = (data?.cameras ?? []).flatMap(({ alertRules }) => alertRules);
  const bound = rules.filter(({ dayRange, timeRange }) => timeRange !== null || dayRange.length < 7);
  return (
    <p className="hint" role="status">
      {facilities.movedTimes(bound.length)}
    </p>
  );
}
