import "./outcome.css";
import { type ReactNode, useEffect, useState } from "react";
import type { CombinedError } from "urql";
import { failedChange } from "../data/failure.js";
import { useLanguage } from "../language/language.js";

/**
 * The outcome of the last action, in front of the view and for screen readers. Nothing if
 * there is no outcome to report.
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

/** Takes a change back. Returns why that failed; undefined if it succeeded. */
export type Undo = () => Promise<CombinedError | undefined>;

/** Reports an outcome, and how to undo what was done. */
export type TellOutcome = (outcome: string, undo?: Undo) => void;

/**
 * The last outcome, for some seconds, with a button to undo it where that is possible;
 * and a function that reports another one.
 */
export function useOutcome(): [outcome: ReactNode, tell: TellOutcome] {
  const { messages } = useLanguage();
  const [told, setTold] = useState<{ outcome: string; undo?: Undo | undefined }>();
  useEffect(() => {
    if (!told) return;
    const timer = setTimeout(() => setTold(undefined), told.undo ? undoShown : outcomeShown);
    return () => clearTimeout(timer);
  }, [told]);
  const tell: TellOutcome = (outcome, undo) => setTold({ outcome, undo });
  const run = async (undo: Undo) => {
    const error = await undo();
    tell(error ? failedChange(error, messages) : messages.common.undone);
  };
  const undo = told?.undo;
  return [
    told && (
      <>
        <span>{told.outcome}</span>
        {undo && (
          <button type="button" onClick={() => void run(undo)}>
            {messages.common.undo}
          </button>
        )}
      </>
    ),
    tell,
  ];
}
