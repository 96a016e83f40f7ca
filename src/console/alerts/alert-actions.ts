import { useEffect, useRef, useState } from "react";
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
import { isOffline } from "../data/connection.js";
import { isPassing } from "../data/failure.js";
import type { Mark } from "./filter/alert-filter.js";
import type { AlertStream } from "./list/alert-stream.js";

/** The last action, for telling the reader and for undoing. */
interface DoneAction {
  kind: Mark | "comment";
  /** Whether the action set or removed the mark. */
  value: boolean;
  count: number;
  undo: () => Promise<CombinedError | undefined>;
}

/** Why nothing was done: the gateway is out of reach, or some of the alerts were not shown. */
interface Refusal {
  reason: "offline" | "unseen";
}

interface ActionOutcome {
  done?: DoneAction;
  /** An action that was undone. */
  undone?: DoneAction | undefined;
  failure?: CombinedError | undefined;
  refusal?: Refusal;
}

interface Marking {
  ids: readonly string[];
  kind: Mark;
  value: boolean;
}

/** The actions on alerts. Each may be called again before the gateway has answered: no call is lost. */
export interface AlertActions {
  /** The last action; undefined before the first one, and after it was undone or its outcome dismissed. */
  done: DoneAction | undefined;
  /** Stays until what failed is tried again, or given up by dismissing it. */
  failure: CombinedError | undefined;
  refusal: Refusal | undefined;
  /** The last action, if it was undone. */
  undone: DoneAction | undefined;
  /** Tries again to set and remove the marks for which that failed; absent without any. */
  tryAgain: (() => Promise<void>) | undefined;
  /** Whether alerts may be triaged now: not while unseen, nor on and on while nothing arrives. If not, says why. */
  mayAct: (ids: readonly string[]) => boolean;
  /** Sets a mark on alerts or, if all of them have it, removes it. */
  toggle: (ids: readonly string[], mark: Mark) => Promise<void>;
  /** Acknowledges alerts, and returns true, if {@link AlertActions.mayAct} allows it. */
  acknowledge: (ids: readonly string[]) => boolean;
  /** Waits for the gateway's answers to all actions so far. */
  settled: () => Promise<void>;
  acknowledgeMatching: (filter: AlertFilter) => Promise<void>;
  /** Writes a comment. Returns whether the gateway accepted it. */
  comment: (id: string, text: string) => Promise<boolean>;
  editComment: (commentId: string, text: string) => Promise<boolean>;
  deleteComment: (commentId: string) => Promise<void>;
  undo: () => Promise<void>;
  dismiss: () => void;
}

interface AlertActionsOptions {
  stream: AlertStream;
  /** Whether an alert has been painted where the action is taken. */
  isPainted: (id: string) => boolean;
  /** Called after comments have changed. */
  onCommented: () => void;
}

/** The actions on the alerts of a stream. */
export function useAlertActions({ stream, isPainted, onCommented }: AlertActionsOptions): AlertActions {
  const client = useClient();
  const [{ done, undone, failure, refusal }, showOutcome] = useState<ActionOutcome>({});
  const underway = useRef(new Set<string>());
  const actionsSoFar = useRef(Promise.resolve());
  const last = useRef<ActionOutcome>({});
  const failed = useRef<Marking[]>([]);
  const setOutcome = (outcome: ActionOutcome) => {
    const failure = outcome.failure ?? (failed.current.length > 0 ? last.current.failure : undefined);
    last.current = { ...outcome, failure };
    showOutcome(last.current);
  };
  /** Whether alerts may be acted on. If not, says why. */
  const isAllowed = (ids: readonly string[] = []) => {
    const reason = isOffline() ? "offline" : ids.every(isPainted) ? undefined : "unseen";
    if (reason) setOutcome({ ...last.current, refusal: { reason } });
    return !reason;
  };
  const mayAct = (ids: readonly string[]) => {
    const { failure } = last.current;
    return isAllowed(ids) && !(failed.current.length > 0 && failure && isPassing(failure));
  };
  const latest = useRef({ stream, onCommented });
  latest.current = { stream, onCommented };

  const mark = async ({ ids, kind, value }: Marking) => {
    const { data, error } = await client.mutation(MarkAlertsDocument, {
      ids: [...ids],
      marks: { [kind]: value },
    });
    if (data) latest.current.stream.change(data.markAlerts.alerts);
    return error;
  };
  /** Sets or removes a mark. What fails can be tried again, and what is done undone. */
  const outcomeOf = async (marking: Marking): Promise<ActionOutcome> => {
    const failure = await mark(marking);
    if (failure) {
      failed.current.push(marking);
      return { failure };
    }
    const { ids, kind, value } = marking;
    failed.current = failed.current.filter(
      (each) => each.kind !== kind || !each.ids.every((id) => ids.includes(id)),
    );
    const undo = async () => {
      const failure = await mark({ ids, kind, value: !value });
      // Alerts that have left the list come back to it.
      if (ids.some((id) => latest.current.stream.indexOf(id) < 0)) await latest.current.stream.reload();
      return failure;
    };
    return { done: { kind, value, count: ids.length, undo } };
  };
  const undoMarks = async (changeId: string) => {
    const { error } = await client.mutation(UndoMarksDocument, { changeId });
    void latest.current.stream.reload();
    return error;
  };
  const remove = async (id: string) => {
    const { error } = await client.mutation(DeleteAlertCommentDocument, { id });
    latest.current.onCommented();
    return error;
  };
  /** Runs actions one after the other, unless all subjects are busy: pressing twice must not undo the first time. */
  const run = async (subjects: readonly string[], act: () => Promise<ActionOutcome>) => {
    const added = subjects.filter((subject) => !underway.current.has(subject));
    if (added.length === 0 || !isAllowed()) return;
    for (const subject of added) underway.current.add(subject);
    actionsSoFar.current = actionsSoFar.current
      .catch(() => undefined)
      .then(async () => setOutcome(await act()))
      .finally(() => {
        for (const subject of added) underway.current.delete(subject);
      });
    await actionsSoFar.current;
  };
  /** Runs an action with those alerts that are not on their way to the same mark. */
  const runMarking = (
    ids: readonly string[],
    kind: Mark,
    act: (ids: readonly string[]) => Promise<ActionOutcome>,
  ) => {
    const subjectOf = (id: string) => `${kind} ${id}`;
    const asked = ids.filter((id) => !underway.current.has(subjectOf(id)));
    return run(asked.map(subjectOf), () => act(asked));
  };
  const hasMark = (id: string, kind: Mark) => {
    const alert = latest.current.stream.get(id);
    return kind === "acknowledged" ? alert?.acknowledgedAt != null : alert?.[kind] === true;
  };
  // Marks that have not been sent are lost with the page.
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => underway.current.size > 0 && event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, []);
  /** Runs an action, and returns whether the gateway accepted it. */
  const isAccepted = async (subject: string, act: () => Promise<ActionOutcome>) => {
    let accepted = false;
    await run([subject], async () => {
      const outcome = await act();
      accepted = outcome.failure === undefined;
      return outcome;
    });
    return accepted;
  };

  return {
    done,
    undone,
    failure,
    refusal,
    tryAgain:
      failed.current.length === 0
        ? undefined
        : () =>
            run(["failed"], async () => {
              let outcome: ActionOutcome = {};
              for (const marking of failed.current.splice(0))
                outcome = { ...outcome, ...(await outcomeOf(marking)) };
              return outcome;
            }),
    mayAct,
    toggle: async (ids, kind) => {
      if (!mayAct(ids)) return;
      await runMarking(ids, kind, async (asked) => {
        const value = !asked.every((id) => hasMark(id, kind));
        // Undoing must not change alerts that already had this value.
        return outcomeOf({ ids: asked.filter((id) => hasMark(id, kind) !== value), kind, value });
      });
    },
    acknowledge: (ids) => {
      if (!mayAct(ids)) return false;
      void runMarking(ids, "acknowledged", async (asked) => {
        const open = asked.filter((id) => !hasMark(id, "acknowledged"));
        return open.length === 0 ? last.current : outcomeOf({ ids: open, kind: "acknowledged", value: true });
      });
      return true;
    },
    settled: () => actionsSoFar.current,
    acknowledgeMatching: (filter) =>
      run(["matching"], async () => {
        const { data, error } = await client.mutation(MarkMatchingAlertsDocument, {
          filter,
          marks: { acknowledged: true },
        });
        if (!data) return { failure: error };
        void latest.current.stream.reload();
        const { alertIds, changeId } = data.markMatchingAlerts;
        if (changeId === null) return {};
        const undo = () => undoMarks(changeId);
        return { done: { kind: "acknowledged", value: true, count: alertIds.length, undo } };
      }),
    comment: (id, text) =>
      isAccepted(`comment on ${id}`, async () => {
        const { data, error } = await client.mutation(CommentAlertDocument, { id, text });
        if (!data) return { failure: error };
        latest.current.onCommented();
        return { done: { kind: "comment", value: true, count: 1, undo: () => remove(data.commentAlert.id) } };
      }),
    editComment: (id, text) =>
      isAccepted(`comment ${id}`, async () => {
        const { error } = await client.mutation(EditAlertCommentDocument, { id, text });
        return { failure: error };
      }),
    deleteComment: (id) => run([`comment ${id}`], async () => ({ failure: await remove(id) })),
    undo: () =>
      run(["undo"], async () => {
        const { done } = last.current;
        const error = await done?.undo();
        return error && done ? { done, failure: error } : { undone: done };
      }),
    dismiss: () => {
      failed.current = [];
      setOutcome({});
    },
  };
}
