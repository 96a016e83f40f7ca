import { useMutation } from "urql";
import { ChangeProfileDocument, type OwnProfileFragment } from "../../../generated/console.js";
import { EditForm } from "../../form/edit-form.js";
import { TextField } from "../../form/field.js";
import { useTexts } from "../texts.js";

export const nameDraft = "own name";

const names = ["firstName", "lastName", "jobTitle"] as const;

interface OwnNameProps {
  /** The viewer as they are; nobody yet at their first sign-in. */
  user?: OwnProfileFragment;
  onClose: () => void;
  onSaved?: () => void;
}

/** Asks for the viewer's name and job title. */
export function OwnName({ user, onClose, onSaved }: OwnNameProps) {
  const { profile } = useTexts();
  const [, change] = useMutation(ChangeProfileDocument);
  return (
    <EditForm
      title={user ? profile.name : profile.nameQuestion}
      draftKey={nameDraft}
      start={Object.fromEntries(names.map((name) => [name, user?.[name] ?? undefined]))}
      rules={profile.problems}
      onSubmit={({ firstName = "", lastName = "", jobTitle = "" }) =>
        change({ input: { firstName, lastName, jobTitle } })
      }
      onSaved={() => onSaved?.()}
      onClose={onClose}
    >
      {names.map((name) => (
        <TextField key={name} name={name} label={profile[name]} />
      ))}
    </EditForm>
  );
}
