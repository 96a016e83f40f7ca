import { useId } from "react";
import { CoveringPanel } from "../alerts/covering-panel.js";
import { AcknowledgeIcon } from "../shell/icons.js";
import { useTexts } from "./texts.js";

/** The end of a review: nothing is left to look at. */
export function ReviewEnd({ onClose }: { onClose: () => void }) {
  const texts = useTexts();
  const titleId = useId();
  return (
    <CoveringPanel labelledBy={titleId}>
      <section className="notice">
        <div className="notice-icon">
          <AcknowledgeIcon />
        </div>
        <h2 id={titleId}>{texts.doneTitle}</h2>
        <p>{texts.doneText}</p>
        <div className="notice-actions">
          <button type="button" className="primary" onClick={onClose}>
            {texts.back}
          </button>
        </div>
      </section>
    </CoveringPanel>
  );
}
