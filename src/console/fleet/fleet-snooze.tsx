import { useRef, useState } from "react";
import { useMutation } from "urql";
import {
  type FleetFacilityFragment,
  SnoozableCamerasDocument,
  type SnoozableCamerasQuery,
  SnoozeCameraDocument,
  SnoozeFacilityDocument,
} from "../../generated/console.js";
import { useAdding } from "../administration/adding.js";
import { RowButton } from "../administration/row-button.js";
import { Query } from "../data/query.js";
import { Checkbox } from "../form/field.js";
import { StoredText, useMessages } from "../language/language.js";
import type { TellOutcome } from "../shell/notice/notice.js";
import { SearchField } from "../shell/search-field.js";
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

interface SnoozeSelectionProps {
  filter: FleetFilter;
  tell: TellOutcome;
}

/** Snoozes cameras that the reader chooses among those that match the filter. */
export function SnoozeSelection({ filter, tell }: SnoozeSelectionProps) {
  const texts = useTexts().selection;
  const [isChoosing, setChoosing] = useAdding("snooze", draftKey, true);
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
              tell={tell}
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
  tell: TellOutcome;
  onClose: () => void;
}

function SelectionForm({ cameras, tell, onClose }: SelectionFormProps) {
  const { fleet } = useMessages();
  const texts = useTexts();
  const [, snooze] = useMutation(SnoozeCameraDocument);
  const [text, setText] = useState("");
  const [isMissing, setMissing] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const snoozeAll = async (ticked: typeof cameras, chosen: SnoozeChosen) => {
    for (const { id } of ticked) {
      const { error } = await snooze({ id, ...chosen });
      if (error) return { error };
    }
    tell(texts.selection.done(ticked.length));
    return {};
  };
  const facilities = new Map(cameras.map(({ facility }) => [facility.id, facility]));
  const [zone, otherZone] = new Set([...facilities.values()].map(({ timeZoneId }) => timeZoneId));
  return (
    <SnoozeForm
      title={texts.selection.snooze}
      effect={texts.selection.effect}
      draftKey={draftKey}
      timeZone={otherZone === undefined ? zone : undefined}
      onSnooze={(chosen, given) => {
        const ticked = cameras.filter(({ id }) => id in given);
        setMissing(ticked.length === 0);
        if (ticked.length > 0) return snoozeAll(ticked, chosen);
        list.current?.querySelector<HTMLElement>("label:not([hidden]) input")?.focus();
      }}
      onClose={onClose}
    >
      <SearchField label={fleet.search} value={text} onChange={setText} />
      <div ref={list} className="snoozed-cameras">
        {[...facilities.values()].toSorted(byFacilityName).map((facility) => (
          <CamerasOfFacility
            key={facility.id}
            facility={facility}
            cameras={cameras.filter((camera) => camera.facility.id === facility.id)}
            text={text}
          />
        ))}
      </div>
      {isMissing && (
        <p className="problem" role="alert">
          {texts.selection.missing}
        </p>
      )}
    </SnoozeForm>
  );
}

const byFacilityName = (one: { name: string }, other: { name: string }) => one.name.localeCompare(other.name);

interface CamerasOfFacilityProps extends Pick<SelectionFormProps, "cameras"> {
  facility: SelectionFormProps["cameras"][number]["facility"];
  /** Hides the cameras without it in their name. */
  text: string;
}

function CamerasOfFacility({ facility, cameras, text }: CamerasOfFacilityProps) {
  const texts = useTexts().selection;
  const boxes = useRef<HTMLFieldSetElement>(null);
  const tickAll = () => {
    for (const box of boxes.current?.querySelectorAll<HTMLInputElement>("label:not([hidden]) input") ?? [])
      if (!box.checked) box.click();
  };
  return (
    <fieldset ref={boxes} className="choices">
      <legend>
        <StoredText>{facility.name}</StoredText>{" "}
        <RowButton className="small-button" label={texts.all} of={facility.name} onClick={tickAll} />
      </legend>
      {cameras.map(({ id, name }) => (
        <Checkbox key={id} name={id} hidden={!name.toLowerCase().includes(text.toLowerCase())}>
          <StoredText>{name}</StoredText>
        </Checkbox>
      ))}
    </fieldset>
  );
}
