import { useRef, useState } from "react";
import { type CombinedError, useClient } from "urql";
import {
  type AlertFilter,
  CommentAlertDocument,
  DeleteAlertCommentDocument,
  EditAlertCommentDocument,
  MarkAlertsDocument,
  MarkMatchingAlertsDocument,
  UndoMarksDocument,
} from "../../generated/console.js";
import type { Mark } from "./alert-filter.js";
import type { AlertStream } from "./alert-stream.js";

/** The last action, for telling the reader and for undoing. */
export interface DoneAction {
  kind: Mark | "comment";
  /** Whether the action set or removed the mark. */
  value: boolean;
  count: number;
  undo: () => Promise<CombinedError | undefined>;
}

/** What came of an action. */
interface ActionOutcome {
  done?: DoneAction;
  failure?: CombinedError | undefined;
}

/** The actions on alerts, and the outcome of the last one. */
export interface AlertActions {
  /**
   * The last action; undefined before the first one, after undoing it, and after
   * dismissing its outcome.
   */
  done: DoneAction | undefined;
  failure: CombinedError | undefined;
  /** Sets a mark on alerts. If all alerts have the mark, removes it. */
  toggle: (ids: readonly string[], mark: Mark) => Promise<void>;
  /**
   * Acknowledges alerts. Unlike the other actions, this may be called again before the
   * gateway has answered: no call is lost.
   */
  acknowledge: (ids: readonly string[]) => void;
  /** Waits for the gateway's answers to {@link AlertActions.acknowledge}. */
  settled: () => Promise<void>;
  /** Acknowledges all alerts that match a filter. */
  acknowledgeMatching: (filter: AlertFilter) => Promise<void>;
  /** Writes a comment. Returns whether the gateway accepted it. */
  comment: (id: string, text: string) => Promise<boolean>;
  /** Changes the text of a comment. Returns whether the gateway accepted it. */
  editComment: (commentId: string, text: string) => Promise<boolean>;
  deleteComment: (commentId: string) => Promise<void>;
  undo: () => Promise<void>;
  dismiss: () => void;
}

/**
 * The actions on the alerts of a stream. Calls `onCommented` after comments have changed.
 */
export function useAlertActions(stream: AlertStream, onCommented: () => void): AlertActions {
  const client = useClient();
  const [{ done, failure }, showOutcome] = useState<ActionOutcome>({});
  const isBusy = useRef(false);
  const acknowledging = useRef(Promise.resolve());
  const lastDone = useRef<DoneAction>(undefined);
  const setOutcome = (outcome: ActionOutcome) => {
    lastDone.current = outcome.done;
    showOutcome(outcome);
  };
  const latest = useRef({ stream, onCommented });
  latest.current = { stream, onCommented };

  const mark = async (ids: readonly string[], kind: Mark, value: boolean) => {
    const { data, error } = await client
      .mutation(MarkAlertsDocument, { ids: [...ids], marks: { [kind]: value } })
      .toPromise();
    if (data) latest.current.stream.change(data.markAlerts.alerts);
    return error;
  };
  const undoMarks = async (changeId: string) => {
    const { error } = await client.mutation(UndoMarksDocument, { changeId }).toPromise();
    void latest.current.stream.reload();
    return error;
  };
  const remove = async (id: string) => {
    const { error } = await client.mutation(DeleteAlertCommentDocument, { id }).toPromise();
    latest.current.onCommented();
    return error;
  };
  /**
   * Runs actions one after the other: holding a key down must not undo its own action.
   */
  const run = async (act: () => Promise<ActionOutcome>) => {
    if (isBusy.current) return;
    isBusy.current = true;
    try {
      setOutcome(await act());
    } finally {
      isBusy.current = false;
    }
  };
  /** Runs an action, and returns whether the gateway accepted it. */
  const isAccepted = async (act: () => Promise<ActionOutcome>): Promise<boolean> => {
    let accepted = false;
    await run(async () => {
      const outcome = await act();
      accepted = outcome.failure === undefined;
      return outcome;
    });
    return accepted;
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
        // Undoing must not change alerts that already had this value.
        const changing = ids.filter((id) => hasMark(id) !== value);
        if (changing.length === 0) return {};
        const error = await mark(changing, kind, value);
        return error
          ? { failure: error }
          : { done: { kind, value, count: changing.length, undo: () => mark(changing, kind, !value) } };
      }),
    acknowledge: (ids) => {
      const open = ids.filter((id) => stream.get(id)?.acknowledgedAt == null);
      if (open.length === 0) return;
      acknowledging.current = acknowledging.current.then(async () => {
        const error = await mark(open, "acknowledged", true);
        const undo = async () => {
          const failure = await mark(open, "acknowledged", false);
          // Those that have left the list come back to it.
          if (open.some((id) => latest.current.stream.indexOf(id) < 0)) await latest.current.stream.reload();
          return failure;
        };
        setOutcome(
          error
            ? { failure: error }
            : { done: { kind: "acknowledged", value: true, count: open.length, undo } },
        );
      });
    },
    settled: () => acknowledging.current,
    acknowledgeMatching: (filter) =>
      run(async () => {
        const { data, error } = await client
          .mutation(MarkMatchingAlertsDocument, { filter, marks: { acknowledged: true } })
          .toPromise();
        if (!data) return { failure: error };
        void latest.current.stream.reload();
        const { alertIds, changeId } = data.markMatchingAlerts;
        if (changeId === null) return {};
        const undo = () => undoMarks(changeId);
        return { done: { kind: "acknowledged", value: true, count: alertIds.length, undo } };
      }),
    comment: (id, text) =>
      isAccepted(async () => {
        const { data, error } = await client.mutation(CommentAlertDocument, { id, text }).toPromise();
        if (!data) return { failure: error };
        latest.current.onCommented();
        return { done: { kind: "comment", value: true, count: 1, undo: () => remove(data.commentAlert.id) } };
      }),
    editComment: (id, text) =>
      isAccepted(async () => {
        const { error } = await client.mutation(EditAlertCommentDocument, { id, text }).toPromise();
        return { failure: error };
      }),
    deleteComment: (id) => run(async () => ({ failure: await remove(id) })),
    undo: () =>
      run(async () => {
        await acknowledging.current;
        const done = lastDone.current;
        const error = await done?.undo();
        return error && done ? { done, failure: error } : {};
      }),
    dismiss: () => setOutcome({}),
  };
}
