import "./outcome.css";
import type { ReactNode } from "react";

/**
 * What has come of what was done last, in front of the view and for screen readers;
 * nothing if there is nothing to tell.
 */
export function Outcome({ hasFailed = false, children }: { hasFailed?: boolean; children: ReactNode }) {
  return (
    <div className="outcome floating-bar" role="status" data-failed={hasFailed}>
      {children}
    </div>
  );
}
