import { useMutation } from "urql";
import { type AdministeredKeyFragment, ChangeKeyDocument } from "../../generated/console.js";
import { isolated } from "../../platform/text-direction.js";
import { EditForm } from "../form/edit-form.js";
import { fieldProblems } from "../form/field-problems.js";
import { useLanguage } from "../language/language.js";
import { localInputValue } from "../language/local-input.js";
import type { Undo } from "../shell/outcome.js";
import { KeyExpiryField, KeyNameField } from "./api-key-fields.js";
import { useTexts } from "./texts.js";

/** The draft of an API key that is changed. */
export const keyDraft = ({ id }: { id: string }): string => `API key ${id}`;

interface ApiKeyChangeFormProps {
  apiKey: AdministeredKeyFragment;
  onClose: () => void;
  onSaved: (undo: Undo) => void;
}

/** The name and the expiry of an API key. Nothing else of it can be changed. */
export function ApiKeyChangeForm({ apiKey, onClose, onSaved }: ApiKeyChangeFormProps) {
  const { messages } = useLanguage();
  const { apiKeys } = useTexts();
  const [{ error, fetching }, change] = useMutation(ChangeKeyDocument);
  const problems = fieldProblems(error, apiKeys.problems);
  const expiry = localInputValue(apiKey.expiresAt);
  const restore = async () => {
    const { id, name, expiresAt } = apiKey;
    return (await change({ id, input: { name, expiresAt } })).error;
  };
  const submit = async ({ name = "", expiresAt = "" }: Record<string, string>) => {
    const end = expiresAt === "" ? null : new Date(expiresAt).toISOString();
    // The field has only minutes: unchanged, it must not move the expiry.
    const input = { name, ...(expiresAt !== expiry && { expiresAt: end }) };
    const { error } = await change({ id: apiKey.id, input });
    if (!error) onSaved(restore);
    return !error;
  };
  return (
    <EditForm
      title={apiKeys.editTitle(isolated(apiKey.name))}
      draftKey={keyDraft(apiKey)}
      start={{ name: apiKey.name, expiresAt: expiry }}
      problems={problems}
      error={error}
      isSaving={fetching}
      submitLabel={messages.forms.save}
      onSubmit={submit}
      onClose={onClose}
    >
      {(start) => (
        <>
          <KeyNameField start={start} problems={problems} />
          <KeyExpiryField start={start} problems={problems} />
          <p className="hint">{apiKeys.fixed}</p>
        </>
      )}
    </EditForm>
  );
}
