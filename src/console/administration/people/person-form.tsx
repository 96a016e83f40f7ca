import { useMutation } from "urql";
import { ChangePersonDocument, type PersonFragment } from "../../../generated/console.js";
import { isolated } from "../../../platform/text-direction.js";
import { EditForm } from "../../form/edit-form.js";
import { fieldProblems } from "../../form/field-problems.js";
import { useLanguage } from "../../language/language.js";
import type { Undo } from "../../shell/outcome.js";
import { PersonFields } from "./person-fields.js";
import { useTexts } from "./texts.js";

/** The draft of a person's address and name. */
export const personDraft = ({ id }: { id: string }): string => `person ${id}`;

interface PersonFormProps {
  person: PersonFragment;
  onClose: () => void;
  onSaved: (undo: Undo) => void;
}

/** The address and the name of a person. */
export function PersonForm({ person, onClose, onSaved }: PersonFormProps) {
  const { messages } = useLanguage();
  const people = useTexts();
  const [{ error, fetching }, change] = useMutation(ChangePersonDocument);
  const problems = fieldProblems(error, people.problems);
  const restore = async (expectedUpdatedAt: string) => {
    const { id, email, firstName, lastName } = person;
    return (await change({ id, input: { email, firstName, lastName, expectedUpdatedAt } })).error;
  };
  const submit = async (
    { email, firstName, lastName }: Record<string, string>,
    version: string | undefined,
  ) => {
    const names = { firstName: firstName || null, lastName: lastName || null };
    const expected = version !== undefined && { expectedUpdatedAt: version };
    const { error, data } = await change({
      id: person.id,
      input: { ...names, ...(email !== person.email && { email: email ?? "" }), ...expected },
    });
    if (data) onSaved(() => restore(data.updateUser.updatedAt));
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
      version={person.updatedAt}
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
