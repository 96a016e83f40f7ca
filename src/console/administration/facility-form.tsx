import { useMutation } from "urql";
import {
  AddFacilityDocument,
  type AdministeredFacilityFragment,
  type CreateFacilityInput,
} from "../../generated/console.js";
import { isolated } from "../../platform/text-direction.js";
import { EditForm } from "../form/edit-form.js";
import { Field } from "../form/field.js";
import { fieldProblems } from "../form/field-problems.js";
import { useLanguage } from "../language/language.js";
import { readersTimeZone } from "../language/time-zones.js";
import { keepDraft } from "../session/drafts.js";
import { useTexts } from "./texts.js";

/** The draft of a new facility. */
export const newFacilityDraft = "new facility";

interface FacilityFormProps {
  onClose: () => void;
  onSaved: (facility: AdministeredFacilityFragment, message: string) => void;
}

/** The facts of a facility: its name, address, time zone and location. */
export function FacilityForm({ onClose, onSaved }: FacilityFormProps) {
  const { messages } = useLanguage();
  const { facilities } = useTexts();
  const [added, add] = useMutation(AddFacilityDocument);
  const problems = fieldProblems(added.error, facilities.problems);
  const submit = async (texts: Record<string, string>) => {
    const { data } = await add({ input: inputOf(texts) });
    if (!data) return;
    keepDraft(newFacilityDraft, undefined);
    onClose();
    onSaved(data.createFacility, facilities.added(isolated(data.createFacility.name)));
  };
  return (
    <EditForm
      title={facilities.addTitle}
      draftKey={newFacilityDraft}
      start={{ timeZoneId: readersTimeZone }}
      problems={problems}
      error={added.error}
      isSaving={added.fetching}
      submitLabel={messages.forms.save}
      onSubmit={(texts) => void submit(texts)}
      onClose={onClose}
    >
      {(start) => (
        <>
          <Field label={facilities.name} problem={problems.name}>
            {(attributes) => (
              <input {...attributes} name="name" required maxLength={200} defaultValue={start.name} />
            )}
          </Field>
          <Field label={facilities.address} problem={problems.address}>
            {(attributes) => (
              <textarea
                {...attributes}
                name="address"
                rows={2}
                maxLength={500}
                defaultValue={start.address}
              />
            )}
          </Field>
          <Field label={facilities.timeZone} hint={facilities.timeZoneHint} problem={problems.timeZoneId}>
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
          <div className="field-row">
            <Field label={facilities.latitude} problem={problems.geographicCoordinates}>
              {(attributes) => (
                <input
                  {...attributes}
                  name="lat"
                  type="number"
                  min={-90}
                  max={90}
                  step="any"
                  defaultValue={start.lat}
                />
              )}
            </Field>
            <Field label={facilities.longitude}>
              {(attributes) => (
                <input
                  {...attributes}
                  name="lng"
                  type="number"
                  min={-180}
                  max={180}
                  step="any"
                  defaultValue={start.lng}
                />
              )}
            </Field>
          </div>
        </>
      )}
    </EditForm>
  );
}

function inputOf({ name = "", address = "", timeZoneId = "", lat, lng }: Record<string, string>) {
  const input: CreateFacilityInput = { name, address: address === "" ? null : address, timeZoneId };
  if (!lat && !lng) return { ...input, geographicCoordinates: null };
  // The gateway refuses half of a location.
  return { ...input, geographicCoordinates: { lat: numberOf(lat), lng: numberOf(lng) } };
}

const numberOf = (text: string | undefined): number => (text ? Number(text) : (null as unknown as number));
