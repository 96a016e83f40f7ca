import { type ReactNode, useRef, useState } from "react";
import { useClient, useMutation, useQuery } from "urql";
import {
  ChangeRolesDocument,
  GrantAccessDocument,
  type OpenInvitationFragment,
  PeopleDocument,
  type PeopleQuery,
  PermissionHistoryDocument,
  type PermissionHistoryQuery,
  type PersonFragment,
  WithdrawAccessDocument,
} from "../../../generated/console.js";
import { memberIn } from "../../../platform/record.js";
import { isolated } from "../../../platform/text/text-direction.js";
import { EditForm } from "../../form/edit-form.js";
import { type Texts, useForm } from "../../form/field.js";
import { Moment, useNow } from "../../language/language.js";
import { localInputValue } from "../../language/time-zones.js";
import { changedEnd, EndField, hasEnded } from "../access-end.js";
import { type NameOf, useAuditNames } from "../audit/audit-names.js";
import { useTexts as useAuditTexts } from "../audit/texts.js";
import { PermissionChoice } from "../permission-choice.js";
import { PermissionSet, rolesOfPeople } from "../role-presets.js";
import { useTexts } from "../texts.js";

export const permissionDraft = ({ id }: { id: string }): string => `permissions ${id}`;

interface PermissionFormProps {
  person: PersonFragment;
  accesses: Accesses;
  facilities: PeopleQuery["facilities"];
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
  const { permissions, people } = useTexts();
  const client = useClient();
  const now = useNow();
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
  const submit = async (texts: Texts) => {
    const chosen = chosenPermissions(texts, permissions, facilities);
    const changes = [
      ...(haveSame(chosen.roles, person.roles)
        ? []
        : [() => changeRoles({ id: person.id, roles: chosen.roles })]),
      ...facilities.flatMap(({ id }) => {
        const access = accesses[id] ?? noAccess;
        const [before, after] = [access.actions, chosen.accesses[id]?.actions ?? []];
        const [gained, lost] = [without(after, before), without(before, after)];
        const end = changedEnd(texts[endField(id)], access.until);
        // Another end is one of all actions. One that has passed is refused.
        const granted = end === undefined ? gained : after;
        const until = end === undefined && hasEnded(access.until, now) ? access.until : end;
        const scope = { user: person.id, facility: id };
        return [
          ...(granted.length > 0 ? [() => grant({ ...scope, actions: [...granted], until })] : []),
          ...(lost.length > 0 ? [() => withdraw({ ...scope, actions: lost })] : []),
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
  const { people } = useTexts();
  if (!origin) return null;
  return (
    <span className="hint permission-origin">
      {people.givenBy(isolated(origin.by))} <Moment instant={origin.at} />
    </span>
  );
}

/** What a person may do as one text, to compare with what they may do later. */
const permissionVersion = (roles: readonly string[], accesses: Accesses) =>
  Object.entries(permissionTexts(roles, accesses)).sort().join();

const without = (some: readonly string[], others: readonly string[]) =>
  some.filter((each) => !others.includes(each));

const haveSame = (some: readonly string[], others: readonly string[]) =>
  some.length === others.length && without(some, others).length === 0;

interface Access {
  actions: readonly string[];
  until?: string | null;
}

const noAccess: Access = { actions: [] };

/** What somebody may do at facilities, by their IDs. */
export type Accesses = Readonly<Record<string, Access>>;

const permissionField = (facility: string | null, permission: string) =>
  facility === null ? permission : `${facility} ${permission}`;

const endField = (facility: string) => `${facility} until`;

interface PermissionFieldsProps {
  facilities: PeopleQuery["facilities"];
  /** A remark on a permission that is held, by its field. */
  remarkOn?: (field: string) => ReactNode;
}

/** The permissions in the workspace, and those at each facility in addition, which may end if they have a remark. */
export function PermissionFields({ facilities, remarkOn }: PermissionFieldsProps) {
  const { people, permissions } = useTexts();
  const { start } = useForm();
  const [roles, setRoles] = useState<readonly string[]>(
    Object.keys(permissions).filter((each) => each in start),
  );
  const atFacility = roles.length > 0 ? people.atFacility : people.onlyAt;
  return (
    <>
      <PermissionSet
        legend={people.inWorkspace}
        roles={rolesOfPeople}
        remarkOn={remarkOn}
        onTick={setRoles}
      />
      {facilities.map(({ id, name }) => (
        <details key={id} open={Object.keys(start).some((field) => field.startsWith(`${id} `))}>
          <summary>{atFacility(isolated(name))}</summary>
          <fieldset className="choices" aria-label={atFacility(isolated(name))}>
            <PermissionChoice
              nameOf={(permission) => permissionField(id, permission)}
              remarkOn={remarkOn}
              without={roles}
            />
          </fieldset>
          {remarkOn && <EndField name={endField(id)} label={people.until} />}
        </details>
      ))}
    </>
  );
}

/** What a person may do at single facilities. */
export const accessesOf = ({ id }: { id: string }, facilities: PeopleQuery["facilities"]): Accesses =>
  Object.fromEntries(
    facilities.flatMap(({ id: facilityId, access }) => {
      const own = access?.find(({ user }) => user?.id === id);
      return own ? [[facilityId, own]] : [];
    }),
  );

export const permissionTexts = (roles: readonly string[], accesses: Accesses): Texts =>
  Object.fromEntries([
    ...roles.map((role) => [role, "on"]),
    ...Object.entries(accesses).flatMap(([facility, { actions, until }]) => [
      ...actions.map((permission) => [permissionField(facility, permission), "on"]),
      [endField(facility), localInputValue(until)],
    ]),
  ]);

export function chosenPermissions(
  texts: Texts,
  permissions: Readonly<Record<string, string>>,
  facilities: readonly { id: string }[],
): { roles: string[]; accesses: Accesses } {
  const known = Object.keys(permissions);
  const accesses = facilities.flatMap(({ id }): [string, Access][] => {
    const actions = known.filter((permission) => permissionField(id, permission) in texts);
    return actions.length > 0 ? [[id, { actions }]] : [];
  });
  return {
    roles: known.filter((permission) => permission in texts),
    accesses: Object.fromEntries(accesses),
  };
}

/** Who gave a permission, and when. */
interface Origin {
  by: string;
  at: string;
}

/** Who gave somebody's permissions, by the field of each permission, as far as known. */
type Origins = ReadonlyMap<string, Origin>;

type Entry = PermissionHistoryQuery["auditLog"]["nodes"][number];

/** Who gave the permissions of a person, by the audit log. An accepted invitation gave the first ones. */
function usePermissionOrigins(
  person: PersonFragment,
  invitations: readonly OpenInvitationFragment[],
): Origins {
  const auditLog = useAuditTexts();
  const { nameOf } = useAuditNames();
  const [{ data }] = useQuery({ query: PermissionHistoryDocument, variables: { user: person.id } });
  const origins = new Map<string, Origin>();
  if (!data) return origins;
  const accepted = invitations.find(
    ({ email, acceptedAt }) => acceptedAt !== null && email.toLowerCase() === person.email.toLowerCase(),
  );
  if (accepted) addInvited(origins, accepted, auditLog.someone);
  for (const entry of data.auditLog.nodes.toReversed()) addChanged(origins, entry, nameOf);
  return origins;
}

function addInvited(
  origins: Map<string, Origin>,
  { roles, accesses, invitedBy, acceptedAt }: OpenInvitationFragment,
  unknown: string,
) {
  const by = invitedBy ? (invitedBy.fullName ?? invitedBy.email) : unknown;
  const scopes = [
    { facility: null, permissions: roles },
    ...accesses.map(({ facilityId, actions }) => ({ facility: facilityId, permissions: actions })),
  ];
  for (const { facility, permissions } of scopes)
    for (const permission of permissions)
      origins.set(permissionField(facility, permission), { by, at: acceptedAt ?? "" });
}

/** Applies a change of roles, or of the permissions at a facility. */
function addChanged(origins: Map<string, Origin>, entry: Entry, nameOf: NameOf) {
  const change = memberIn(entry.changes, entry.facilityId ? "actions" : "roles");
  const [before, after] = [textsIn(memberIn(change, "from")), textsIn(memberIn(change, "to"))];
  const fieldOf = (permission: string) => permissionField(entry.facilityId, permission);
  for (const lost of before) if (!after.includes(lost)) origins.delete(fieldOf(lost));
  for (const gained of after)
    if (!before.includes(gained)) origins.set(fieldOf(gained), { by: nameOf(entry), at: entry.createdAt });
}

const textsIn = (value: unknown) =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
