import { useClient, useMutation } from "urql";
import {
  AddKeyDocument,
  type AdministeredKeyFragment,
  AdministeredKeysDocument,
  ChangeKeyDocument,
} from "../../../generated/console.js";
import { isolated } from "../../../platform/text-direction.js";
import { EditForm } from "../../form/edit-form.js";
import { TextField, useForm } from "../../form/field.js";
import { localInputValue } from "../../language/time-zones.js";
import type { Undo } from "../../shell/outcome.js";
import { PermissionChoice } from "../permission-choice.js";
import { useTexts as useSettingTexts } from "../texts.js";
import { chosenFacilities, FacilityChoice } from "./facility-choice.js";
import { useTexts } from "./texts.js";

/** The draft of a new key. */
export const newKeyDraft = "new API key";

/** The draft of an API key that is changed. */
export const keyDraft = ({ id }: { id: string }): string => `API key ${id}`;

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
  const [, add] = useMutation(AddKeyDocument);
  const submit = (texts: Record<string, string>) => {
    const facilityIds = chosenFacilities(facilities, texts);
    return add({
      input: {
        name: texts.name ?? "",
        permissions: Object.keys(permissions).filter((permission) => permission in texts),
        ...(facilityIds.length > 0 && { facilityIds }),
        ...(texts.expiresAt && { expiresAt: new Date(texts.expiresAt).toISOString() }),
      },
    });
  };
  return (
    <EditForm
      title={apiKeys.addTitle}
      draftKey={newKeyDraft}
      start={Object.fromEntries(needed.map((permission) => [permission, "on"]))}
      rules={apiKeys.problems}
      submitLabel={adding.key}
      onSubmit={submit}
      onSaved={({ data }) => data && onCreated(data.createApiKey.key)}
      onClose={onClose}
    >
      <KeyNameField />
      <KeyPermissions />
      <FacilityChoice facilities={facilities} />
      <KeyExpiryField />
    </EditForm>
  );
}

function KeyPermissions() {
  const apiKeys = useTexts();
  const { problems } = useForm();
  return (
    <fieldset className="choices">
      <legend>{apiKeys.permissions}</legend>
      <PermissionChoice />
      {problems.permissions && <p className="problem">{problems.permissions}</p>}
    </fieldset>
  );
}

function KeyNameField() {
  return <TextField name="name" label={useTexts().name} required maxLength={200} />;
}

/** When an API key expires; empty for never. */
function KeyExpiryField() {
  const apiKeys = useTexts();
  return <TextField name="expiresAt" label={apiKeys.expires} hint={apiKeys.never} type="datetime-local" />;
}

/** What of a key can be changed, to compare with what it is later. */
const keyVersion = ({ name, expiresAt }: AdministeredKeyFragment): string => `${expiresAt} ${name}`;

interface ApiKeyChangeFormProps {
  apiKey: AdministeredKeyFragment;
  onClose: () => void;
  onSaved: (undo: Undo) => void;
}

/** The name and the expiry of an API key. Nothing else of it can be changed. */
export function ApiKeyChangeForm({ apiKey, onClose, onSaved }: ApiKeyChangeFormProps) {
  const { id, name, expiresAt } = apiKey;
  const apiKeys = useTexts();
  const [, change] = useMutation(ChangeKeyDocument);
  const expiry = localInputValue(expiresAt);
  const client = useClient();
  const readVersion = async () => {
    const { data } = await client.query(AdministeredKeysDocument, {}, { requestPolicy: "network-only" });
    const present = data?.workspace.apiKeys?.find((key) => key.id === id);
    return present && keyVersion(present);
  };
  const submit = (given: Record<string, string>) => {
    const { name = "", expiresAt = "" } = given;
    const end = expiresAt === "" ? null : new Date(expiresAt).toISOString();
    // The field has only minutes: unchanged, it must not move the expiry.
    return change({ id, input: { name, ...(expiresAt !== expiry && { expiresAt: end }) } });
  };
  return (
    <EditForm
      title={apiKeys.editTitle(isolated(name))}
      draftKey={keyDraft(apiKey)}
      start={{ name, expiresAt: expiry }}
      version={keyVersion(apiKey)}
      readVersion={readVersion}
      rules={apiKeys.problems}
      refusals={{ CONFLICT: { name: apiKeys.hasEnded } }}
      onSubmit={submit}
      onSaved={() => onSaved(async () => (await change({ id, input: { name, expiresAt } })).error)}
      onClose={onClose}
    >
      <KeyNameField />
      <KeyExpiryField />
      <p className="hint">{apiKeys.fixed}</p>
    </EditForm>
  );
}
