import { useState } from "react";
import {
  type AdministeredKeyFragment,
  AdministeredKeysDocument,
  RevokeKeyDocument,
  RotateKeyDocument,
} from "../../../generated/console.js";
import { isolated } from "../../../platform/text-direction.js";
import { Query } from "../../data/query.js";
import { MutationConfirmation } from "../../form/confirmation.js";
import { isBeingWritten } from "../../form/edit-form.js";
import { Checkbox } from "../../form/field.js";
import { StoredText } from "../../language/language.js";
import { Moment } from "../../language/moment.js";
import { useNow } from "../../language/now.js";
import { readersTimeZone } from "../../language/time-zones.js";
import { changeQuery, useAddress } from "../../navigation/location.js";
import { settings } from "../../page-settings.js";
import { CopyableText } from "../../shell/copyable-text.js";
import { Dialog } from "../../shell/dialog.js";
import { Notice } from "../../shell/notice.js";
import { Outcome, type TellOutcome, useOutcome } from "../../shell/outcome.js";
import { SearchField } from "../../shell/search-field.js";
import { useMay } from "../../viewer/viewer.js";
import { useAdding } from "../adding.js";
import { RowButton } from "../row-button.js";
import { useTexts as useSettingTexts } from "../texts.js";
import { ApiKeyChangeForm, ApiKeyForm, keyDraft, newKeyDraft } from "./api-key-forms.js";
import { useTexts } from "./texts.js";

/** The API keys of the workspace: those in force first, and ended ones on request. */
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
  const { adding, saved } = useSettingTexts();
  const apiKeys = useTexts();
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
            {keys.length > 10 && (
              <SearchField
                label={apiKeys.search}
                value={text}
                onChange={(value) => changeQuery({ text: value }, { replace: true })}
              />
            )}
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
      <Outcome>{outcome}</Outcome>
    </>
  );
}

const isEnded = ({ revokedAt, expiresAt }: AdministeredKeyFragment, now: Date): boolean =>
  revokedAt !== null || (expiresAt !== null && new Date(expiresAt) <= now);

/** The maximum number of facilities that a row names. */
const mostNamed = 5;

interface KeyRowProps {
  apiKey: AdministeredKeyFragment;
  isEnded: boolean;
  facilities: KeyListProps["facilities"];
  tell: TellOutcome;
  /** Called to change the key. */
  onChange: () => void;
  /** Called with the key's new secret. */
  onRotated: (secret: string) => void;
}

function KeyRow({ apiKey, isEnded, facilities, tell, onChange, onRotated }: KeyRowProps) {
  const { permissions, actions } = useSettingTexts();
  const apiKeys = useTexts();
  const [isRevoking, setRevoking] = useState(false);
  const [isRotating, setRotating] = useState(false);
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
          {lastUsedAt ? <Moment instant={lastUsedAt} timeZone={readersTimeZone} relative /> : apiKeys.never} ·{" "}
          {apiKeys.expires}:{" "}
          {expiresAt ? <Moment instant={expiresAt} timeZone={readersTimeZone} /> : apiKeys.never}
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
          <RowButton label={apiKeys.rotate} of={name} onClick={() => setRotating(true)} />
          <RowButton label={apiKeys.revoke} of={name} onClick={() => setRevoking(true)} />
        </div>
      )}
      {isRotating && (
        <MutationConfirmation
          title={apiKeys.rotateTitle(isolated(name))}
          label={apiKeys.rotate}
          mutation={RotateKeyDocument}
          variables={{ id }}
          onDone={({ rotateApiKey }) => onRotated(rotateApiKey.key)}
          onClose={() => setRotating(false)}
        >
          <p>{apiKeys.rotateText}</p>
        </MutationConfirmation>
      )}
      {isRevoking && (
        <MutationConfirmation
          title={apiKeys.revokeTitle(isolated(name))}
          label={apiKeys.revoke}
          mutation={RevokeKeyDocument}
          variables={{ id }}
          onDone={() => tell(apiKeys.wasRevoked(isolated(name)))}
          onClose={() => setRevoking(false)}
        >
          <p>{apiKeys.revokeText}</p>
        </MutationConfirmation>
      )}
    </li>
  );
}

/** A new key, which is shown only once, with a request to try it. */
function NewKey({ secret, onClose }: { secret: string; onClose: () => void }) {
  const apiKeys = useTexts();
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
