import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from "react";
import {
  type AlertCommentTextFragment,
  type CommentsPageFragment,
  OlderCommentsDocument,
  type OpenedAlertFragment,
} from "../../../generated/console.js";
import { NextPage, Query } from "../../data/query.js";
import { noteClosing, useShortcuts } from "../../keyboard/shortcuts.js";
import { Moment, StoredText, useMessages } from "../../language/language.js";
import { useDraftText } from "../../session/drafts.js";
import { CloseIcon } from "../../shell/icons.js";
import { EditIcon } from "../../shell/view-icons.js";
import { useUser } from "../../viewer/user.js";
import { useMay } from "../../viewer/viewer.js";
import type { AlertActions } from "../alert-actions.js";
import { useAlertTexts } from "../texts.js";

interface AlertCommentsProps {
  alert: OpenedAlertFragment;
  actions: AlertActions;
  mayWrite: boolean;
}

export function AlertComments({ alert, actions, mayWrite }: AlertCommentsProps) {
  const messages = useMessages();
  const alertTexts = useAlertTexts();
  const { isUser, user } = useUser();
  const mayDelete = useMay("alerts:delete", alert.facility);
  const [text, setText] = useDraftText(`comment ${alert.id}`);
  const field = useRef<HTMLTextAreaElement>(null);
  // An API key cannot write comments, because it has no name to sign with.
  const mayComment = mayWrite && isUser;
  useShortcuts(
    messages.views.alerts,
    mayComment ? [{ keys: "c", label: alertTexts.keys.comment, run: () => field.current?.focus() }] : [],
  );
  const send = async () => {
    if (text.trim() !== "" && (await actions.comment(alert.id, text.trim())))
      setText((present) => (present === text ? "" : present));
  };
  const isOwn = ({ author }: AlertCommentTextFragment) => author !== null && author.id === user?.id;
  return (
    <section className="comments">
      <h3>{alertTexts.comments(alert.comments.totalCount)}</h3>
      {mayComment && (
        <CommentForm
          ref={field}
          label={alertTexts.comment}
          placeholder={`${alertTexts.comment} (c)`}
          text={text}
          onChange={setText}
          onSend={send}
        >
          {text.trim() !== "" && (
            <button type="submit" className="primary">
              {alertTexts.send}
            </button>
          )}
        </CommentForm>
      )}
      <CommentPage alertId={alert.id} comments={alert.comments}>
        {(comment) => (
          <AlertComment
            key={comment.id}
            comment={comment}
            timeZone={alert.facility.timeZoneId}
            mayChange={mayComment && isOwn(comment)}
            mayDelete={mayComment && (mayDelete || isOwn(comment))}
            actions={actions}
          />
        )}
      </CommentPage>
    </section>
  );
}

interface CommentFormProps extends Pick<ComponentProps<"textarea">, "ref" | "autoFocus" | "placeholder"> {
  label: string;
  text: string;
  onChange: (text: string) => void;
  onSend: () => Promise<void>;
  children: ReactNode;
}

function CommentForm({ label, text, onChange, onSend, children, ...field }: CommentFormProps) {
  useEffect(() => noteClosing, []);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void onSend();
      }}
    >
      <textarea
        {...field}
        rows={2}
        maxLength={2000}
        aria-label={label}
        value={text}
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void onSend();
        }}
      />
      {children}
    </form>
  );
}

interface CommentPageProps {
  alertId: string;
  comments: CommentsPageFragment;
  children: (comment: AlertCommentTextFragment) => ReactNode;
}

/** A page of comments, with the next one below on request. */
function CommentPage({ alertId, comments: { nodes, pageInfo }, children }: CommentPageProps) {
  return (
    <>
      <ul>{nodes.map(children)}</ul>
      {pageInfo.hasNextPage && pageInfo.endCursor && (
        <NextPage>
          <OlderComments alertId={alertId} after={pageInfo.endCursor}>
            {children}
          </OlderComments>
        </NextPage>
      )}
    </>
  );
}

function OlderComments({ alertId, after, children }: Omit<CommentPageProps, "comments"> & { after: string }) {
  return (
    <Query query={OlderCommentsDocument} variables={{ alertId, after }}>
      {({ alert }) =>
        alert && (
          <CommentPage alertId={alertId} comments={alert.comments}>
            {children}
          </CommentPage>
        )
      }
    </Query>
  );
}

interface AlertCommentProps {
  comment: AlertCommentTextFragment;
  timeZone: string;
  mayChange: boolean;
  mayDelete: boolean;
  actions: AlertActions;
}

function AlertComment({ comment, timeZone, mayChange, mayDelete, actions }: AlertCommentProps) {
  const messages = useMessages();
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
        · <Moment instant={createdAt} timeZone={timeZone} form="relative" />
        {editedAt && (
          <span>
            · {alertTexts.edited} <Moment instant={editedAt} timeZone={timeZone} form="relative" />
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
        <CommentForm autoFocus label={alertTexts.editComment} text={draft} onChange={setDraft} onSend={save}>
          <div className="comment-actions">
            <button type="submit" className="primary">
              {messages.forms.save}
            </button>
            <button type="button" onClick={end}>
              {messages.forms.cancel}
            </button>
          </div>
        </CommentForm>
      ) : (
        <p className="comment-text">
          <StoredText>{text}</StoredText>
        </p>
      )}
    </li>
  );
}
