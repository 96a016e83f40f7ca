import "./outcome.css";
import type { ReactNode } from "react";

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
