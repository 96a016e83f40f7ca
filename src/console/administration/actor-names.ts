import { useQuery } from "urql";
import { ActorsDocument, type AuditLogQuery } from "../../generated/console.js";
import { useTexts } from "./texts.js";

type Entry = AuditLogQuery["auditLog"]["nodes"][number];

/** The name of whoever made a change. */
export type NameOf = (entry: Pick<Entry, "actorId" | "actorKind">) => string;

/** Names who made a change, as far as the viewer may know. */
export function useActorNames(): NameOf {
  const { auditLog } = useTexts();
  // Without a permission for the keys, these alone are missing.
  const [{ data }] = useQuery({ query: ActorsDocument });
  const users = data?.workspace.users?.map(({ id, fullName, email }): [string, string] => [
    id,
    fullName ?? email,
  ]);
  const keys = data?.workspace.apiKeys?.map(({ id, name }): [string, string] => [id, auditLog.apiKey(name)]);
  const names = new Map([...(users ?? []), ...(keys ?? [])]);
  return ({ actorId, actorKind }) =>
    actorKind === "FEED_SERVER" ? auditLog.feedServer : (names.get(actorId ?? "") ?? auditLog.someone);
}
