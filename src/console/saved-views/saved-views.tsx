import "./saved-views.css";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { useMutation } from "urql";
import {
  DeleteViewDocument,
  type SavedViewFragment,
  type SavedViewInput,
  SavedViewsDocument,
  SaveViewDocument,
} from "../../generated/console.js";
import { isolated } from "../../platform/text/text-direction.js";
import { failedChange } from "../data/failure.js";
import { QueryResult, useRepeatedQuery } from "../data/query.js";
import { EditForm } from "../form/edit-form.js";
import { Checkbox, TextField, useForm } from "../form/field.js";
import { StoredText, useMessages } from "../language/language.js";
import { addressOf, Link, useAddress } from "../navigation/location.js";
import { keepDraft } from "../session/drafts.js";
import { CopyableText } from "../shell/copyable-text.js";
import { type TellOutcome, useOutcome } from "../shell/notice/notice.js";
import { EditIcon } from "../shell/view-icons.js";
import { isShown, parametersOfSavedQuery, savableQuery } from "./saved-query.js";
import { useTexts } from "./texts.js";

interface SavedViewsProps {
  isSaving: boolean;
  onSavingChange: (isSaving: boolean) => void;
  onLeave: () => void;
}

/** The viewer's saved views in a menu, with the forms that add, change and delete them in front of the view. */
export function SavedViews({ isSaving, onSavingChange, onLeave }: SavedViewsProps) {
  const messages = useMessages();
  const texts = useTexts();
  const [result, readAgain] = useRepeatedQuery({ query: SavedViewsDocument });
  // It stays open with what was typed even if the view was deleted meanwhile.
  const [changed, setChanged] = useState<SavedViewFragment>();
  const [outcome, tell] = useOutcome();
  const [, deleteView] = useMutation(DeleteViewDocument);
  const [, saveView] = useMutation(SaveViewDocument);
  const address = useAddress();
  const savedViews = result.data?.me.savedViews ?? [];
  const leave = useEffectEvent(onLeave);
  const shownAddress = useRef(address);
  useEffect(() => {
    if (shownAddress.current !== address) leave();
    shownAddress.current = address;
  }, [address]);
  const remove = async ({ id, name, query }: SavedViewFragment) => {
    setChanged(undefined);
    keepDraft(savedViewDraft({ id }), undefined);
    const { error } = await deleteView({ id });
    if (error) {
      readAgain();
      tell(failedChange(error, messages));
    } else tell(messages.forms.deleted(isolated(name)), () => saveView({ input: { name, query } }));
  };
  const forms = { savedViews, tell, onFailure: readAgain };
  return (
    <>
      <p className="menu-title">
        <strong>{messages.savedViews}</strong>
      </p>
      {savableQuery(address) !== undefined && (
        <button
          type="button"
          onClick={() => {
            onLeave();
            onSavingChange(true);
          }}
        >
          {texts.save}
        </button>
      )}
      <QueryResult result={result} onRetry={readAgain}>
        {({ me }) =>
          me.savedViews.length === 0 ? (
            <p className="hint">{texts.noneText}</p>
          ) : (
            <ul className="saved-views">
              {me.savedViews.map((view) => (
                <li key={view.id}>
                  <SavedViewLink view={view} isShown={isShown(view.query, address)} />
                  <button
                    type="button"
                    className="icon-button"
                    aria-label={`${messages.forms.change}: ${isolated(view.name)}`}
                    onClick={() => {
                      onLeave();
                      setChanged(view);
                    }}
                  >
                    <EditIcon />
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </QueryResult>
      {/* In front of the view, whether or not the menu is open. */}
      {createPortal(
        <>
          {isSaving && (result.data ?? result.error) && (
            <NewSavedViewForm {...forms} onClose={() => onSavingChange(false)} />
          )}
          {changed && (
            <SavedViewForm
              {...forms}
              view={changed}
              onDelete={() => void remove(changed)}
              onClose={() => setChanged(undefined)}
            />
          )}
          {outcome}
        </>,
        document.body,
      )}
    </>
  );
}

interface SavedViewLinkProps {
  view: SavedViewFragment;
  isShown: boolean;
}

function SavedViewLink({ view: { name, query }, isShown }: SavedViewLinkProps) {
  const texts = useTexts();
  const parameters = parametersOfSavedQuery(query);
  return parameters ? (
    <Link to={parameters} aria-current={isShown ? "page" : undefined}>
      <StoredText>{name}</StoredText>
    </Link>
  ) : (
    <span className="saved-view-name" title={texts.unknownView}>
      <StoredText>{name}</StoredText>
    </span>
  );
}

const savedViewDraft = ({ id }: { id: string }) => `saved view ${id}`;

interface FormProps {
  savedViews: readonly SavedViewFragment[];
  tell: TellOutcome;
  /** Called when nothing was saved: others may have changed the saved views. */
  onFailure: () => void;
  onClose: () => void;
}

/** The form for a view: what it sends, and why the gateway refuses it, in words for the reader. */
function useSavedViewForm({ savedViews, onFailure, onClose }: FormProps) {
  const { problems } = useTexts();
  const [, execute] = useMutation(SaveViewDocument);
  const save = async (input: SavedViewInput) => {
    const { error } = await execute({ input });
    if (error) onFailure();
    return { error };
  };
  return {
    save,
    undo: (before: SavedViewFragment) => () => save(inputOf(before)),
    form: {
      onClose,
      rules: { name: problems.name, query: problems.query },
      refusals: {
        CONFLICT: { name: problems.tooMany(savedViews.length) },
        NOT_FOUND: { name: problems.gone },
      },
    },
  };
}

const inputOf = ({ id, name, query }: SavedViewFragment): SavedViewInput => ({ id, name, query });

const withName = (views: readonly SavedViewFragment[], name: string) =>
  views.find((view) => view.name.toLowerCase() === name.trim().toLowerCase());

/** Saves what the view shows now under a name. If the name is taken, offers to replace that view. */
function NewSavedViewForm(props: FormProps) {
  const { savedViews, tell } = props;
  const texts = useTexts();
  const { save, undo, form } = useSavedViewForm(props);
  const [name, setName] = useState<string>();
  const query = savableQuery(useAddress());
  const submit = async ({ name = "" }: Record<string, string>) => {
    if (query === undefined) return undefined;
    const before = withName(savedViews, name);
    const saved = await save({ name, query, ...(before && { id: before.id }) });
    if (saved.error) return saved;
    if (before) tell(texts.changed(isolated(name)), undo(before));
    else tell(texts.saved(isolated(name)));
    return saved;
  };
  return (
    <EditForm
      {...form}
      title={texts.save}
      draftKey="saved view"
      start={{}}
      submitLabel={withName(savedViews, name ?? "") && texts.replace}
      onSubmit={submit}
    >
      <NameField onInput={setName} />
      <TakenName savedViews={savedViews} name={name} />
    </EditForm>
  );
}

function TakenName({ savedViews, name }: Pick<FormProps, "savedViews"> & { name: string | undefined }) {
  const { start } = useForm();
  const texts = useTexts();
  const taken = withName(savedViews, name ?? start.name ?? "");
  return (
    <p className="hint" role="status">
      {taken && texts.taken(isolated(taken.name))}
    </p>
  );
}

/** Renames a saved view, replaces its filters, copies its link, or deletes it. */
function SavedViewForm({
  view,
  onDelete,
  ...props
}: FormProps & { view: SavedViewFragment; onDelete: () => void }) {
  const { forms } = useMessages();
  const texts = useTexts();
  const { save, undo, form } = useSavedViewForm(props);
  const [name, setName] = useState(view.name);
  const address = useAddress();
  const shown = savableQuery(address);
  const others = props.savedViews.filter(({ id }) => id !== view.id);
  const isTaken = withName(others, name) !== undefined;
  const parameters = parametersOfSavedQuery(view.query);
  const submit = async ({ name = "", replaced }: Record<string, string>) => {
    if (isTaken) return undefined;
    const saved = await save({ id: view.id, name, query: (replaced && shown) || view.query });
    if (!saved.error) props.tell(texts.changed(isolated(name)), undo(view));
    return saved;
  };
  return (
    <EditForm
      {...form}
      title={forms.editTitle(isolated(view.name))}
      draftKey={savedViewDraft(view)}
      start={{ name: view.name }}
      onSubmit={submit}
    >
      <NameField problem={isTaken ? texts.problems.taken : undefined} onInput={setName} />
      {shown !== undefined && !isShown(view.query, address) && (
        <Checkbox name="replaced">{texts.replaceByShown}</Checkbox>
      )}
      {parameters ? (
        <div>
          <CopyableText label={texts.link} text={new URL(addressOf(parameters), location.origin).href} />
          <p className="hint">{texts.linkHint}</p>
        </div>
      ) : (
        <p className="hint">{texts.unknownView}</p>
      )}
      <button type="button" className="danger saved-view-deletion" onClick={onDelete}>
        {forms.delete}
      </button>
    </EditForm>
  );
}

function NameField({ problem, onInput }: { problem?: string | undefined; onInput: (name: string) => void }) {
  return (
    <TextField
      name="name"
      label={useMessages().forms.name}
      hint={useTexts().nameHint}
      problem={problem}
      problemOf="query"
      required
      maxLength={200}
      autoComplete="off"
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
  );
}
