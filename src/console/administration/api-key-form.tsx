import { useMutation } from "urql";
import { AddKeyDocument } from "../../generated/console.js";
import { EditForm } from "../form/edit-form.js";
import { fieldProblems } from "../form/field-problems.js";
import { StoredText } from "../language/stored-text.js";
import { KeyExpiryField, KeyNameField } from "./api-key-fields.js";
import { PermissionChoice } from "./permission-choice.js";
import { useTexts } from "./texts.js";

/** The draft of a new key. */
export const newKeyDraft = "new API key";

interface ApiKeyFormProps {
  facilities: readonly { id: string; name: string }[];
  onClose: () => void;
  /** Called with the new key. */
  onCreated: (secret: string) => void;
}

/** A new API key: its name, its permissions, where they hold, and until when. */
export function ApiKeyForm({ facilities, onClose, onCreated }: ApiKeyFormProps) {
  const { apiKeys, permissions } = useTexts();
  const [added, add] = useMutation(AddKeyDocument);
  const problems = fieldProblems(added.error, apiKeys.problems);
  const submit = async (texts: Record<string, string>) => {
    const facilityIds = facilities.map(({ id }) => id).filter((id) => id in texts);
    const { data } = await add({
      input: {
        name: texts.name ?? "",
        permissions: Object.keys(permissions).filter((permission) => permission in texts),
        ...(facilityIds.length > 0 && { facilityIds }),
        ...(texts.expiresAt && { expiresAt: new Date(texts.expiresAt).toISOString() }),
      },
    });
    if (data) onCreated(data.createApiKey.key);
    return data !== undefined;
  };
  return (
    <EditForm
      title={apiKeys.addTitle}
      draftKey={newKeyDraft}
      start={{}}
      problems={problems}
      error={added.error}
      isSaving={added.fetching}
      submitLabel={apiKeys.add}
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
          <fieldset className="choices">
            <legend>
              {apiKeys.limit} <span className="hint">{apiKeys.everywhere}</span>
            </legend>
            {facilities.map(({ id, name }) => (
              <label key={id} className="choice">
                <input type="checkbox" name={id} defaultChecked={id in start} />
                <StoredText>{name}</StoredText>
              </label>
            ))}
            {problems.facilityIds && <p className="problem">{problems.facilityIds}</p>}
          </fieldset>
          <KeyExpiryField start={start} problems={problems} />
        </>
      )}
    </EditForm>
  );
}
