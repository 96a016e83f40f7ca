import { useState } from "react";
import { useClient, useMutation, useQuery } from "urql";
import {
  RenameWorkspaceDocument,
  WorkspaceSettingsDocument,
  type WorkspaceSettingsQuery,
} from "../../../generated/console.js";
import { QueryResult } from "../../data/query-result.js";
import { EditForm, isBeingWritten } from "../../form/edit-form.js";
import { Field } from "../../form/field.js";
import { fieldProblems } from "../../form/field-problems.js";
import { useLanguage } from "../../language/language.js";
import { StoredText } from "../../language/stored-text.js";
import { settings } from "../../page-settings.js";
import { Outcome, useOutcome } from "../../shell/outcome.js";
import { ChannelList } from "../notifications/channel-list.js";
import { useTexts as useSettingTexts } from "../texts.js";
import { useTexts } from "./texts.js";

const draftKey = "name of the workspace";

/** The name of the workspace, the channels of its notifications, and the gateway's version. */
export function WorkspaceSettings() {
  const [result, reexecute] = useQuery({ query: WorkspaceSettingsDocument });
  return (
    <QueryResult result={result} onRetry={() => reexecute({ requestPolicy: "network-only" })}>
      {({ workspace }) => <Settings workspace={workspace} />}
    </QueryResult>
  );
}

function Settings({ workspace }: WorkspaceSettingsQuery) {
  const { actions, saved } = useSettingTexts();
  const texts = useTexts();
  const [isChanging, setChanging] = useState(() => isBeingWritten(draftKey));
  const [outcome, tell] = useOutcome();
  return (
    <>
      <dl className="setting-facts">
        <div>
          <dt>{texts.name}</dt>
          <dd>
            <StoredText>{workspace.name}</StoredText>{" "}
            <button type="button" onClick={() => setChanging(true)}>
              {actions.edit}
            </button>
          </dd>
        </div>
        <div>
          <dt>{texts.version}</dt>
          <dd>{settings.version}</dd>
        </div>
      </dl>
      <ChannelList setUp={workspace.deliveryChannels} />
      {isChanging && (
        <NameForm name={workspace.name} onClose={() => setChanging(false)} onSaved={() => tell(saved)} />
      )}
      <Outcome>{outcome}</Outcome>
    </>
  );
}

interface NameFormProps {
  name: string;
  onClose: () => void;
  onSaved: () => void;
}

function NameForm({ name, onClose, onSaved }: NameFormProps) {
  const { messages } = useLanguage();
  const workspace = useTexts();
  const client = useClient();
  const readVersion = async () => {
    const { data } = await client
      .query(WorkspaceSettingsDocument, {}, { requestPolicy: "network-only" })
      .toPromise();
    return data?.workspace.name;
  };
  const [{ error, fetching }, rename] = useMutation(RenameWorkspaceDocument);
  const problems = fieldProblems(error, workspace.problems);
  const submit = async ({ name = "" }: Record<string, string>) => {
    const { error } = await rename({ name });
    if (!error) onSaved();
    return !error;
  };
  return (
    <EditForm
      title={workspace.title}
      draftKey={draftKey}
      start={{ name }}
      version={name}
      readVersion={readVersion}
      problems={problems}
      error={error}
      isSaving={fetching}
      submitLabel={messages.forms.save}
      onSubmit={submit}
      onClose={onClose}
    >
      {(start) => (
        <Field label={workspace.name} problem={problems.name}>
          {(attributes) => (
            <input {...attributes} name="name" required maxLength={200} defaultValue={start.name} />
          )}
        </Field>
      )}
    </EditForm>
  );
}
