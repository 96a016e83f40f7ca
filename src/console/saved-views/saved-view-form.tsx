import { useState } from "react";
import { type CombinedError, useMutation } from "urql";
import { type SavedViewFragment, type SavedViewInput, SaveViewDocument } from "../../generated/console.js";
import { isolated } from "../../platform/text-direction.js";
import { codeOf } from "../data/failure.js";
import { EditForm } from "../form/edit-form.js";
import { Field } from "../form/field.js";
import { type FieldProblems, fieldProblems } from "../form/field-problems.js";
import { useLanguage } from "../language/language.js";
import { addressOf, useQuery as useAddress } from "../navigation/location.js";
import { CopyableText } from "../shell/copyable-text.js";
import type { TellOutcome } from "../shell/outcome.js";
import type { SavedViewTexts } from "./english.js";
import { isShown, placeOfSavedQuery, savableQuery } from "./saved-query.js";
import { useTexts } from "./texts.js";

/** The draft of a saved view that is changed. */
export const savedViewDraft = ({ id }: { id: string }): string => `saved view ${id}`;

interface FormProps {
  /** All saved views. */
  savedViews: readonly SavedViewFragment[];
  tell: TellOutcome;
  /** Called when nothing was saved: others may have changed the saved views. */
  onFailure: () => void;
  onClose: () => void;
}

/** Saves a view, and returns why that failed. */
function useSaveView(onFailure: () => void) {
  const [{ error, fetching }, execute] = useMutation(SaveViewDocument);
  const save = async (input: SavedViewInput): Promise<CombinedError | undefined> => {
    const result = await execute({ input });
    if (result.error) onFailure();
    return result.error;
  };
  return { error, isSaving: fetching, save };
}

/** Why the gateway refused a view, at its name, in words for the reader. */
function problemsOf(
  error: CombinedError | undefined,
  { problems }: SavedViewTexts,
  savedViews: readonly SavedViewFragment[],
): FieldProblems {
  const refusals: Record<string, string> = {
    CONFLICT: problems.tooMany(savedViews.length),
    NOT_FOUND: problems.gone,
  };
  const refusal = refusals[(error && codeOf(error)) ?? ""];
  return refusal === undefined
    ? fieldProblems(error, { name: problems.name, query: problems.query })
    : { name: refusal };
}

const withName = (views: readonly SavedViewFragment[], name: string) =>
  views.find((view) => view.name.toLowerCase() === name.trim().toLowerCase());

/** Saves what the view shows now under a name. A name that is taken is offered to replace. */
export function NewSavedViewForm({ savedViews, tell, onFailure, onClose }: FormProps) {
  const texts = useTexts();
  const { messages } = useLanguage();
  const { error, isSaving, save } = useSaveView(onFailure);
  const [name, setName] = useState<string>();
  const query = savableQuery(useAddress());
  const problems = problemsOf(error, texts, savedViews);
  const submit = async ({ name = "" }: Record<string, string>) => {
    if (query === undefined) return false;
    const before = withName(savedViews, name);
    if (await save({ name, query, ...(before && { id: before.id }) })) return false;
    if (before) tell(texts.changed(isolated(name)), () => save(inputOf(before)));
    else tell(texts.saved(isolated(name)));
    return true;
  };
  return (
    <EditForm
      title={texts.saveTitle}
      draftKey="saved view"
      start={{}}
      problems={problems}
      error={error}
      isSaving={isSaving}
      submitLabel={withName(savedViews, name ?? "") ? texts.replace : messages.forms.save}
      onSubmit={submit}
      onClose={onClose}
    >
      {(start) => {
        const taken = withName(savedViews, name ?? start.name ?? "");
        return (
          <>
            <NameField start={start.name} problems={problems} onInput={setName} />
            <p className="hint" role="status">
              {taken && texts.taken(isolated(taken.name))}
            </p>
          </>
        );
      }}
    </EditForm>
  );
}

/** Renames a saved view, replaces its filters, or deletes it. Its link can be copied. */
export function SavedViewForm({
  view,
  savedViews,
  tell,
  onFailure,
  onDelete,
  onClose,
}: FormProps & { view: SavedViewFragment; onDelete: () => void }) {
  const texts = useTexts();
  const { messages } = useLanguage();
  const { error, isSaving, save } = useSaveView(onFailure);
  const [name, setName] = useState(view.name);
  const address = useAddress();
  const shown = savableQuery(address);
  const others = savedViews.filter(({ id }) => id !== view.id);
  const isTaken = withName(others, name) !== undefined;
  const problems = isTaken ? { name: texts.problems.taken } : problemsOf(error, texts, savedViews);
  const place = placeOfSavedQuery(view.query);
  const submit = async ({ name = "", replaced }: Record<string, string>) => {
    if (isTaken) return false;
    const query = (replaced && shown) || view.query;
    if (await save({ id: view.id, name, query })) return false;
    tell(texts.changed(isolated(name)), () => save(inputOf(view)));
    return true;
  };
  return (
    <EditForm
      title={texts.editTitle(isolated(view.name))}
      draftKey={savedViewDraft(view)}
      start={{ name: view.name }}
      problems={problems}
      error={error}
      isSaving={isSaving}
      submitLabel={messages.forms.save}
      onSubmit={submit}
      onClose={onClose}
    >
      {(start) => (
        <>
          <NameField start={start.name} problems={problems} onInput={setName} />
          {shown !== undefined && !isShown(view.query, address) && (
            <label className="choice">
              <input type="checkbox" name="replaced" defaultChecked={start.replaced !== undefined} />
              {texts.replaceByShown}
            </label>
          )}
          {place ? (
            <div>
              <CopyableText label={texts.link} text={new URL(addressOf(place), location.origin).href} />
              <p className="hint">{texts.linkHint}</p>
            </div>
          ) : (
            <p className="hint">{texts.unknownView}</p>
          )}
          <button type="button" className="danger saved-view-deletion" onClick={onDelete}>
            {texts.delete}
          </button>
        </>
      )}
    </EditForm>
  );
}

/** What saves a view as it was. */
const inputOf = ({ id, name, query }: SavedViewFragment): SavedViewInput => ({ id, name, query });

interface NameFieldProps {
  start: string | undefined;
  problems: FieldProblems;
  onInput: (name: string) => void;
}

function NameField({ start, problems, onInput }: NameFieldProps) {
  const texts = useTexts();
  const problem = [problems.name, problems.query].filter((each) => each !== undefined).join("\n");
  return (
    <Field label={texts.name} hint={texts.nameHint} problem={problem || undefined}>
      {(attributes) => (
        <input
          {...attributes}
          ref={(input) => input?.setAttribute("autofocus", "")}
          name="name"
          required
          maxLength={200}
          autoComplete="off"
          defaultValue={start}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      )}
    </Field>
  );
}
