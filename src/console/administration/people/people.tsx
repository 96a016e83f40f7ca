import { useState } from "react";
import { useMutation } from "urql";
import {
  ChangePersonDocument,
  InviteDocument,
  type OpenInvitationFragment,
  PeopleDocument,
  type PeopleQuery,
  type PersonFragment,
  ReinviteDocument,
  RemovePersonDocument,
  RevokeInvitationDocument,
} from "../../../generated/console.js";
import { isolated } from "../../../platform/text/text-direction.js";
import { Query } from "../../data/query.js";
import { MutationConfirmation } from "../../form/confirmation.js";
import { EditForm, isBeingWritten, Problem } from "../../form/edit-form.js";
import { TextField } from "../../form/field.js";
import { Moment, StoredText, useMessages, useNow } from "../../language/language.js";
import { localInputValue } from "../../language/time-zones.js";
import { Link, useAddress } from "../../navigation/location.js";
import { CopyableText } from "../../shell/copyable-text.js";
import { type TellOutcome, type Undo, useOutcome } from "../../shell/notice/notice.js";
import { AddressSearch } from "../../shell/search-field.js";
import { useMay } from "../../viewer/viewer.js";
import { AccessEnd, changedEnd, EndField } from "../access-end.js";
import { useAdding } from "../adding.js";
import { roleOf, rolesOfPeople } from "../role-presets.js";
import { RowButton } from "../row-button.js";
import { useTexts } from "../texts.js";
import {
  type Accesses,
  accessesOf,
  chosenPermissions,
  PermissionFields,
  PermissionForm,
  permissionDraft,
  permissionTexts,
} from "./permission-form.js";

export function People() {
  return <Query query={PeopleDocument}>{(found) => <PeopleList found={found} />}</Query>;
}

function PeopleList({ found: { workspace, facilities, me } }: { found: PeopleQuery }) {
  const { adding, settings } = useMessages();
  const { people } = useTexts();
  const now = useNow();
  const mayWrite = useMay("users:write");
  const [isInviting, setInviting] = useAdding("person", invitationDraft, mayWrite);
  const [outcome, tell] = useOutcome();
  const text = useAddress().get("text") ?? "";
  const users = workspace.users ?? [];
  const open = (workspace.invitations ?? []).filter(
    ({ acceptedAt, revokedAt, expiresAt }) => !acceptedAt && !revokedAt && new Date(expiresAt) > now,
  );
  const shown = users.filter(({ email, fullName }) =>
    `${fullName ?? ""} ${email}`.toLowerCase().includes(text.toLowerCase()),
  );
  return (
    <>
      <div className="setting-toolbar">
        {mayWrite && (
          <button type="button" className="primary" onClick={() => setInviting(true)}>
            {adding.person}
          </button>
        )}
        {users.length > 10 && <AddressSearch label={people.search} />}
      </div>
      {open.length > 0 && (
        <>
          <h3>{people.openInvitations}</h3>
          <ul className="setting-rows">
            {open.map((invitation) => (
              <InvitationRow
                key={invitation.id}
                invitation={invitation}
                facilities={facilities}
                tell={tell}
              />
            ))}
          </ul>
        </>
      )}
      <h3 className={open.length === 0 ? "visually-hidden" : undefined}>{settings.people}</h3>
      <ul className="setting-rows" aria-label={people.permissions}>
        {shown.map((person) => (
          <PersonRow
            key={person.id}
            person={person}
            facilities={facilities}
            invitations={workspace.invitations ?? []}
            isViewer={person.id === me?.id}
            mayWrite={mayWrite}
            tell={tell}
          />
        ))}
      </ul>
      {isInviting && (
        <InvitationForm
          facilities={facilities}
          said={workspace.deliveryChannels.includes("EMAIL") ? people.invited : people.linkReady}
          onClose={() => setInviting(false)}
          onSaved={tell}
        />
      )}
      {outcome}
    </>
  );
}

interface InvitationRowProps {
  invitation: OpenInvitationFragment;
  facilities: PeopleQuery["facilities"];
  tell: (message: string) => void;
}

function InvitationRow({ invitation, facilities, tell }: InvitationRowProps) {
  const { id, email, firstName, lastName, roles, accesses, invitedBy, expiresAt, until, url } = invitation;
  const host = url && new URL(url).host;
  const held = (
    <HeldPermissions
      roles={roles}
      accesses={Object.fromEntries(accesses.map((access) => [access.facilityId, access]))}
      facilities={facilities}
    />
  );
  const { people } = useTexts();
  const [isRevoking, setRevoking] = useState(false);
  const mayWrite = useMay("users:write");
  const [resent, resend] = useMutation(ReinviteDocument);
  const sendAgain = async () => {
    const { error } = await resend({ id });
    if (!error) tell(people.resent);
  };
  return (
    <li>
      <div>
        <h4>
          <StoredText>{[firstName, lastName, email].filter(Boolean).join(" ")}</StoredText>
        </h4>
        {held}
        <p className="hint">
          {people.validUntil} <Moment instant={expiresAt} />
          {invitedBy && ` · ${people.invitedBy(isolated(invitedBy.fullName ?? invitedBy.email))}`}
          {until && ` · ${people.access}`}
          <AccessEnd until={until} />
        </p>
        {url && <CopyableText label={people.link} text={url} />}
        {host && host !== location.host && <p className="problem">{people.otherHost(host)}</p>}
        <Problem error={resent.error} />
      </div>
      {mayWrite && (
        <div className="setting-actions">
          <RowButton
            label={people.resend}
            of={email}
            aria-busy={resent.fetching}
            onClick={() => void sendAgain()}
          />
          <RowButton label={people.revoke} of={email} onClick={() => setRevoking(true)} />
        </div>
      )}
      {isRevoking && (
        <MutationConfirmation
          title={people.revokeTitle(isolated(email))}
          label={people.revoke}
          mutation={RevokeInvitationDocument}
          variables={{ id }}
          onDone={() => tell(people.revoked)}
          onClose={() => setRevoking(false)}
        >
          <p>{people.revokeText}</p>
          {held}
        </MutationConfirmation>
      )}
    </li>
  );
}

interface HeldPermissionsProps {
  roles: readonly string[];
  accesses: Accesses;
  facilities: PeopleQuery["facilities"];
}

/** What somebody may do, in words; at a facility, what is added to that. */
function HeldPermissions({ roles, accesses, facilities }: HeldPermissionsProps) {
  const { permissions, people, roles: texts } = useTexts();
  const inWords = (held: readonly string[]) => {
    const role = roleOf(held, rolesOfPeople);
    return role ? texts.names[role] : held.map((each) => permissions[each] ?? each).join(", ");
  };
  return (
    <ul className="differences">
      <li>
        {roles.length > 0
          ? `${people.inWorkspace}: ${inWords(roles)}`
          : Object.keys(accesses).length === 0 && people.none}
      </li>
      {facilities.map(({ id, name }) => {
        const added = accesses[id]?.actions.filter((each) => !roles.includes(each)) ?? [];
        return (
          added.length > 0 && (
            <li key={id}>
              {(roles.length > 0 ? people.atFacility : people.onlyAt)(isolated(name))}
              <AccessEnd until={accesses[id]?.until} />: {inWords(added)}
            </li>
          )
        );
      })}
    </ul>
  );
}

interface PersonRowProps {
  person: PersonFragment;
  facilities: PeopleQuery["facilities"];
  invitations: readonly OpenInvitationFragment[];
  isViewer: boolean;
  mayWrite: boolean;
  tell: TellOutcome;
}

function PersonRow({ person, facilities, invitations, isViewer, mayWrite, tell }: PersonRowProps) {
  const { actions, saved, people } = useTexts();
  const [form, setForm] = useState<"person" | "permissions" | "removal" | undefined>(() => {
    if (isBeingWritten(personDraft(person))) return "person";
    return isBeingWritten(permissionDraft(person)) ? "permissions" : undefined;
  });
  const name = person.fullName ?? person.email;
  const accesses = accessesOf(person, facilities);
  const close = () => setForm(undefined);
  return (
    <li>
      <div>
        <h4>
          <StoredText>{name}</StoredText>
          {isViewer && <span className="hint"> ({people.you})</span>}
        </h4>
        {person.until && (
          <p>
            {people.access}
            <AccessEnd until={person.until} />
          </p>
        )}
        <p className="hint">
          <StoredText>{person.email}</StoredText> ·{" "}
          <Link to={{ view: "settings", part: "audit", target: person.id }}>{people.history}</Link>
        </p>
        <HeldPermissions roles={person.roles} accesses={accesses} facilities={facilities} />
      </div>
      {mayWrite && (
        <div className="setting-actions">
          <RowButton label={actions.edit} of={name} onClick={() => setForm("person")} />
          <RowButton label={people.permissions} of={name} onClick={() => setForm("permissions")} />
          {!isViewer && <RowButton label={people.remove} of={name} onClick={() => setForm("removal")} />}
        </div>
      )}
      {form === "person" && (
        <PersonForm person={person} onClose={close} onSaved={(undo) => tell(saved, undo)} />
      )}
      {form === "permissions" && (
        <PermissionForm
          person={person}
          accesses={accesses}
          facilities={facilities}
          invitations={invitations}
          onClose={close}
          onSaved={() => tell(saved)}
        />
      )}
      {form === "removal" && (
        <MutationConfirmation
          title={people.removeTitle(isolated(name))}
          label={people.remove}
          mutation={RemovePersonDocument}
          variables={{ id: person.id }}
          onDone={() => tell(people.removed(isolated(name)))}
          onClose={close}
        >
          <p>{people.removeText}</p>
          <HeldPermissions roles={person.roles} accesses={accesses} facilities={facilities} />
        </MutationConfirmation>
      )}
    </li>
  );
}

const invitationDraft = "invitation";

const personDraft = ({ id }: { id: string }) => `person ${id}`;

/** What somebody who looks after a site needs at least. */
const usualRoles = ["facilities:read", "cameras:read", "alerts:read", "alerts:write"];

/** The address and the name of somebody else, so that the browser suggests none. */
function PersonFields() {
  const { people } = useTexts();
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
  facilities: PeopleQuery["facilities"];
  /** What is said of an invited address. */
  said: (address: string) => string;
  onClose: () => void;
  onSaved: (message: string) => void;
}

function InvitationForm({ facilities, said, onClose, onSaved }: InvitationFormProps) {
  const { adding } = useMessages();
  const { permissions, people } = useTexts();
  const [, invite] = useMutation(InviteDocument);
  const submit = (texts: Record<string, string>) => {
    const { roles, accesses } = chosenPermissions(texts, permissions, facilities);
    return invite({
      input: {
        email: texts.email ?? "",
        ...namesIn(texts),
        until: changedEnd(texts.until),
        roles,
        accesses: Object.entries(accesses).map(([facilityId, { actions }]) => ({
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
      onSaved={({ data }) => data && onSaved(said(isolated(data.inviteUser.email)))}
      onClose={onClose}
    >
      <PersonFields />
      <PermissionFields facilities={facilities} />
      <EndField name="until" label={people.until} />
    </EditForm>
  );
}

interface PersonFormProps {
  person: PersonFragment;
  onClose: () => void;
  onSaved: (undo: Undo) => void;
}

function PersonForm({ person, onClose, onSaved }: PersonFormProps) {
  const { id, email, firstName, lastName, fullName, until, updatedAt } = person;
  const { people } = useTexts();
  const { forms } = useMessages();
  const [, change] = useMutation(ChangePersonDocument);
  const restore = (expectedUpdatedAt: string) =>
    change({ id, input: { email, firstName, lastName, until, expectedUpdatedAt } });
  return (
    <EditForm
      title={forms.editTitle(isolated(fullName ?? email))}
      draftKey={personDraft(person)}
      start={{
        email,
        firstName: firstName ?? undefined,
        lastName: lastName ?? undefined,
        until: localInputValue(until),
      }}
      version={updatedAt}
      rules={people.problems}
      onSubmit={(given, expected) =>
        change({
          id,
          input: {
            ...namesIn(given),
            until: changedEnd(given.until, until),
            ...(given.email !== email && { email: given.email ?? "" }),
            ...expected,
          },
        })
      }
      onSaved={({ data }) => data && onSaved(() => restore(data.updateUser.updatedAt))}
      onClose={onClose}
    >
      <PersonFields />
      <EndField name="until" label={people.until} />
    </EditForm>
  );
}
