import { useRef } from "react";
import { useClient, useMutation } from "urql";
import {
  ChangeRolesDocument,
  GrantAccessDocument,
  type OpenInvitationFragment,
  PeopleDocument,
  type PersonFragment,
  WithdrawAccessDocument,
} from "../../../generated/console.js";
import { isolated } from "../../../platform/text-direction.js";
import { EditForm } from "../../form/edit-form.js";
import { Moment } from "../../language/moment.js";
import { readersTimeZone } from "../../language/time-zones.js";
import { useTexts as useSettingTexts } from "../texts.js";
import {
  type Accesses,
  accessesOf,
  chosenPermissions,
  PermissionFields,
  permissionTexts,
} from "./permission-fields.js";
import { type Origin, usePermissionOrigins } from "./permission-origins.js";
import { useTexts } from "./texts.js";

/** The draft of a person's permissions. */
export const permissionDraft = ({ id }: { id: string }): string => `permissions ${id}`;

interface PermissionFormProps {
  person: PersonFragment;
  accesses: Accesses;
  facilities: readonly { id: string; name: string }[];
  invitations: readonly OpenInvitationFragment[];
  onClose: () => void;
  onSaved: () => void;
}

/** What a person may do in the workspace, and at each facility in addition. */
export function PermissionForm({
  person,
  accesses,
  facilities,
  invitations,
  onClose,
  onSaved,
}: PermissionFormProps) {
  const { permissions } = useSettingTexts();
  const people = useTexts();
  const client = useClient();
  const [, changeRoles] = useMutation(ChangeRolesDocument);
  const [, grant] = useMutation(GrantAccessDocument);
  const [, withdraw] = useMutation(WithdrawAccessDocument);
  const origins = usePermissionOrigins(person, invitations);
  /** Whether some of the changes were saved before one failed. */
  const hasSaved = useRef(false);
  const readPeople = () => client.query(PeopleDocument, {}, { requestPolicy: "network-only" });
  const readVersion = async () => {
    if (hasSaved.current) return undefined;
    const { data } = await readPeople();
    const present = data?.workspace.users?.find(({ id }) => id === person.id);
    return present && permissionVersion(present.roles, accessesOf(present, data?.facilities ?? []));
  };
  const submit = async (texts: Record<string, string>) => {
    const chosen = chosenPermissions(texts, permissions, facilities);
    const changes = [
      ...(haveSame(chosen.roles, person.roles)
        ? []
        : [() => changeRoles({ id: person.id, roles: chosen.roles })]),
      ...facilities.flatMap(({ id }) => {
        const [before, after] = [accesses[id] ?? [], chosen.accesses[id] ?? []];
        const [gained, lost] = [without(after, before), without(before, after)];
        const place = { user: person.id, facility: id };
        return [
          ...(gained.length > 0 ? [() => grant({ ...place, actions: gained })] : []),
          ...(lost.length > 0 ? [() => withdraw({ ...place, actions: lost })] : []),
        ];
      }),
    ];
    for (const change of changes) {
      const { error } = await change();
      if (error) return { error };
      hasSaved.current = true;
    }
    // Opened again before, the form would show what the person was allowed until now.
    await readPeople();
    return {};
  };
  return (
    <EditForm
      title={people.permissionsTitle(isolated(person.fullName ?? person.email))}
      draftKey={permissionDraft(person)}
      start={permissionTexts(person.roles, accesses)}
      version={permissionVersion(person.roles, accesses)}
      readVersion={readVersion}
      onSubmit={submit}
      onSaved={onSaved}
      onClose={onClose}
    >
      <PermissionFields
        facilities={facilities}
        remarkOn={(field) => <GivenBy origin={origins.get(field)} />}
      />
    </EditForm>
  );
}

function GivenBy({ origin }: { origin: Origin | undefined }) {
  const people = useTexts();
  if (!origin) return null;
  return (
    <span className="hint permission-origin">
      {people.givenBy(isolated(origin.by))} <Moment instant={origin.at} timeZone={readersTimeZone} />
    </span>
  );
}

/** What a person may do as one text, to compare with what they may do later. */
const permissionVersion = (roles: readonly string[], accesses: Accesses): string =>
  Object.keys(permissionTexts(roles, accesses)).sort().join();

const without = (some: readonly string[], others: readonly string[]) =>
  some.filter((each) => !others.includes(each));

const haveSame = (some: readonly string[], others: readonly string[]) =>
  some.length === others.length && without(some, others).length === 0;
