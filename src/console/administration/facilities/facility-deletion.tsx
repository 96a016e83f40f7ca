import { useState } from "react";
import { useMutation } from "urql";
import { type AdministeredFacilityFragment, RemoveFacilityDocument } from "../../../generated/console.js";
import { isolated } from "../../../platform/text-direction.js";
import { Confirmation } from "../../form/confirmation.js";
import { Field } from "../../form/field.js";
import { useTexts as useSettingTexts } from "../texts.js";
import { useTexts } from "./texts.js";

interface FacilityDeletionProps {
  facility: AdministeredFacilityFragment;
  onClose: () => void;
  tell: (message: string) => void;
}

/** Asks for the facility's name before everything there is deleted. */
export function FacilityDeletion({ facility, onClose, tell }: FacilityDeletionProps) {
  const { actions } = useSettingTexts();
  const { facilities } = useTexts();
  const [typed, setTyped] = useState("");
  const [{ error, fetching }, remove] = useMutation(RemoveFacilityDocument);
  const confirm = async () => {
    const { data } = await remove({ id: facility.id });
    if (!data) return;
    onClose();
    tell(facilities.deleted(isolated(facility.name)));
  };
  return (
    <Confirmation
      title={facilities.deleteTitle(isolated(facility.name))}
      label={actions.delete}
      isDisabled={typed.trim() !== facility.name}
      isBusy={fetching}
      error={error}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>{facilities.deleteText(facility.cameraCount)}</p>
      <Field label={facilities.deleteCheck(isolated(facility.name))}>
        {(attributes) => (
          <input
            {...attributes}
            autoComplete="off"
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        )}
      </Field>
    </Confirmation>
  );
}
