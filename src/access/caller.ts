import type { Database } from "../database/client.js";
import { Prisma } from "../generated/prisma/client.js";
import type { Caller } from "./permissions.js";

interface Holder {
  id: string;
  workspaceId: string;
  permissions: string[];
  removedCameraIds: string[];
}

/** A caller as stored, and how to ask whether that has changed. */
export interface StoredCaller {
  caller: Caller;
  /** Stands for everything that was read: another one when any of it has changed. */
  state: string;
  /** The subquery that answers the state of the moment; null when the caller is gone. */
  question: Prisma.Sql;
}

const removedCameras = (holder: string) =>
  Prisma.raw(
    `ARRAY(SELECT "id" FROM "Camera" WHERE "workspaceId" = ${holder}."workspaceId" AND "removedAt" IS NOT NULL ORDER BY "id") AS "removedCameraIds"`,
  );

/** What is remembered of a caller and what is asked about them later are compared: both are written by this. */
const state = Prisma.raw("md5(holder::text)");
const stateOf = (holder: Prisma.Sql) => Prisma.sql`SELECT ${state} FROM (${holder}) AS holder`;

/** The user of an identity provider's subject or of an id, with roles and facility accesses; nothing when there is none. One statement. */
export async function loadUser({ read }: Database, user: { authId: string } | { id: string }): Promise<StoredCaller | undefined> {
  const isMeant = "authId" in user ? Prisma.sql`"authId" = ${user.authId}` : Prisma.sql`"id" = ${user.id}::uuid`;
  const holder = Prisma.sql`
    SELECT "id", "workspaceId", "roles" AS "permissions", ${removedCameras('"User"')},
      (SELECT coalesce(jsonb_object_agg("facilityId", "actions"), '{}') FROM "FacilityAccess" WHERE "userId" = "User"."id") AS "accesses"
    FROM "User" WHERE ${isMeant}`;
  const [found] = await read<Holder & { accesses: Record<string, string[]>; state: string }>(
    Prisma.sql`SELECT holder.*, ${state} AS "state" FROM (${holder}) AS holder`,
  );
  if (!found) return undefined;
  const accesses = Object.entries(found.accesses).map(([facilityId, actions]) => [facilityId, new Set(actions)] as const);
  return { caller: caller("user", found, found.permissions, new Map(accesses)), state: found.state, question: stateOf(holder) };
}

/** A stored API key: what it allows, and what is needed to tell whether it is good. */
export interface StoredApiKey extends StoredCaller {
  secretHash: Uint8Array;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
}

type KeyHolder = Holder & Omit<StoredApiKey, "caller" | "question"> & { allFacilities: boolean; facilityIds: string[] };

/** The API key of an id; nothing when there is none. One statement. */
export async function loadApiKey({ read }: Database, id: string): Promise<StoredApiKey | undefined> {
  const holder = Prisma.sql`
    SELECT "id", "workspaceId", "permissions", "allFacilities", "facilityIds", "secretHash", "expiresAt", "revokedAt", ${removedCameras('"ApiKey"')}
    FROM "ApiKey" WHERE "id" = ${id}::uuid`;
  const [key] = await read<KeyHolder>(
    Prisma.sql`
      SELECT holder.*, ${state} AS "state", used."lastUsedAt"
      FROM (${holder}) AS holder JOIN "ApiKey" AS used ON used."id" = holder."id"`,
  );
  if (!key) return undefined;
  const held = new Set(key.permissions);
  const limited = new Map(key.facilityIds.map((facilityId) => [facilityId, held] as const));
  const holderOfKey = caller("api-key", key, key.allFacilities ? key.permissions : [], key.allFacilities ? new Map() : limited);
  return { ...key, caller: holderOfKey, question: stateOf(holder) };
}

function caller(kind: Caller["kind"], holder: Holder, held: string[], facilityPermissions: ReadonlyMap<string, ReadonlySet<string>>): Caller {
  const { id, workspaceId, removedCameraIds } = holder;
  return { kind, id, workspaceId, permissions: new Set(held), facilityPermissions, removedCameraIds };
}
