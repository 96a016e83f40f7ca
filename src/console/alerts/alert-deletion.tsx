import { useState } from "react";
import { useMutation } from "urql";
import { DeleteAlertDocument } from "../../generated/console.js";
import { Confirmation } from "../form/confirmation.js";
import { useAlertTexts } from "./texts.js";

interface AlertDeletionProps {
  alertId: string;
  /** Called when the alert is gone: events take it out of the list. */
  onDeleted: () => void;
}

/** Deletes an alert, after a question. */
export function AlertDeletion({ alertId, onDeleted }: AlertDeletionProps) {
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
      <button type="button" onClick={() => setAsking(true)}>
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
