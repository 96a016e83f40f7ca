import { useMutation } from "urql";
import { AddKeyDocument } from "../../../generated/console.js";
import { EditForm } from "../../form/edit-form.js";
import { fieldProblems } from "../../form/field-problems.js";
import { PermissionChoice } from "../permission-choice.js";
import { useTexts as useSettingTexts } from "../texts.js";
import { KeyExpiryField, KeyNameField } from "./api-key-fields.js";
import { chosenFacilities, FacilityChoice } from "./facility-choice.js";
import { useTexts } from "./texts.js";

/** The draft of a new key. */
export const newKeyDraft = "new API key";

interface ApiKeyFormProps {
  facilities: readonly { id: string; name: string }[];
  /** The permissions that are chosen at the start. */
  permissions: readonly string[];
  onClose: () => void;
  /** Called with the new key. */
  onCreated: (secret: string) => void;
}

/** A new API key: its name, its permissions, where they hold, and until when. */
export function ApiKeyForm({ facilities, permissions: needed, onClose, onCreated }: ApiKeyFormProps) {
  const { adding, permissions } = useSettingTexts();
  const apiKeys = useTexts();
  const [added, add] = useMutation(AddKeyDocument);
  const problems = fieldProblems(added.error, apiKeys.problems);
  const submit = async (texts: Record<string, string>) => {
    const facilityIds = chosenFacilities(facilities, texts);
    const { data } = await add({
      input: {
        name: texts.name ?? "",
        permissions: Object.keys(permissions).filter((permission) => permission in texts),
        ...(facilityIds.length > 0 && { facilityIds }),
        ...(texts.expiresAt && { expiresAt: new Date(texts.expiresAt).toISOString() }),
      },
    });
    if (!data) return false;
    onCreated(data.createApiKey.key);
    return true;
  };
  return (
    <EditForm
      title={apiKeys.addTitle}
      draftKey={newKeyDraft}
      start={Object.fromEntries(needed.map((permission) => [permission, "on"]))}
      problems={problems}
      error={added.error}
      isSaving={added.fetching}
      submitLabel={adding.key}
      onSubmit={submit}
      onClose={onClose}
    >
      {(start) => (
        <>
          <KeyNameField start={start} problems={problems} />
          <fieldset className="choices">
            <legend>{apiKeys.permissions}</legend>
            <PermissionChoice isChosen={(permission) => permission in start} />
            {problems.permissions && <p className="problem">{problems.permissions}</p>}
          </fieldset>
          <FacilityChoice facilities={facilities} start={start} problem={problems.facilityIds} />
          <KeyExpiryField start={start} problems={problems} />
        </>
      )}
    </EditForm>
  );
}
