import { useMutation } from "urql";
import { ChangePersonDocument, type PersonFragment } from "../../generated/console.js";
import { isolated } from "../../platform/text-direction.js";
import { EditForm } from "../form/edit-form.js";
import { fieldProblems } from "../form/field-problems.js";
import { useLanguage } from "../language/language.js";
import { PersonFields } from "./person-fields.js";
import { useTexts } from "./texts.js";

/** The draft of a person's address and name. */
export const personDraft = ({ id }: { id: string }): string => `person ${id}`;

interface PersonFormProps {
  person: PersonFragment;
  onClose: () => void;
  onSaved: () => void;
}

/** The address and the name of a person. */
export function PersonForm({ person, onClose, onSaved }: PersonFormProps) {
  const { messages } = useLanguage();
  const { people } = useTexts();
  const [{ error, fetching }, change] = useMutation(ChangePersonDocument);
  const problems = fieldProblems(error, people.problems);
  const submit = async ({ email, firstName, lastName }: Record<string, string>, overwrites: boolean) => {
    const names = { firstName: firstName || null, lastName: lastName || null };
    const expected = overwrites ? {} : { expectedUpdatedAt: person.updatedAt };
    const { error } = await change({
      id: person.id,
      input: { ...names, ...(email !== person.email && { email: email ?? "" }), ...expected },
    });
    if (!error) onSaved();
    return !error;
  };
  return (
    <EditForm
      title={people.editTitle(isolated(person.fullName ?? person.email))}
      draftKey={personDraft(person)}
      start={{
        email: person.email,
        firstName: person.firstName ?? undefined,
        lastName: person.lastName ?? undefined,
      }}
      problems={problems}
      error={error}
      isSaving={fetching}
      submitLabel={messages.forms.save}
      onSubmit={submit}
      onClose={onClose}
    >
      {(start) => <PersonFields start={start} problems={problems} />}
    </EditForm>
  );
}
