import { Prisma, type PrismaClient } from "../generated/prisma/client.js";
import type { Caller } from "./permissions.js";

interface Holder {
  id: string;
  workspaceId: string;
  permissions: string[];
  removedCameraIds: string[];
}

const removedCameras = (holder: string) =>
  Prisma.raw(`ARRAY(SELECT "id" FROM "Camera" WHERE "workspaceId" = ${holder}."workspaceId" AND "removedAt" IS NOT NULL) AS "removedCameraIds"`);

/** The user of an identity provider's subject, with roles and facility accesses; nothing when there is none. One statement. */
export async function loadUser(prisma: PrismaClient, authId: string): Promise<Caller | undefined> {
  const [user] = await prisma.$queryRaw<(Holder & { accesses: Record<string, string[]> })[]>`
    SELECT "id", "workspaceId", "roles" AS "permissions", ${removedCameras('"User"')},
      (SELECT coalesce(jsonb_object_agg("facilityId", "actions"), '{}') FROM "FacilityAccess" WHERE "userId" = "User"."id") AS "accesses"
    FROM "User" WHERE "authId" = ${authId}`;
  if (!user) return undefined;
  const accesses = Object.entries(user.accesses).map(([facilityId, actions]) => [facilityId, new Set(actions)] as const);
  return caller("user", user, user.permissions, new Map(accesses));
}

/** A stored API key: what it allows, and what is needed to tell whether it is good. */
export interface StoredApiKey {
  caller: Caller;
  secretHash: Uint8Array;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
}

type KeyHolder = Holder & Omit<StoredApiKey, "caller"> & { allFacilities: boolean; facilityIds: string[] };

/** The API key of an id; nothing when there is none. One statement. */
export async function loadApiKey(prisma: PrismaClient, id: string): Promise<StoredApiKey | undefined> {
  const [key] = await prisma.$queryRaw<KeyHolder[]>`
    SELECT "id", "workspaceId", "permissions", "allFacilities", "facilityIds", "secretHash", "expiresAt", "revokedAt", "lastUsedAt",
      ${removedCameras('"ApiKey"')}
    FROM "ApiKey" WHERE "id" = ${id}::uuid`;
  if (!key) return undefined;
  const held = new Set(key.permissions);
  const limited = new Map(key.facilityIds.map((facilityId) => [facilityId, held] as const));
  return { ...key, caller: caller("api-key", key, key.allFacilities ? key.permissions : [], key.allFacilities ? new Map() : limited) };
}

function caller(kind: Caller["kind"], holder: Holder, held: string[], facilityPermissions: ReadonlyMap<string, ReadonlySet<string>>): Caller {
  const { id, workspaceId, removedCameraIds } = holder;
  return { kind, id, workspaceId, permissions: new Set(held), facilityPermissions, removedCameraIds };
}
