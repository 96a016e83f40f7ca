import { useState } from "react";
import { useMutation } from "urql";
import { RenameWorkspaceDocument } from "../../generated/console.js";
import { EditForm, isBeingWritten } from "../form/edit-form.js";
import { Field } from "../form/field.js";
import { fieldProblems } from "../form/field-problems.js";
import { useLanguage } from "../language/language.js";
import { StoredText } from "../language/stored-text.js";
import { Outcome, useOutcome } from "../shell/outcome.js";
import { useWorkspace } from "../viewer/viewer.js";
import { useTexts } from "./texts.js";

const draftKey = "name of the workspace";

/** The name of the workspace. */
export function WorkspaceSettings() {
  const texts = useTexts();
  const workspace = useWorkspace();
  const [isChanging, setChanging] = useState(() => isBeingWritten(draftKey));
  const [outcome, tell] = useOutcome();
  if (!workspace) return undefined;
  return (
    <>
      <dl className="setting-facts">
        <div>
          <dt>{texts.workspace.name}</dt>
          <dd>
            <StoredText>{workspace.name}</StoredText>{" "}
            <button type="button" onClick={() => setChanging(true)}>
              {texts.actions.edit}
            </button>
          </dd>
        </div>
      </dl>
      {isChanging && (
        <NameForm
          name={workspace.name}
          onClose={() => setChanging(false)}
          onSaved={() => tell(texts.saved)}
        />
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
  const { workspace } = useTexts();
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
