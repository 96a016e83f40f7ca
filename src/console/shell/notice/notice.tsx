import "./notice.css";
import "./outcome.css";
import { type ReactNode, useEffect, useState } from "react";
import type { CombinedError } from "urql";
import { failedChange } from "../../data/failure.js";
import { useMessages } from "../../language/language.js";
import { WarningIcon } from "../icons.js";

/** A notice in place of missing content: a title, a sentence, and possible actions. */
export function Notice({
  icon,
  title,
  titleId,
  children,
  actions,
}: {
  icon?: ReactNode;
  title: string;
  titleId?: string;
  children?: ReactNode;
  actions?: ReactNode;
}) {
  return (
    <section className="notice">
      {icon && <div className="notice-icon">{icon}</div>}
      <h2 id={titleId}>{title}</h2>
      {children && <p>{children}</p>}
      {actions && <div className="notice-actions">{actions}</div>}
    </section>
  );
}

/** Replaces a view that is empty because the viewer lacks a permission: “nothing yet” would be false. */
export function ForbiddenNotice() {
  const messages = useMessages();
  const { title, text } = messages.failures.forbidden;
  return (
    <Notice icon={<WarningIcon />} title={title}>
      {text}
    </Notice>
  );
}

/**
 * The outcome of the last action, in front of the view and for screen readers. Nothing if there is no
 * outcome to report.
 */
export function Outcome({ hasFailed = false, children }: { hasFailed?: boolean; children: ReactNode }) {
  return (
    <div className="outcome floating-bar" role="status" data-failed={hasFailed}>
      {children}
    </div>
  );
}

/** The time for which an outcome is shown, in milliseconds. */
const outcomeShown = 8_000;
/** The time for which an outcome is shown that can be undone, in milliseconds. */
const undoShown = 20_000;

/** Takes a change back. Returns why if that fails. */
export type Undo = () => Promise<{ error?: CombinedError | undefined }>;

export type TellOutcome = (outcome: string, undo?: Undo) => void;

/**
 * The last outcome, shown for some seconds, with a button to undo it where that is possible; and a function
 * that reports another one.
 */
export function useOutcome(): [outcome: ReactNode, tell: TellOutcome] {
  const messages = useMessages();
  const [told, setTold] = useState<{ outcome: string; undo?: Undo | undefined; hasFailed?: boolean }>();
  useEffect(() => {
    if (!told) return;
    const timer = setTimeout(() => setTold(undefined), told.undo ? undoShown : outcomeShown);
    return () => clearTimeout(timer);
  }, [told]);
  const tell: TellOutcome = (outcome, undo) => setTold({ outcome, undo });
  const run = async (undo: Undo) => {
    const { error } = await undo();
    setTold(
      error
        ? { outcome: failedChange(error, messages), hasFailed: true }
        : { outcome: messages.common.undone },
    );
  };
  const undo = told?.undo;
  return [
    <Outcome key="outcome" hasFailed={told?.hasFailed ?? false}>
      {told && <span>{told.outcome}</span>}
      {undo && (
        <button type="button" onClick={() => void run(undo)}>
          {messages.common.undo}
        </button>
      )}
    </Outcome>,
    tell,
  ];
}
