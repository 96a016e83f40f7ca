import { useQuery } from "urql";
import { ActorsDocument, type AuditLogQuery } from "../../generated/console.js";
import { useTexts } from "./texts.js";

type Entry = AuditLogQuery["auditLog"]["nodes"][number];

/** The name of whoever made a change. */
export type NameOf = (entry: Pick<Entry, "actorId" | "actorKind">) => string;

/** Those who may have made changes, as far as the viewer may know them. */
interface Actors {
  /** The names of all by their IDs. */
  names: ReadonlyMap<string, string>;
  nameOf: NameOf;
}

/** Names who made a change. */
export function useActorNames(): Actors {
  const { auditLog } = useTexts();
  // Without a permission for the keys, these alone are missing.
  const [{ data }] = useQuery({ query: ActorsDocument });
  const users = data?.workspace.users?.map(({ id, fullName, email }): [string, string] => [
    id,
    fullName ?? email,
  ]);
  const keys = data?.workspace.apiKeys?.map(({ id, name }): [string, string] => [id, auditLog.apiKey(name)]);
  const names = new Map([...(users ?? []), ...(keys ?? [])]);
  const nameOf: NameOf = ({ actorId, actorKind }) =>
    actorKind === "FEED_SERVER" ? auditLog.feedServer : (names.get(actorId ?? "") ?? auditLog.someone);
  return { names, nameOf };
}
