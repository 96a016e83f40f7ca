import { useMutation } from "urql";
import {
  AddFacilityDocument,
  type AdministeredFacilityFragment,
  ChangeFacilityDocument,
  type CreateFacilityInput,
} from "../../../generated/console.js";
import { isolated } from "../../../platform/text-direction.js";
import { EditForm, type Texts } from "../../form/edit-form.js";
import { Field } from "../../form/field.js";
import { fieldProblems } from "../../form/field-problems.js";
import { useLanguage } from "../../language/language.js";
import { readersTimeZone } from "../../language/time-zones.js";
import type { Undo } from "../../shell/outcome.js";
import { useTexts as useSettingTexts } from "../texts.js";
import { useTexts } from "./texts.js";
import { TimeZoneField } from "./time-zone-field.js";

/** The draft of a new facility. */
export const newFacilityDraft = "new facility";

/** The draft of a facility that is changed. */
export const facilityDraft = ({ id }: { id: string }): string => `facility ${id}`;

interface FacilityFormProps {
  /** The facility to change; absent when adding one. */
  facility?: AdministeredFacilityFragment;
  onClose: () => void;
  onSaved: (facility: AdministeredFacilityFragment, message: string, undo?: Undo) => void;
}

/** The facts of a facility: its name, address, time zone and location. */
export function FacilityForm({ facility, onClose, onSaved }: FacilityFormProps) {
  const { messages } = useLanguage();
  const settings = useSettingTexts();
  const { facilities } = useTexts();
  const [added, add] = useMutation(AddFacilityDocument);
  const [changed, change] = useMutation(ChangeFacilityDocument);
  const error = added.error ?? changed.error;
  const problems = fieldProblems(error, facilities.problems);
  const save = async (input: CreateFacilityInput, version: string | undefined) => {
    if (!facility) return (await add({ input })).data?.createFacility;
    const expected = version !== undefined && { expectedUpdatedAt: version };
    return (await change({ id: facility.id, input: { ...input, ...expected } })).data?.updateFacility;
  };
  const restore = async (
    { id, name, address, timeZoneId, geographicCoordinates }: AdministeredFacilityFragment,
    { updatedAt }: AdministeredFacilityFragment,
  ) => {
    const before = { name, address, timeZoneId, geographicCoordinates: plainPoint(geographicCoordinates) };
    return (await change({ id, input: { ...before, expectedUpdatedAt: updatedAt } })).error;
  };
  const submit = async (given: Record<string, string>, version: string | undefined) => {
    const saved = await save(inputOf(given), version);
    if (saved && facility) onSaved(saved, settings.saved, () => restore(facility, saved));
    else if (saved) onSaved(saved, facilities.added(isolated(saved.name)));
    return saved !== undefined;
  };
  const coordinates = {
    lat: { label: facilities.latitude, limit: 90 },
    lng: { label: facilities.longitude, limit: 180 },
  };
  return (
    <EditForm
      title={facility ? facilities.editTitle(isolated(facility.name)) : settings.adding.facility}
      draftKey={facility ? facilityDraft(facility) : newFacilityDraft}
      start={startOf(facility)}
      {...(facility && { version: facility.updatedAt })}
      problems={problems}
      error={error}
      isSaving={added.fetching || changed.fetching}
      submitLabel={messages.forms.save}
      onSubmit={submit}
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
          <TimeZoneField start={start} problem={problems.timeZoneId} />
          <div className="field-row">
            {(["lat", "lng"] as const).map((name) => (
              <Field
                key={name}
                label={coordinates[name].label}
                problem={name === "lat" ? problems.geographicCoordinates : undefined}
              >
                {(attributes) => (
                  <input
                    {...attributes}
                    name={name}
                    type="number"
                    min={-coordinates[name].limit}
                    max={coordinates[name].limit}
                    step="any"
                    defaultValue={start[name]}
                  />
                )}
              </Field>
            ))}
          </div>
        </>
      )}
    </EditForm>
  );
}

/** The texts of the fields for the current facility. */
const startOf = (facility: AdministeredFacilityFragment | undefined): Texts => ({
  name: facility?.name,
  address: facility?.address ?? undefined,
  timeZoneId: facility?.timeZoneId ?? readersTimeZone,
  lat: facility?.geographicCoordinates?.lat.toString(),
  lng: facility?.geographicCoordinates?.lng.toString(),
});

function inputOf({ name = "", address = "", timeZoneId = "", lat, lng }: Record<string, string>) {
  const input: CreateFacilityInput = { name, address: address === "" ? null : address, timeZoneId };
  if (!lat && !lng) return { ...input, geographicCoordinates: null };
  // The gateway refuses half of a location.
  return { ...input, geographicCoordinates: { lat: numberOf(lat), lng: numberOf(lng) } };
}

/** Coordinates as the API takes them, without the cache's own fields. */
const plainPoint = (point: AdministeredFacilityFragment["geographicCoordinates"]) =>
  point && { lat: point.lat, lng: point.lng };

const numberOf = (text: string | undefined): number => (text ? Number(text) : (null as unknown as number));
