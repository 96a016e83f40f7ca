import { useQuery } from "urql";
import { type AuditedChangeFragment, AuditNamesDocument } from "../../../generated/console.js";
import { useLanguage } from "../../language/language.js";
import { readersTimeZone } from "../../language/time-zones.js";
import { useTexts } from "./texts.js";

/** The name of whoever made a change. */
export type NameOf = (entry: Pick<AuditedChangeFragment, "actorId" | "actorKind">) => string;

/** The names that entries of the audit log mean, as far as the viewer may know them. */
export interface AuditNames {
  /** Those who may have made changes, by their IDs. */
  actors: ReadonlyMap<string, string>;
  nameOf: NameOf;
  /** The name of what was changed, and of its camera and facility; empty if none is known. */
  nameOfObject: (
    entry: Pick<
      AuditedChangeFragment,
      "targetId" | "targetName" | "targetType" | "cameraName" | "facilityId"
    >,
  ) => string;
  /** The name of whoever or whatever has an ID. */
  nameOfId: (id: string) => string | undefined;
  /** Whether the viewer has a permission at a facility. */
  mayAt: (facilityId: string | null, permission: string) => boolean;
  /** Whether what an entry says was deleted has been restored since. */
  wasRestored: (entry: Pick<AuditedChangeFragment, "targetId" | "createdAt">) => boolean;
  /** The time zone of a facility, or the reader's own if there is none. */
  zoneOf: (facilityId: string | null) => string;
}

export function useAuditNames(): AuditNames {
  const auditLog = useTexts();
  const { words } = useLanguage();
  // Without a permission for the keys, only their names are missing.
  const [{ data }] = useQuery({ query: AuditNamesDocument });
  const users = data?.workspace.users?.map(({ id, fullName, email }): [string, string] => [
    id,
    fullName ?? email,
  ]);
  const keys = data?.workspace.apiKeys?.map(({ id, name }): [string, string] => [id, auditLog.apiKey(name)]);
  const facilities = new Map(data?.facilities.map(({ id, name }) => [id, name]));
  const actors = new Map([...(users ?? []), ...(keys ?? [])]);
  return {
    actors,
    nameOf: ({ actorId, actorKind }) =>
      actorKind === "FEED_SERVER" ? auditLog.feedServer : (actors.get(actorId ?? "") ?? auditLog.someone),
    nameOfObject: ({ targetId, targetName, targetType, cameraName, facilityId }) => {
      const name = targetType === "AlertRule" && targetName ? words.alertType(targetName) : targetName;
      const own = actors.get(targetId ?? "") ?? name;
      const facility = targetId === facilityId ? undefined : facilities.get(facilityId ?? "");
      return [own, cameraName, facility].filter(Boolean).join(" · ");
    },
    nameOfId: (id) => actors.get(id) ?? facilities.get(id),
    mayAt: (id, permission) =>
      data?.facilities.find((facility) => facility.id === id)?.viewerPermissions.includes(permission) ??
      false,
    wasRestored: ({ targetId, createdAt }) =>
      data?.restorations.nodes.some((each) => each.targetId === targetId && each.createdAt > createdAt) ??
      false,
    zoneOf: (id) => data?.facilities.find((facility) => facility.id === id)?.timeZoneId ?? readersTimeZone,
  };
}
