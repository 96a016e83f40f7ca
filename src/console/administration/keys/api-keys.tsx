import { useState } from "react";
import { useClient, useMutation } from "urql";
import {
  AddKeyDocument,
  type AdministeredKeyFragment,
  AdministeredKeysDocument,
  ChangeKeyDocument,
  RevokeKeyDocument,
  RotateKeyDocument,
} from "../../../generated/console.js";
import { isolated } from "../../../platform/text/text-direction.js";
import { Query } from "../../data/query.js";
import { MutationConfirmation } from "../../form/confirmation.js";
import { DialogButton } from "../../form/dialog-button.js";
import { EditForm, isBeingWritten } from "../../form/edit-form.js";
import { Checkbox, FieldProblem, TextField } from "../../form/field.js";
import { Moment, StoredText, useMessages, useNow } from "../../language/language.js";
import { localInputValue } from "../../language/time-zones.js";
import { changeQuery, useAddress } from "../../navigation/location.js";
import { settings } from "../../page-settings.js";
import { CopyableText } from "../../shell/copyable-text.js";
import { Dialog } from "../../shell/dialog.js";
import { Notice, type TellOutcome, type Undo, useOutcome } from "../../shell/notice/notice.js";
import { AddressSearch } from "../../shell/search-field.js";
import { useMay } from "../../viewer/viewer.js";
import { changedEnd, EndField, hasEnded } from "../access-end.js";
import { useAdding } from "../adding.js";
import { PermissionSet, rolesOfKeys } from "../role-presets.js";
import { RowButton } from "../row-button.js";
import { useTexts } from "../texts.js";
import { chosenFacilities, FacilityChoice } from "./facility-choice.js";

export function ApiKeys() {
  return (
    <Query query={AdministeredKeysDocument}>
      {({ workspace, facilities }) => <KeyList keys={workspace.apiKeys ?? []} facilities={facilities} />}
    </Query>
  );
}

interface KeyListProps {
  keys: readonly AdministeredKeyFragment[];
  facilities: readonly { id: string; name: string }[];
}

function KeyList({ keys, facilities }: KeyListProps) {
  const { adding } = useMessages();
  const { saved, keys: apiKeys } = useTexts();
  const now = useNow();
  // Apart from the row, which disappears if the key ends meanwhile.
  const [changingId, setChangingId] = useState(() => keys.find((key) => isBeingWritten(keyDraft(key)))?.id);
  const changing = keys.find(({ id }) => id === changingId);
  const [isAdding, setAdding] = useAdding("key", newKeyDraft, useMay("api-keys:write"));
  const [created, setCreated] = useState<string>();
  const [outcome, tell] = useOutcome();
  const address = useAddress();
  const text = address.get("text") ?? "";
  const showsEnded = address.has("ended");
  const ended = keys.filter((key) => isEnded(key, now));
  const shown = keys.filter(
    (key) => (showsEnded || !isEnded(key, now)) && key.name.toLowerCase().includes(text.toLowerCase()),
  );
  const add = (
    <button type="button" className="primary" onClick={() => setAdding(true)}>
      {adding.key}
    </button>
  );
  return (
    <>
      {keys.length === 0 ? (
        <Notice title={apiKeys.empty} actions={add}>
          {apiKeys.emptyText}
        </Notice>
      ) : (
        <>
          <div className="setting-toolbar">
            {add}
            {keys.length > 10 && <AddressSearch label={apiKeys.search} />}
            {ended.length > 0 && (
              <Checkbox
                checked={showsEnded}
                onChange={({ currentTarget }) =>
                  changeQuery({ ended: currentTarget.checked ? "true" : undefined }, { replace: true })
                }
              >
                {apiKeys.showEnded}
              </Checkbox>
            )}
          </div>
          <ul className="setting-rows">
            {shown.map((key) => (
              <KeyRow
                key={key.id}
                apiKey={key}
                isEnded={isEnded(key, now)}
                facilities={facilities}
                tell={tell}
                onChange={() => setChangingId(key.id)}
                onRotated={setCreated}
              />
            ))}
          </ul>
        </>
      )}
      {isAdding && (
        <ApiKeyForm
          facilities={facilities}
          permissions={address.getAll("permissions")}
          onClose={() => setAdding(false)}
          onCreated={setCreated}
        />
      )}
      {changing && (
        <ApiKeyChangeForm
          key={changing.id}
          apiKey={changing}
          onClose={() => setChangingId(undefined)}
          onSaved={(undo) => tell(saved, undo)}
        />
      )}
      {created !== undefined && <NewKey secret={created} onClose={() => setCreated(undefined)} />}
      {outcome}
    </>
  );
}

const isEnded = ({ revokedAt, expiresAt }: AdministeredKeyFragment, now: Date) =>
  revokedAt !== null || hasEnded(expiresAt, now);

/** The maximum number of facilities that a row names. */
const mostNamed = 5;

interface KeyRowProps {
  apiKey: AdministeredKeyFragment;
  isEnded: boolean;
  facilities: KeyListProps["facilities"];
  tell: TellOutcome;
  onChange: () => void;
  onRotated: (secret: string) => void;
}

function KeyRow({ apiKey, isEnded, facilities, tell, onChange, onRotated }: KeyRowProps) {
  const { permissions, actions, keys: apiKeys } = useTexts();
  const { id, name, facilityIds, expiresAt, revokedAt, lastUsedAt } = apiKey;
  const names = facilities.filter((facility) => facilityIds?.includes(facility.id)).map(({ name }) => name);
  return (
    <li data-ended={isEnded}>
      <div>
        <h3>
          <StoredText>{name}</StoredText>
        </h3>
        <p className="hint">
          {revokedAt ? apiKeys.revoked : isEnded ? apiKeys.expired : apiKeys.active} · {apiKeys.lastUsed}:{" "}
          {lastUsedAt ? <Moment instant={lastUsedAt} form="relative" /> : apiKeys.never} · {apiKeys.expires}:{" "}
          {expiresAt ? <Moment instant={expiresAt} /> : apiKeys.never}
        </p>
        <p className="hint" title={names.map(isolated).join("\n") || undefined}>
          {facilityIds ? apiKeys.facilityCount(facilityIds.length) : apiKeys.everywhere}
          {names.length > 0 && `: ${names.slice(0, mostNamed).map(isolated).join(", ")}`}
          {names.length > mostNamed && " …"}
        </p>
        <ul className="permission-list">
          {apiKey.permissions.map((permission) => (
            <li key={permission}>{permissions[permission] ?? permission}</li>
          ))}
        </ul>
      </div>
      {!isEnded && (
        <div className="setting-actions">
          <RowButton label={actions.edit} of={name} onClick={onChange} />
          <DialogButton label={apiKeys.rotate} of={name}>
            {(close) => (
              <MutationConfirmation
                title={apiKeys.rotateTitle(isolated(name))}
                label={apiKeys.rotate}
                mutation={RotateKeyDocument}
                variables={{ id }}
                onDone={({ rotateApiKey }) => onRotated(rotateApiKey.key)}
                onClose={close}
              >
                <p>{apiKeys.rotateText}</p>
              </MutationConfirmation>
            )}
          </DialogButton>
          <DialogButton label={apiKeys.revoke} of={name}>
            {(close) => (
              <MutationConfirmation
                title={apiKeys.revokeTitle(isolated(name))}
                label={apiKeys.revoke}
                mutation={RevokeKeyDocument}
                variables={{ id }}
                onDone={() => tell(apiKeys.wasRevoked(isolated(name)))}
                onClose={close}
              >
                <p>{apiKeys.revokeText}</p>
              </MutationConfirmation>
            )}
          </DialogButton>
        </div>
      )}
    </li>
  );
}

/** A new key, which is shown only once, with a request to try it. */
function NewKey({ secret, onClose }: { secret: string; onClose: () => void }) {
  const { keys: apiKeys } = useTexts();
  const address = new URL("/alerts?start=0&end=4102444800&count=1", settings.publicUrl).href;
  return (
    <Dialog title={apiKeys.created} onClose={onClose}>
      <div className="edit-form">
        <p>{apiKeys.createdText}</p>
        <CopyableText label={apiKeys.key} text={secret} />
        <CopyableText label={apiKeys.tryIt} text={`curl -u ${secret}: '${address}'`} />
      </div>
    </Dialog>
  );
}

const newKeyDraft = "new API key";

const keyDraft = ({ id }: { id: string }) => `API key ${id}`;

interface ApiKeyFormProps {
  facilities: readonly { id: string; name: string }[];
  /** The permissions that are chosen at the start. */
  permissions: readonly string[];
  onClose: () => void;
  onCreated: (secret: string) => void;
}

function ApiKeyForm({ facilities, permissions: needed, onClose, onCreated }: ApiKeyFormProps) {
  const { adding } = useMessages();
  const { permissions, keys: apiKeys } = useTexts();
  const [, add] = useMutation(AddKeyDocument);
  const submit = (texts: Record<string, string>) => {
    const facilityIds = chosenFacilities(facilities, texts);
    return add({
      input: {
        name: texts.name ?? "",
        permissions: Object.keys(permissions).filter((permission) => permission in texts),
        ...(facilityIds.length > 0 && { facilityIds }),
        expiresAt: changedEnd(texts.expiresAt),
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
      <PermissionSet legend={apiKeys.permissions} roles={rolesOfKeys}>
        <FieldProblem of="permissions" />
      </PermissionSet>
      <FacilityChoice facilities={facilities} />
      <EndField name="expiresAt" label={apiKeys.expires} />
    </EditForm>
  );
}

function KeyNameField() {
  return <TextField name="name" label={useMessages().forms.name} required maxLength={200} />;
}

/** What of a key can be changed, to compare with what it is later. */
const keyVersion = ({ name, expiresAt }: AdministeredKeyFragment) => `${expiresAt} ${name}`;

interface ApiKeyChangeFormProps {
  apiKey: AdministeredKeyFragment;
  onClose: () => void;
  onSaved: (undo: Undo) => void;
}

/** The name and the expiry of an API key. Nothing else of it can be changed. */
function ApiKeyChangeForm({ apiKey, onClose, onSaved }: ApiKeyChangeFormProps) {
  const { id, name, expiresAt } = apiKey;
  const { keys: apiKeys } = useTexts();
  const { forms } = useMessages();
  const [, change] = useMutation(ChangeKeyDocument);
  const client = useClient();
  const readVersion = async () => {
    const { data } = await client.query(AdministeredKeysDocument, {}, { requestPolicy: "network-only" });
    const present = data?.workspace.apiKeys?.find((key) => key.id === id);
    return present && keyVersion(present);
  };
  const submit = ({ name = "", expiresAt: end }: Record<string, string>) =>
    change({ id, input: { name, expiresAt: changedEnd(end, expiresAt) } });
  return (
    <EditForm
      title={forms.editTitle(isolated(name))}
      draftKey={keyDraft(apiKey)}
      start={{ name, expiresAt: localInputValue(expiresAt) }}
      version={keyVersion(apiKey)}
      readVersion={readVersion}
      rules={apiKeys.problems}
      refusals={{ CONFLICT: { name: apiKeys.hasEnded } }}
      onSubmit={submit}
      onSaved={() => onSaved(() => change({ id, input: { name, expiresAt } }))}
      onClose={onClose}
    >
      <KeyNameField />
      <EndField name="expiresAt" label={apiKeys.expires} />
      <p className="hint">{apiKeys.fixed}</p>
    </EditForm>
  );
}
