import { useState } from "react";
import { useMutation } from "urql";
import {
  type OpenInvitationFragment,
  PeopleDocument,
  type PeopleQuery,
  type PersonFragment,
  ReinviteDocument,
  RemovePersonDocument,
  RevokeInvitationDocument,
} from "../../../generated/console.js";
import { isolated } from "../../../platform/text-direction.js";
import { Query } from "../../data/query.js";
import { MutationConfirmation } from "../../form/confirmation.js";
import { isBeingWritten } from "../../form/edit-form.js";
import { Problem } from "../../form/problem.js";
import { StoredText } from "../../language/language.js";
import { Moment } from "../../language/moment.js";
import { useNow } from "../../language/now.js";
import { readersTimeZone } from "../../language/time-zones.js";
import { changeQuery, Link, useAddress } from "../../navigation/location.js";
import { CopyableText } from "../../shell/copyable-text.js";
import { Outcome, type TellOutcome, useOutcome } from "../../shell/outcome.js";
import { SearchField } from "../../shell/search-field.js";
import { useMay } from "../../viewer/viewer.js";
import { useAdding } from "../adding.js";
import { RowButton } from "../row-button.js";
import { useTexts as useSettingTexts } from "../texts.js";
import { type Accesses, accessesOf } from "./permission-fields.js";
import { PermissionForm, permissionDraft } from "./permission-form.js";
import { InvitationForm, invitationDraft, PersonForm, personDraft } from "./person-forms.js";
import { useTexts } from "./texts.js";

/** The people of the workspace, what they may do, and who is invited. */
export function People() {
  return <Query query={PeopleDocument}>{(found) => <PeopleList found={found} />}</Query>;
}

function PeopleList({ found: { workspace, facilities, me } }: { found: PeopleQuery }) {
  const { adding, parts } = useSettingTexts();
  const people = useTexts();
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
        {users.length > 10 && (
          <SearchField
            label={people.search}
            value={text}
            onChange={(value) => changeQuery({ text: value }, { replace: true })}
          />
        )}
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
      <h3 className={open.length === 0 ? "visually-hidden" : undefined}>{parts.people}</h3>
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
        <InvitationForm facilities={facilities} onClose={() => setInviting(false)} onSaved={tell} />
      )}
      <Outcome>{outcome}</Outcome>
    </>
  );
}

interface InvitationRowProps {
  invitation: OpenInvitationFragment;
  facilities: PeopleQuery["facilities"];
  tell: (message: string) => void;
}

function InvitationRow({ invitation, facilities, tell }: InvitationRowProps) {
  const { id, email, roles, accesses, invitedBy, expiresAt, url } = invitation;
  const people = useTexts();
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
          <StoredText>{email}</StoredText>
        </h4>
        <p className="hint">
          {people.validUntil} <Moment instant={expiresAt} timeZone={readersTimeZone} />
          {invitedBy && ` · ${people.invitedBy(isolated(invitedBy.fullName ?? invitedBy.email))}`}
        </p>
        {url && <CopyableText label={people.link} text={url} />}
        {resent.error && <Problem error={resent.error} />}
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
          <HeldPermissions
            roles={roles}
            accesses={Object.fromEntries(accesses.map(({ facilityId, actions }) => [facilityId, actions]))}
            facilities={facilities}
          />
        </MutationConfirmation>
      )}
    </li>
  );
}

interface HeldPermissionsProps {
  roles: readonly string[];
  accesses: Accesses;
  facilities: readonly { id: string; name: string }[];
}

/** What somebody may do, in words. */
function HeldPermissions({ roles, accesses, facilities }: HeldPermissionsProps) {
  const { permissions } = useSettingTexts();
  const people = useTexts();
  const inWords = (held: readonly string[]) => held.map((each) => permissions[each] ?? each).join(", ");
  return (
    <ul className="differences">
      <li>
        {roles.length > 0
          ? `${people.inWorkspace}: ${inWords(roles)}`
          : Object.keys(accesses).length === 0 && people.none}
      </li>
      {facilities.map(({ id, name }) =>
        accesses[id] ? (
          <li key={id}>
            {people.atFacility(isolated(name))}: {inWords(accesses[id])}
          </li>
        ) : undefined,
      )}
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
  const { actions, saved } = useSettingTexts();
  const people = useTexts();
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
