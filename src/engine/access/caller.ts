import { Prisma } from "../../generated/prisma/client.js";
import { binaryArray } from "../../platform/binary-array.js";
import type { Database } from "../database/client.js";
import type { Caller } from "./permissions.js";

interface Holder {
  id: string;
  workspaceId: string;
  permissions: string[];
  removedCameraIds: string[];
  removedFacilityIds: string[];
}

/** A stored caller, with a query that detects changes. */
export interface StoredCaller {
  caller: Caller;
  /** Selects whether the caller is unchanged; null if it no longer exists. */
  unchangedQuery: Prisma.Sql;
  /** In how many milliseconds the access of a user next ends, in all or at a facility; null for never. */
  endsInMs?: number | null;
}

/**
 * Whether a user, or access at a facility, has not ended. Each instance and statement goes by the database's clock.
 * Callers are loaded with this condition, and it is in the check of cached ones.
 */
export const isLasting = Prisma.sql`("until" IS NULL OR "until" > clock_timestamp())`;

/** What is deleted and has alerts, which statements must hide. */
interface Removed {
  table: Prisma.Sql;
  isRemoved: Prisma.Sql;
}

const cameras: Removed = {
  table: Prisma.sql`"Camera"`,
  isRemoved: Prisma.sql`"removedAt" IS NOT NULL AND "keptUntil" IS NULL`,
};
const facilities: Removed = {
  table: Prisma.sql`"Facility"`,
  isRemoved: Prisma.sql`"removedAt" IS NOT NULL`,
};

const removedRows = ({ table, isRemoved }: Removed, workspaceId: string) => Prisma.sql`
  ARRAY(SELECT "id" FROM ${table} WHERE "workspaceId" = ${workspaceId}::uuid AND ${isRemoved} ORDER BY "id")`;

/** The columns of a caller with what is deleted in the workspace. */
const removedColumns = (workspaceId: string) =>
  Prisma.sql`${removedRows(cameras, workspaceId)} AS "removedCameraIds", ${removedRows(facilities, workspaceId)} AS "removedFacilityIds"`;

export interface CallerKey {
  workspaceId: string;
  id: string;
}

export async function findUserKey(
  { read }: Pick<Database, "read">,
  authId: string,
): Promise<CallerKey | undefined> {
  const [key] = await read<CallerKey>(
    Prisma.sql`SELECT "workspaceId", "userId" AS "id" FROM "AuthIdLookup" WHERE "authId" = ${authId}`,
  );
  return key;
}

export async function findApiKeyKey(
  { read }: Pick<Database, "read">,
  id: string,
): Promise<CallerKey | undefined> {
  const [key] = await read<CallerKey>(
    Prisma.sql`SELECT "workspaceId", "id" FROM "ApiKeyLookup" WHERE "id" = ${id}::uuid`,
  );
  return key;
}

/**
 * Loads a user with roles and facility accesses in one statement. Undefined if there is no such user, if the user does
 * not have the given subject or session, or if the user's access has ended.
 */
export async function loadUser(
  { read }: Pick<Database, "read">,
  { workspaceId, id, authId, sessionId }: CallerKey & { authId?: string; sessionId?: string | undefined },
): Promise<StoredCaller | undefined> {
  const ofSubject = authId === undefined ? Prisma.empty : Prisma.sql` AND "authId" = ${authId}`;
  const inSession =
    sessionId === undefined
      ? Prisma.empty
      : Prisma.sql` AND EXISTS (SELECT 1 FROM "Session" WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ${sessionId}::uuid AND "userId" = ${id}::uuid)`;
  const ofUser = Prisma.sql`"workspaceId" = ${workspaceId}::uuid AND "userId" = ${id}::uuid AND ${isLasting}`;
  const accesses = Prisma.sql`(SELECT coalesce(jsonb_object_agg("facilityId", "actions"), '{}') FROM "FacilityAccess" WHERE ${ofUser})`;
  const stored = Prisma.sql`FROM "User" WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ${id}::uuid AND ${isLasting}${ofSubject}${inSession}`;
  const end = Prisma.sql`least("until", (SELECT min("until") FROM "FacilityAccess" WHERE ${ofUser}))`;
  const holder = Prisma.sql`
    SELECT "id", "workspaceId", "roles" AS "permissions", ${removedColumns(workspaceId)}, ${accesses} AS "accesses",
      (extract(epoch FROM ${end} - clock_timestamp()) * 1000)::float8 AS "endsInMs" ${stored}`;
  const [found] = await read<
    Holder & { accesses: Record<string, string[]>; accessesHash: string; endsInMs: number | null }
  >(Prisma.sql`SELECT holder.*, md5("accesses"::text) AS "accessesHash" FROM (${holder}) AS holder`);
  if (!found) return undefined;
  const facilityPermissions = Object.entries(found.accesses).map(
    ([facilityId, actions]) => [facilityId, new Set(actions)] as const,
  );
  // Most users have access to the whole workspace, where little is deleted: finding no rows is cheaper than hashing
  // rows.
  const hasSameAccesses =
    facilityPermissions.length === 0
      ? Prisma.sql`NOT EXISTS (SELECT 1 FROM "FacilityAccess" WHERE ${ofUser})`
      : Prisma.sql`md5(${accesses}::text) = ${found.accessesHash}`;
  return {
    caller: caller("user", found, found.permissions, new Map(facilityPermissions)),
    endsInMs: found.endsInMs,
    unchangedQuery: Prisma.sql`
      SELECT "roles" = ${keptArray("text", found.permissions)}::text[] AND ${hasSameRemoved(found)} AND ${hasSameAccesses} ${stored}`,
  };
}

/** Whether a user is there whose access has ended. */
export async function hasEnded(
  { read }: Pick<Database, "read">,
  { workspaceId, id }: CallerKey,
): Promise<boolean> {
  const ended = await read(
    Prisma.sql`SELECT 1 FROM "User" WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ${id}::uuid AND NOT ${isLasting}`,
  );
  return ended.length > 0;
}

/** Encodes an array into its own memory: a cached value must not retain the pool of small buffers of Node.js. */
const keptArray = (type: "text" | "uuid", elements: readonly string[]) =>
  Buffer.from(new Uint8Array(binaryArray(type, elements)).buffer);

function hasSameRemoved({ workspaceId, removedCameraIds, removedFacilityIds }: Holder): Prisma.Sql {
  const isSame = (removed: Removed, ids: readonly string[]) =>
    ids.length > 0
      ? Prisma.sql`${removedRows(removed, workspaceId)} = ${keptArray("uuid", ids)}::uuid[]`
      : Prisma.sql`NOT EXISTS (SELECT 1 FROM ${removed.table} WHERE "workspaceId" = ${workspaceId}::uuid AND ${removed.isRemoved})`;
  return Prisma.sql`${isSame(cameras, removedCameraIds)} AND ${isSame(facilities, removedFacilityIds)}`;
}

/** A stored API key, with its permissions and the fields that decide whether it is valid. */
export interface StoredApiKey extends StoredCaller {
  secretHash: Uint8Array;
  /** The secret before the last rotation, which also works until {@link oldSecretUntil}. */
  oldSecretHash: Uint8Array | null;
  oldSecretUntil: Date | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
}

type KeyHolder = Holder &
  Omit<StoredApiKey, "caller" | "unchangedQuery"> & { allFacilities: boolean; facilityIds: string[] };

/** Loads an API key in one statement; undefined if there is none. */
export async function loadApiKey(
  { read }: Pick<Database, "read">,
  { workspaceId, id }: CallerKey,
): Promise<StoredApiKey | undefined> {
  const stored = Prisma.sql`FROM "ApiKey" WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ${id}::uuid`;
  const [key] = await read<KeyHolder>(
    Prisma.sql`
      SELECT "id", "workspaceId", "permissions", "allFacilities", "facilityIds", "secretHash", "oldSecretHash", "oldSecretUntil", "expiresAt", "revokedAt", "lastUsedAt",
        ${removedColumns(workspaceId)} ${stored}`,
  );
  if (!key) return undefined;
  const permissions = new Set(key.permissions);
  const atFacilities = new Map(key.facilityIds.map((facilityId) => [facilityId, permissions] as const));
  const holderOfKey = caller(
    "api-key",
    key,
    key.allFacilities ? key.permissions : [],
    key.allFacilities ? new Map() : atFacilities,
  );
  const unchangedQuery = Prisma.sql`
    SELECT "permissions" = ${keptArray("text", key.permissions)}::text[] AND "allFacilities" = ${key.allFacilities}
      AND "facilityIds" = ${keptArray("uuid", key.facilityIds)}::uuid[] AND "secretHash" = ${key.secretHash}
      AND "oldSecretHash" IS NOT DISTINCT FROM ${key.oldSecretHash} AND "oldSecretUntil" IS NOT DISTINCT FROM ${key.oldSecretUntil}
      AND "expiresAt" IS NOT DISTINCT FROM ${key.expiresAt} AND "revokedAt" IS NULL AND ${hasSameRemoved(key)} ${stored}`;
  return { ...key, caller: holderOfKey, unchangedQuery };
}

function caller(
  kind: Caller["kind"],
  holder: Holder,
  held: string[],
  facilityPermissions: ReadonlyMap<string, ReadonlySet<string>>,
): Caller {
  const { id, workspaceId, removedCameraIds, removedFacilityIds } = holder;
  return {
    kind,
    id,
    workspaceId,
    permissions: new Set(held),
    facilityPermissions,
    removedCameraIds,
    removedFacilityIds,
  };
}
