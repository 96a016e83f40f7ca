import { useRef, useState } from "react";
import { useMutation } from "urql";
import {
  type FleetFacilityFragment,
  SnoozableCamerasDocument,
  type SnoozableCamerasQuery,
  SnoozeCameraDocument,
  SnoozeFacilityDocument,
} from "../../generated/console.js";
import { Query } from "../data/query.js";
import { isBeingWritten } from "../form/edit-form.js";
import { Checkbox } from "../form/field.js";
import { StoredText } from "../language/language.js";
import { readersTimeZone } from "../language/time-zones.js";
import { Snooze, type SnoozeChosen, SnoozeForm, useTexts } from "../snooze/snooze.js";
import { useMay } from "../viewer/viewer.js";
import { type FleetFilter, statelessFilterOf } from "./fleet-filter.js";

export function FacilitySnooze({ facility }: { facility: FleetFacilityFragment }) {
  return (
    <Snooze
      kind="facility"
      document={SnoozeFacilityDocument}
      of={facility}
      name={facility.name}
      timeZone={facility.effectiveTimeZoneId}
      mayChange={useMay("alert-rules:write", facility)}
    />
  );
}

const draftKey = "snooze cameras";

/** Snoozes cameras that the reader chooses among those that match the filter. */
export function SnoozeSelection({ filter }: { filter: FleetFilter }) {
  const texts = useTexts().selection;
  const [isChoosing, setChoosing] = useState(() => isBeingWritten(draftKey));
  const { states } = filter;
  const matching = { ...statelessFilterOf(filter), ...(states.length > 0 && { states: [...states] }) };
  return (
    <>
      <button type="button" onClick={() => setChoosing(true)}>
        {texts.snooze}
      </button>
      {isChoosing && (
        <Query query={SnoozableCamerasDocument} variables={{ filter: matching }}>
          {({ searchCameras }) => (
            <SelectionForm
              cameras={searchCameras.nodes.filter(({ facility }) =>
                facility.viewerPermissions.includes("alert-rules:write"),
              )}
              onClose={() => setChoosing(false)}
            />
          )}
        </Query>
      )}
    </>
  );
}

interface SelectionFormProps {
  cameras: SnoozableCamerasQuery["searchCameras"]["nodes"];
  onClose: () => void;
}

function SelectionForm({ cameras, onClose }: SelectionFormProps) {
  const texts = useTexts();
  const [, snooze] = useMutation(SnoozeCameraDocument);
  const snoozeAll = async (ticked: typeof cameras, chosen: SnoozeChosen) => {
    for (const { id } of ticked) {
      const { error } = await snooze({ id, ...chosen });
      if (error) return { error };
    }
    return {};
  };
  const boxes = useRef<HTMLFieldSetElement>(null);
  const zones = new Set(cameras.map(({ facility }) => facility.timeZoneId));
  const [zone = readersTimeZone] = zones;
  return (
    <SnoozeForm
      title={texts.selection.title}
      effect={texts.selection.effect}
      draftKey={draftKey}
      timeZone={zones.size === 1 ? zone : readersTimeZone}
      onSnooze={(chosen, given) => {
        const ticked = cameras.filter(({ id }) => id in given);
        return ticked.length === 0 ? undefined : snoozeAll(ticked, chosen);
      }}
      onClose={onClose}
    >
      <fieldset ref={boxes} className="choices snoozed-cameras">
        <legend>
          <button
            type="button"
            onClick={() => {
              for (const box of boxes.current?.querySelectorAll("input") ?? []) if (!box.checked) box.click();
            }}
          >
            {texts.selection.all}
          </button>
        </legend>
        {cameras.map(({ id, name, facility }) => (
          <Checkbox key={id} name={id}>
            <StoredText>{name}</StoredText>{" "}
            <span className="hint">
              <StoredText>{facility.name}</StoredText>
            </span>
          </Checkbox>
        ))}
      </fieldset>
    </SnoozeForm>
  );
}
