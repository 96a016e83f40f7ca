import { useMutation } from "urql";
import {
  AddFacilityDocument,
  type AdministeredFacilityFragment,
  ChangeFacilityDocument,
  type CreateFacilityInput,
} from "../../../generated/console.js";
import { isolated } from "../../../platform/text/text-direction.js";
import { ContactFields } from "../../contacts/contact-fields.js";
import { contactsIn, contactTexts } from "../../contacts/contact-texts.js";
import { useTexts as useContactTexts } from "../../contacts/texts.js";
import { EditForm } from "../../form/edit-form.js";
import { TextField, type Texts } from "../../form/field.js";
import { useMessages } from "../../language/language.js";
import { readersTimeZone } from "../../language/time-zones.js";
import type { Undo } from "../../shell/notice/notice.js";
import { useTexts as useSettingTexts } from "../texts.js";
import { useTexts } from "./texts.js";
import { TimeZoneField } from "./time-zone-field.js";

export const newFacilityDraft = "new facility";

export const facilityDraft = ({ id }: { id: string }): string => `facility ${id}`;

interface FacilityFormProps {
  /** The facility to change; absent when adding one. */
  facility?: AdministeredFacilityFragment;
  onClose: () => void;
  onSaved: (facility: AdministeredFacilityFragment, message: string, undo?: Undo) => void;
}

export function FacilityForm({ facility, onClose, onSaved }: FacilityFormProps) {
  const { adding, forms } = useMessages();
  const settings = useSettingTexts();
  const { facilities } = useTexts();
  const { problem: contactProblem } = useContactTexts();
  const [, add] = useMutation(AddFacilityDocument);
  const [, change] = useMutation(ChangeFacilityDocument);
  const submit = async (given: Texts, expected: object) => {
    const input = inputOf(given);
    if (facility) {
      const { id } = facility;
      const { error, data } = await change({ id, input: { ...input, ...expected } });
      if (!data) return { error };
      const expectedUpdatedAt = data.updateFacility.updatedAt;
      const before = inputOf(startOf(facility));
      onSaved(data.updateFacility, settings.saved, () =>
        change({ id, input: { ...before, expectedUpdatedAt } }),
      );
      return { error };
    }
    const { error, data } = await add({ input });
    if (data) onSaved(data.createFacility, forms.added(isolated(data.createFacility.name)));
    return { error };
  };
  const coordinates = [
    { name: "lat", label: facilities.latitude, limit: 90 },
    { name: "lng", label: facilities.longitude, limit: 180 },
  ];
  return (
    <EditForm
      title={facility ? forms.editTitle(isolated(facility.name)) : adding.facility}
      draftKey={facility ? facilityDraft(facility) : newFacilityDraft}
      start={startOf(facility)}
      version={facility?.updatedAt}
      rules={{ ...facilities.problems, contacts: contactProblem }}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField name="name" label={forms.name} required maxLength={200} />
      <TextField name="address" label={facilities.address} rows={2} maxLength={500} />
      <TimeZoneField facility={facility} />
      <div className="field-row">
        {coordinates.map(({ name, label, limit }) => (
          <TextField
            key={name}
            name={name}
            label={label}
            problemOf={name === "lat" ? "geographicCoordinates" : undefined}
            type="number"
            min={-limit}
            max={limit}
            step="any"
          />
        ))}
      </div>
      <ContactFields />
    </EditForm>
  );
}

const startOf = (facility: AdministeredFacilityFragment | undefined): Texts => ({
  name: facility?.name,
  address: facility?.address ?? undefined,
  timeZoneId: facility?.timeZoneId ?? readersTimeZone,
  lat: facility?.geographicCoordinates?.lat.toString(),
  lng: facility?.geographicCoordinates?.lng.toString(),
  ...contactTexts(facility?.contacts),
});

function inputOf({ name = "", address = "", timeZoneId = "", lat, lng, ...others }: Texts) {
  const input: CreateFacilityInput = {
    name,
    address: address === "" ? null : address,
    timeZoneId,
    contacts: contactsIn(others),
  };
  if (!lat && !lng) return { ...input, geographicCoordinates: null };
  // The gateway refuses half of a location.
  return { ...input, geographicCoordinates: { lat: numberOf(lat), lng: numberOf(lng) } };
}

/** An empty or invalid number becomes NaN, which JSON sends as null. */
const numberOf = (text: string | undefined) => (text ? Number(text) : Number.NaN);
