import { useState } from "react";
import { type CombinedError, useClient } from "urql";
import { RemoveCameraDocument } from "../../../generated/console.js";
import { isolated } from "../../../platform/text/text-direction.js";
import { Confirmation } from "../../form/confirmation.js";
import { useMessages } from "../../language/language.js";
import { useTexts } from "./texts.js";

interface CameraDeletionProps {
  cameras: readonly { id: string; name: string }[];
  onDone: () => void;
  onClose: () => void;
}

/** Asks before cameras are deleted, one after another. If one cannot be deleted, it says so and leaves the rest. */
export function CameraDeletion({ cameras, onDone, onClose }: CameraDeletionProps) {
  const { forms } = useMessages();
  const texts = useTexts().cameras;
  const client = useClient();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<CombinedError>();
  const [deleted, setDeleted] = useState<ReadonlySet<string>>(new Set());
  const left = cameras.filter(({ id }) => !deleted.has(id));
  const [first, another] = left;
  const deleteAll = async () => {
    setBusy(true);
    setError(undefined);
    for (const { id } of left) {
      const { error: reason } = await client.mutation(RemoveCameraDocument, { id });
      if (reason) {
        setError(reason);
        setBusy(false);
        return;
      }
      setDeleted((before) => new Set(before).add(id));
    }
    onClose();
    onDone();
  };
  return (
    <Confirmation
      title={
        first && !another ? forms.deleteTitle(isolated(first.name)) : `${texts.deleteSelected(left.length)}?`
      }
      label={forms.delete}
      isBusy={isBusy}
      error={error}
      onConfirm={() => void deleteAll()}
      onClose={onClose}
    >
      <p>{another ? texts.deleteTexts : texts.deleteText}</p>
    </Confirmation>
  );
}
