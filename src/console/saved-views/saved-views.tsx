import "./saved-views.css";
import { useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { useMutation, useQuery } from "urql";
import {
  DeleteViewDocument,
  type SavedViewFragment,
  SavedViewsDocument,
  SaveViewDocument,
} from "../../generated/console.js";
import { isolated } from "../../platform/text-direction.js";
import { failedChange } from "../data/failure.js";
import { QueryResult } from "../data/query.js";
import { StoredText, useLanguage } from "../language/language.js";
import { Link, useAddress } from "../navigation/location.js";
import { keepDraft } from "../session/drafts.js";
import { EditIcon } from "../shell/icons.js";
import { Outcome, useOutcome } from "../shell/outcome.js";
import { isShown, placeOfSavedQuery, savableQuery } from "./saved-query.js";
import { NewSavedViewForm, SavedViewForm, savedViewDraft } from "./saved-view-form.js";
import { useTexts } from "./texts.js";

interface SavedViewsProps {
  /** Whether the form that saves the present view is open. */
  isSaving: boolean;
  onSavingChange: (isSaving: boolean) => void;
  /** Hides the menu. */
  onLeave: () => void;
}

/**
 * The viewer's saved views in a menu, with the forms that add, change and delete them in
 * front of the view.
 */
export function SavedViews({ isSaving, onSavingChange, onLeave }: SavedViewsProps) {
  const { messages } = useLanguage();
  const texts = useTexts();
  const [result, reexecute] = useQuery({ query: SavedViewsDocument });
  const readAgain = () => reexecute({ requestPolicy: "network-only" });
  // It stays open with what was typed even if the view was deleted meanwhile.
  const [changed, setChanged] = useState<SavedViewFragment>();
  const [outcome, tell] = useOutcome();
  const [, deleteView] = useMutation(DeleteViewDocument);
  const [, saveView] = useMutation(SaveViewDocument);
  const address = useAddress();
  const savedViews = result.data?.me.savedViews ?? [];
  const leave = useRef(onLeave);
  leave.current = onLeave;
  const shownAddress = useRef(address);
  useEffect(() => {
    if (shownAddress.current !== address) leave.current();
    shownAddress.current = address;
  }, [address]);
  const remove = async ({ id, name, query }: SavedViewFragment) => {
    setChanged(undefined);
    keepDraft(savedViewDraft({ id }), undefined);
    const { error } = await deleteView({ id });
    if (error) {
      readAgain();
      tell(failedChange(error, messages));
    } else
      tell(texts.deleted(isolated(name)), async () => (await saveView({ input: { name, query } })).error);
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
                    aria-label={`${texts.edit}: ${isolated(view.name)}`}
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
          <Outcome>{outcome}</Outcome>
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
  const place = placeOfSavedQuery(query);
  return place ? (
    <Link to={place} aria-current={isShown ? "page" : undefined}>
      <StoredText>{name}</StoredText>
    </Link>
  ) : (
    <span className="saved-view-name" title={texts.unknownView}>
      <StoredText>{name}</StoredText>
    </span>
  );
}
