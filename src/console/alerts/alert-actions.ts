import { useRef, useState } from "react";
import { type CombinedError, useClient } from "urql";
import {
  CommentAlertDocument,
  DeleteAlertCommentDocument,
  MarkAlertsDocument,
} from "../../generated/console.js";
import type { Mark } from "./alert-filter.js";
import type { AlertStream } from "./alert-stream.js";

/** What was done last, so that it can be told and undone. */
export interface DoneAction {
  kind: Mark | "comment";
  /** Whether a mark was set or removed. */
  value: boolean;
  count: number;
  undo: () => Promise<CombinedError | undefined>;
}

/** What can be done with alerts, and what has come of it. */
export interface AlertActions {
  /**
   * What was done last; undefined before, after it was undone, and when it was dismissed.
   */
  done: DoneAction | undefined;
  failure: CombinedError | undefined;
  /** Sets or removes a mark: removes it if all have it. */
  toggle: (ids: readonly string[], mark: Mark) => Promise<void>;
  /** Writes a comment, and says whether it was written. */
  comment: (id: string, text: string) => Promise<boolean>;
  deleteComment: (commentId: string) => Promise<void>;
  undo: () => Promise<void>;
  dismiss: () => void;
}

/**
 * The actions on the alerts of a stream; `onCommented` is called when comments have
 * changed.
 */
export function useAlertActions(stream: AlertStream, onCommented: () => void): AlertActions {
  const client = useClient();
  const [{ done, failure }, setOutcome] = useState<{
    done?: DoneAction | undefined;
    failure?: CombinedError | undefined;
  }>({});
  const isBusy = useRef(false);
  const latest = useRef({ stream, onCommented });
  latest.current = { stream, onCommented };

  const mark = async (ids: readonly string[], kind: Mark, value: boolean) => {
    const { data, error } = await client
      .mutation(MarkAlertsDocument, { ids: [...ids], marks: { [kind]: value } })
      .toPromise();
    if (data) latest.current.stream.change(data.markAlerts.alerts);
    return error;
  };
  const remove = async (id: string) => {
    const { error } = await client.mutation(DeleteAlertCommentDocument, { id }).toPromise();
    latest.current.onCommented();
    return error;
  };
  /** One after the other: a key that is held down must not undo what it has just done. */
  const run = async (act: () => Promise<{ done?: DoneAction; failure?: CombinedError | undefined }>) => {
    if (isBusy.current) return;
    isBusy.current = true;
    try {
      setOutcome(await act());
    } finally {
      isBusy.current = false;
    }
  };

  return {
    done,
    failure,
    toggle: (ids, kind) =>
      run(async () => {
        const hasMark = (id: string) => {
          const alert = stream.get(id);
          return kind === "acknowledged" ? alert?.acknowledgedAt != null : alert?.[kind] === true;
        };
        const value = !ids.every(hasMark);
        // Undoing leaves those alone that were like this before.
        const changing = ids.filter((id) => hasMark(id) !== value);
        if (changing.length === 0) return {};
        const error = await mark(changing, kind, value);
        return error
          ? { failure: error }
          : { done: { kind, value, count: changing.length, undo: () => mark(changing, kind, !value) } };
      }),
    comment: async (id, text) => {
      let isWritten = false;
      await run(async () => {
        const { data, error } = await client.mutation(CommentAlertDocument, { id, text }).toPromise();
        if (!data) return { failure: error };
        isWritten = true;
        latest.current.onCommented();
        return { done: { kind: "comment", value: true, count: 1, undo: () => remove(data.commentAlert.id) } };
      });
      return isWritten;
    },
    deleteComment: (id) => run(async () => ({ failure: await remove(id) })),
    undo: () =>
      run(async () => {
        const error = await done?.undo();
        return error && done ? { done, failure: error } : {};
      }),
    dismiss: () => setOutcome({}),
  };
}
