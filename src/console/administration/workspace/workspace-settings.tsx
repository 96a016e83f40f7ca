import { useClient, useMutation } from "urql";
import {
  RenameWorkspaceDocument,
  WorkspaceSettingsDocument,
  type WorkspaceSettingsQuery,
} from "../../../generated/console.js";
import { Query } from "../../data/query.js";
import { DialogButton } from "../../form/dialog-button.js";
import { EditForm } from "../../form/edit-form.js";
import { TextField } from "../../form/field.js";
import { StoredText } from "../../language/language.js";
import { settings } from "../../page-settings.js";
import { Fact } from "../../shell/fact.js";
import { useOutcome } from "../../shell/notice/notice.js";
import { ChannelList } from "../notifications/channel-list.js";
import { useTexts } from "../texts.js";

const draftKey = "name of the workspace";

export function WorkspaceSettings() {
  return (
    <Query query={WorkspaceSettingsDocument}>{({ workspace }) => <Settings workspace={workspace} />}</Query>
  );
}

function Settings({ workspace }: WorkspaceSettingsQuery) {
  const { actions, saved, workspace: texts } = useTexts();
  const [outcome, tell] = useOutcome();
  return (
    <>
      <dl className="setting-facts">
        <Fact label={texts.name}>
          <StoredText>{workspace.name}</StoredText>{" "}
          <DialogButton label={actions.edit} draftKey={draftKey}>
            {(close) => <NameForm name={workspace.name} onClose={close} onSaved={() => tell(saved)} />}
          </DialogButton>
        </Fact>
        <Fact label={texts.version}>{settings.version}</Fact>
      </dl>
      <ChannelList setUp={workspace.deliveryChannels} />
      {outcome}
    </>
  );
}

interface NameFormProps {
  name: string;
  onClose: () => void;
  onSaved: () => void;
}

function NameForm({ name, onClose, onSaved }: NameFormProps) {
  const { workspace } = useTexts();
  const client = useClient();
  const readVersion = async () => {
    const { data } = await client.query(WorkspaceSettingsDocument, {}, { requestPolicy: "network-only" });
    return data?.workspace.name;
  };
  const [, rename] = useMutation(RenameWorkspaceDocument);
  return (
    <EditForm
      title={workspace.title}
      draftKey={draftKey}
      start={{ name }}
      version={name}
      readVersion={readVersion}
      rules={workspace.problems}
      onSubmit={({ name = "" }) => rename({ name })}
      onSaved={onSaved}
      onClose={onClose}
    >
      <TextField name="name" label={workspace.name} required maxLength={200} />
    </EditForm>
  );
}
