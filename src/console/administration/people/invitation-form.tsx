import { useMutation } from "urql";
import { InviteDocument } from "../../../generated/console.js";
import { isolated } from "../../../platform/text-direction.js";
import { codeOf } from "../../data/failure.js";
import { EditForm } from "../../form/edit-form.js";
import { fieldProblems } from "../../form/field-problems.js";
import { useTexts as useSettingTexts } from "../texts.js";
import { chosenPermissions, PermissionFields, permissionTexts } from "./permission-fields.js";
import { PersonFields } from "./person-fields.js";
import { useTexts } from "./texts.js";

/** The draft of an invitation. */
export const invitationDraft = "invitation";

/** What somebody who looks after a site needs at least. */
const usualRoles = ["facilities:read", "cameras:read", "alerts:read", "alerts:write"];

interface InvitationFormProps {
  facilities: readonly { id: string; name: string }[];
  onClose: () => void;
  onSaved: (message: string) => void;
}

/** An invitation: the address, the name, and what the new user may do. */
export function InvitationForm({ facilities, onClose, onSaved }: InvitationFormProps) {
  const { adding, permissions } = useSettingTexts();
  const people = useTexts();
  const [{ error, fetching }, invite] = useMutation(InviteDocument);
  const isTaken = error !== undefined && codeOf(error) === "CONFLICT";
  const problems = isTaken ? { email: people.problems.email } : fieldProblems(error, people.problems);
  const submit = async (texts: Record<string, string>) => {
    const { roles, accesses } = chosenPermissions(texts, permissions, facilities);
    const { data } = await invite({
      input: {
        email: texts.email ?? "",
        firstName: texts.firstName || null,
        lastName: texts.lastName || null,
        roles,
        accesses: Object.entries(accesses).map(([facilityId, actions]) => ({
          facilityId,
          actions: [...actions],
        })),
      },
    });
    if (!data) return false;
    onSaved(people.invited(isolated(data.inviteUser.email)));
    return true;
  };
  return (
    <EditForm
      title={adding.person}
      draftKey={invitationDraft}
      start={permissionTexts(usualRoles, {})}
      problems={problems}
      error={error}
      isSaving={fetching}
      submitLabel={adding.person}
      onSubmit={submit}
      onClose={onClose}
    >
      {(start) => (
        <>
          <PersonFields start={start} problems={problems} />
          <PermissionFields facilities={facilities} start={start} />
        </>
      )}
    </EditForm>
  );
}
