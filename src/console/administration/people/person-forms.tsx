import { useMutation } from "urql";
import { ChangePersonDocument, InviteDocument, type PersonFragment } from "../../../generated/console.js";
import { isolated } from "../../../platform/text-direction.js";
import { EditForm } from "../../form/edit-form.js";
import { TextField } from "../../form/field.js";
import type { Undo } from "../../shell/outcome.js";
import { useTexts as useSettingTexts } from "../texts.js";
import { chosenPermissions, PermissionFields, permissionTexts } from "./permission-fields.js";
import { useTexts } from "./texts.js";

/** The draft of an invitation. */
export const invitationDraft = "invitation";

/** The draft of a person's address and name. */
export const personDraft = ({ id }: { id: string }): string => `person ${id}`;

/** What somebody who looks after a site needs at least. */
const usualRoles = ["facilities:read", "cameras:read", "alerts:read", "alerts:write"];

/** The address and the name of somebody else, so that the browser suggests none. */
function PersonFields() {
  const people = useTexts();
  return (
    <>
      <TextField name="email" label={people.email} type="email" required maxLength={320} autoComplete="off" />
      <div className="field-row">
        {(["firstName", "lastName"] as const).map((name) => (
          <TextField key={name} name={name} label={people[name]} maxLength={100} />
        ))}
      </div>
    </>
  );
}

const namesIn = ({ firstName, lastName }: Record<string, string>) => ({
  firstName: firstName || null,
  lastName: lastName || null,
});

interface InvitationFormProps {
  facilities: readonly { id: string; name: string }[];
  onClose: () => void;
  onSaved: (message: string) => void;
}

/** An invitation: the address, the name, and what the new user may do. */
export function InvitationForm({ facilities, onClose, onSaved }: InvitationFormProps) {
  const { adding, permissions } = useSettingTexts();
  const people = useTexts();
  const [, invite] = useMutation(InviteDocument);
  const submit = (texts: Record<string, string>) => {
    const { roles, accesses } = chosenPermissions(texts, permissions, facilities);
    return invite({
      input: {
        ...{ email: texts.email ?? "", ...namesIn(texts), roles },
        accesses: Object.entries(accesses).map(([facilityId, actions]) => ({
          facilityId,
          actions: [...actions],
        })),
      },
    });
  };
  return (
    <EditForm
      title={adding.person}
      draftKey={invitationDraft}
      start={permissionTexts(usualRoles, {})}
      rules={people.problems}
      refusals={{ CONFLICT: { email: people.problems.email } }}
      submitLabel={adding.person}
      onSubmit={submit}
      onSaved={({ data }) => data && onSaved(people.invited(isolated(data.inviteUser.email)))}
      onClose={onClose}
    >
      <PersonFields />
      <PermissionFields facilities={facilities} />
    </EditForm>
  );
}

interface PersonFormProps {
  person: PersonFragment;
  onClose: () => void;
  onSaved: (undo: Undo) => void;
}

/** The address and the name of a person. */
export function PersonForm({ person, onClose, onSaved }: PersonFormProps) {
  const { id, email, firstName, lastName, fullName, updatedAt } = person;
  const people = useTexts();
  const [, change] = useMutation(ChangePersonDocument);
  const restore = async (expectedUpdatedAt: string) =>
    (await change({ id, input: { email, firstName, lastName, expectedUpdatedAt } })).error;
  return (
    <EditForm
      title={people.editTitle(isolated(fullName ?? email))}
      draftKey={personDraft(person)}
      start={{ email, firstName: firstName ?? undefined, lastName: lastName ?? undefined }}
      version={updatedAt}
      rules={people.problems}
      onSubmit={(given, expected) =>
        change({
          id,
          input: {
            ...namesIn(given),
            ...(given.email !== email && { email: given.email ?? "" }),
            ...expected,
          },
        })
      }
      onSaved={({ data }) => data && onSaved(() => restore(data.updateUser.updatedAt))}
      onClose={onClose}
    >
      <PersonFields />
    </EditForm>
  );
}
