import { useState } from "react";
import { useMutation } from "urql";
import { DeleteAlertDocument } from "../../generated/console.js";
import { Confirmation } from "../form/confirmation.js";
import { useAlertTexts } from "./texts.js";

interface AlertDeletionProps {
  alertId: string;
  /** Whether it may be deleted now. If not, says why. */
  mayAsk: () => boolean;
  /** Called when the alert is gone: events take it out of the list. */
  onDeleted: () => void;
}

/** Deletes an alert, after a question. */
export function AlertDeletion({ alertId, mayAsk, onDeleted }: AlertDeletionProps) {
  const alertTexts = useAlertTexts();
  const { deletion } = alertTexts;
  const [isAsking, setAsking] = useState(false);
  const [{ error, fetching }, remove] = useMutation(DeleteAlertDocument);
  const confirm = async () => {
    const { data } = await remove({ ids: [alertId] });
    if (data) onDeleted();
  };
  return (
    <>
      <button type="button" onClick={() => setAsking(mayAsk())}>
        {deletion.button}
      </button>
      {isAsking && (
        <Confirmation
          title={deletion.title}
          label={deletion.confirm}
          isBusy={fetching}
          error={error}
          onConfirm={() => void confirm()}
          onClose={() => setAsking(false)}
        >
          <p>{deletion.text}</p>
        </Confirmation>
      )}
    </>
  );
}
