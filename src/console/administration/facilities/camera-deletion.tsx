import { useState } from "react";
import { useClient } from "urql";
import { RemoveCameraDocument } from "../../../generated/console.js";
import { isolated } from "../../../platform/text/text-direction.js";
import { Confirmation } from "../../form/confirmation.js";
import { StoredText, useMessages } from "../../language/language.js";
import type { TellOutcome } from "../../shell/notice/notice.js";
import { useTexts } from "./texts.js";

interface CameraDeletionProps {
  cameras: readonly { id: string; name: string }[];
  tell: TellOutcome;
  onClose: () => void;
}

/** More are only counted. */
const mostNamed = 10;

/** Asks before cameras are deleted, one after another. If one cannot be deleted, it says so and leaves the rest. */
export function CameraDeletion({ cameras, tell, onClose }: CameraDeletionProps) {
  const { common, forms } = useMessages();
  const texts = useTexts().cameras;
  const client = useClient();
  const [deleted, setDeleted] = useState<ReadonlySet<string>>(new Set());
  const left = cameras.filter(({ id }) => !deleted.has(id));
  const [first, another] = left;
  const deleteAll = async () => {
    for (const { id } of left) {
      const { error } = await client.mutation(RemoveCameraDocument, { id });
      if (error) return { error };
      setDeleted((before) => new Set(before).add(id));
    }
    onClose();
    const [only, other] = cameras;
    const outcome =
      only && !other ? forms.deleted(isolated(only.name)) : texts.deletedSelected(cameras.length);
    tell(`${outcome} ${texts.restorable}`);
  };
  return (
    <Confirmation
      title={
        first && !another ? forms.deleteTitle(isolated(first.name)) : `${texts.deleteSelected(left.length)}?`
      }
      label={forms.delete}
      onConfirm={deleteAll}
      onClose={onClose}
    >
      {another && (
        <ul>
          {left.slice(0, mostNamed).map(({ id, name }) => (
            <li key={id}>
              <StoredText>{name}</StoredText>
            </li>
          ))}
          {left.length > mostNamed && <li>{common.andMore(left.length - mostNamed)}</li>}
        </ul>
      )}
      <p>{another ? texts.deleteTexts : texts.deleteText}</p>
    </Confirmation>
  );
}
