import { useQuery } from "urql";
import {
  type OpenInvitationFragment,
  PermissionHistoryDocument,
  type PermissionHistoryQuery,
  type PersonFragment,
} from "../../../generated/console.js";
import { type NameOf, useAuditNames } from "../audit/audit-names.js";
import { useTexts as useAuditTexts } from "../audit/texts.js";
import { permissionField } from "./permission-fields.js";

/** Who gave a permission, and when. */
export interface Origin {
  by: string;
  at: string;
}

/** Who gave somebody's permissions, by the field of each permission, as far as known. */
export type Origins = ReadonlyMap<string, Origin>;

type Entry = PermissionHistoryQuery["auditLog"]["nodes"][number];

/**
 * Who gave the permissions of a person, by the audit log. The invitation that the person
 * accepted gave the first ones.
 */
export function usePermissionOrigins(
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
): void {
  const by = invitedBy ? (invitedBy.fullName ?? invitedBy.email) : unknown;
  const places = [
    { facility: null, permissions: roles },
    ...accesses.map(({ facilityId, actions }) => ({ facility: facilityId, permissions: actions })),
  ];
  for (const { facility, permissions } of places)
    for (const permission of permissions)
      origins.set(permissionField(facility, permission), { by, at: acceptedAt ?? "" });
}

/** Applies a change of roles, or of the permissions at a facility. */
function addChanged(origins: Map<string, Origin>, entry: Entry, nameOf: NameOf): void {
  const { roles, actions } = (entry.changes ?? {}) as Record<string, { from?: unknown; to?: unknown }>;
  const change = entry.facilityId ? actions : roles;
  const [before, after] = [textsIn(change?.from), textsIn(change?.to)];
  const fieldOf = (permission: string) => permissionField(entry.facilityId, permission);
  for (const lost of before) if (!after.includes(lost)) origins.delete(fieldOf(lost));
  for (const gained of after)
    if (!before.includes(gained)) origins.set(fieldOf(gained), { by: nameOf(entry), at: entry.createdAt });
}

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
