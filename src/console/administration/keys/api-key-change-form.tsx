import { useClient, useMutation } from "urql";
import {
  type AdministeredKeyFragment,
  AdministeredKeysDocument,
  ChangeKeyDocument,
} from "../../../generated/console.js";
import { isolated } from "../../../platform/text-direction.js";
import { codeOf } from "../../data/failure.js";
import { EditForm } from "../../form/edit-form.js";
import { fieldProblems } from "../../form/field-problems.js";
import { useLanguage } from "../../language/language.js";
import { localInputValue } from "../../language/local-input.js";
import type { Undo } from "../../shell/outcome.js";
import { KeyExpiryField, KeyNameField } from "./api-key-fields.js";
import { useTexts } from "./texts.js";

/** The draft of an API key that is changed. */
export const keyDraft = ({ id }: { id: string }): string => `API key ${id}`;

/** What of a key can be changed, to compare with what it is later. */
const keyVersion = ({ name, expiresAt }: AdministeredKeyFragment): string => `${expiresAt} ${name}`;

interface ApiKeyChangeFormProps {
  apiKey: AdministeredKeyFragment;
  onClose: () => void;
  onSaved: (undo: Undo) => void;
}

/** The name and the expiry of an API key. Nothing else of it can be changed. */
export function ApiKeyChangeForm({ apiKey, onClose, onSaved }: ApiKeyChangeFormProps) {
  const { messages } = useLanguage();
  const apiKeys = useTexts();
  const [{ error, fetching }, change] = useMutation(ChangeKeyDocument);
  const hasEnded = error !== undefined && codeOf(error) === "CONFLICT";
  const problems = hasEnded ? { name: apiKeys.hasEnded } : fieldProblems(error, apiKeys.problems);
  const expiry = localInputValue(apiKey.expiresAt);
  const client = useClient();
  const readVersion = async () => {
    const { data } = await client
      .query(AdministeredKeysDocument, {}, { requestPolicy: "network-only" })
      .toPromise();
    const present = data?.workspace.apiKeys?.find(({ id }) => id === apiKey.id);
    return present && keyVersion(present);
  };
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
      version={keyVersion(apiKey)}
      readVersion={readVersion}
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
