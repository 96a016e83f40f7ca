import { useState } from "react";
import type { AlertCommentTextFragment } from "../../generated/console.js";
import { useLanguage } from "../language/language.js";
import { Moment } from "../language/moment.js";
import { StoredText } from "../language/stored-text.js";
import { useDraftText } from "../session/drafts.js";
import { CloseIcon, EditIcon } from "../shell/icons.js";
import type { AlertActions } from "./alert-actions.js";
import { useAlertTexts } from "./texts.js";

interface AlertCommentProps {
  comment: AlertCommentTextFragment;
  timeZone: string;
  mayChange: boolean;
  mayDelete: boolean;
  actions: AlertActions;
}

/** A comment. Its author may change the text, and some may delete it. */
export function AlertComment({ comment, timeZone, mayChange, mayDelete, actions }: AlertCommentProps) {
  const { messages } = useLanguage();
  const alertTexts = useAlertTexts();
  const { id, text, authorName, createdAt, editedAt } = comment;
  const [draft, setDraft] = useDraftText(`changed comment ${id}`);
  const [isChanging, setChanging] = useState(mayChange && draft !== "");
  const begin = () => {
    setDraft(text);
    setChanging(true);
  };
  const end = () => {
    setDraft("");
    setChanging(false);
  };
  const save = async () => {
    const changed = draft.trim();
    if (changed === "") return;
    if (changed === text || (await actions.editComment(id, changed))) end();
  };
  return (
    <li>
      <p className="hint">
        <strong>
          <StoredText>{authorName ?? messages.common.unknown}</StoredText>
        </strong>{" "}
        · <Moment instant={createdAt} timeZone={timeZone} relative />
        {editedAt && (
          <span>
            · {alertTexts.edited} <Moment instant={editedAt} timeZone={timeZone} relative />
          </span>
        )}
        <span className="comment-actions">
          {mayChange && !isChanging && (
            <button type="button" className="icon-button" aria-label={alertTexts.editComment} onClick={begin}>
              <EditIcon />
            </button>
          )}
          {mayDelete && (
            <button
              type="button"
              className="icon-button"
              aria-label={alertTexts.deleteComment}
              onClick={() => void actions.deleteComment(id)}
            >
              <CloseIcon />
            </button>
          )}
        </span>
      </p>
      {isChanging ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void save();
          }}
        >
          <textarea
            // biome-ignore lint/a11y/noAutofocus: whoever wants to change the text types next.
            autoFocus
            rows={2}
            maxLength={2000}
            aria-label={alertTexts.editComment}
            value={draft}
            onChange={({ target }) => setDraft(target.value)}
            onKeyDown={(event) => {
              if (event.key === "Escape") event.currentTarget.blur();
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void save();
            }}
          />
          <div className="comment-actions">
            <button type="submit" className="primary">
              {messages.forms.save}
            </button>
            <button type="button" onClick={end}>
              {messages.forms.cancel}
            </button>
          </div>
        </form>
      ) : (
        <p className="comment-text">
          <StoredText>{text}</StoredText>
        </p>
      )}
    </li>
  );
}
