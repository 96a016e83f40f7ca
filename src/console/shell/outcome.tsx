import "./outcome.css";
import { type ReactNode, useEffect, useState } from "react";

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

/** The last outcome, for some seconds, and a function that reports another one. */
export function useOutcome(): [outcome: string | undefined, tell: (outcome: string) => void] {
  const [told, setTold] = useState<{ outcome: string }>();
  useEffect(() => {
    if (!told) return;
    const timer = setTimeout(() => setTold(undefined), outcomeShown);
    return () => clearTimeout(timer);
  }, [told]);
  return [told?.outcome, (outcome) => setTold({ outcome })];
}
