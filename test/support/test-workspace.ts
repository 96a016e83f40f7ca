import { type Permission, permissions } from "../../src/access/permissions.js";
import { Prisma, type PrismaClient } from "../../src/generated/prisma/client.js";
import { createAlertRule, createAlerts, createApiKey, createCamera, createFacility, createUser, createWorkspace, grantAccess } from "./factories.js";
import type { Gateway, Sender } from "./harness.js";
import type { RouteCase } from "./route-cases.js";

/** A kind of caller, as a user and as an API key with the same permissions. */
export interface CallerPair {
  user: Sender;
  key: Sender;
}

/** The caller that an endpoint accepts; "nobody" where it needs no credentials. */
export function senderFor(each: RouteCase, { user, key }: CallerPair): Sender {
  if (each.open) return "nobody";
  return each.basicOnly ? key : user;
}

/** A workspace for one test, which no other test sees. */
export interface TestWorkspace {
  number: number;
  /** What the paths and queries of good requests name. */
  ids: Record<"workspaceId" | "facilityId" | "cameraId" | "alertId" | "requestId", string>;
  /** The same in another facility of the workspace. */
  beside: Record<"facilityId" | "cameraId" | "alertId" | "requestId", string>;
  /** All of the first facility's alerts, two of each of its two cameras. */
  alertIds: string[];
  adminId: string;
  localId: string;
  /** A user who holds nothing. */
  memberId: string;
  member: Sender;
  /** Holds everything in the workspace. */
  admin: CallerPair;
  /** Holds everything at the first facility alone. */
  local: CallerPair;
  /** Sees the first facility by a permission that no endpoint asks for. */
  onlooker: CallerPair;
}

export const fixedId = (workspace: number, item: number) =>
  `b0000000-0000-4000-8000-${String(workspace).padStart(6, "0")}${String(item).padStart(6, "0")}`;

/** When everything in a workspace was created. */
export const made = new Date("2026-11-01T08:00:00.000Z");
export const oldUrl = "rtsp://operator:s3:cret@camera.example/yard";

const all: Permission[] = [...permissions];
const unasked: Permission[] = ["api-keys:write"];

/** Creates the n-th workspace, with fixed ids. */
export async function createTestWorkspace(prisma: PrismaClient, number: number): Promise<TestWorkspace> {
  const id = (item: number) => fixedId(number, item);
  const workspaceId = await createWorkspace(prisma, { id: id(1), name: "Ours" });
  const facilityId = await createFacility(prisma, { id: id(11), workspaceId, name: "Quay" });
  const besideId = await createFacility(prisma, { id: id(12), workspaceId, name: "Beside" });
  const times = { createdAt: made, updatedAt: made };
  const camera = { workspaceId, facilityId, ...times };
  const stream = { url: oldUrl, streamType: "VPN", streamProtocol: "RTSP" } as const;
  await createCamera(prisma, { id: id(21), ...camera, name: "Yard", ...stream, emailAddresses: ["ada@test.example"], facilityNodeId: id(41) });
  await createCamera(prisma, { id: id(22), ...camera, name: "Wharf" });
  await createCamera(prisma, { id: id(23), ...camera, facilityId: besideId, name: "Hall" });
  const request = { ...stream, createdAt: made, expiresAt: new Date("2100-01-01T00:00:00Z") };
  await prisma.streamRequest.create({ data: { id: id(71), requestId: id(72), cameraId: id(21), ...request } });
  await prisma.streamRequest.create({ data: { id: id(73), requestId: id(74), cameraId: id(23), ...request } });
  await createAlertRule(prisma, { id: id(61), cameraId: id(21) });
  const alertOf = (item: number, cameraItem: number, place: string) => ({ id: id(item), workspaceId, facilityId: place, cameraId: id(cameraItem) });
  await createAlerts(prisma, [
    { ...alertOf(31, 21, facilityId), alertRuleId: id(61) },
    alertOf(32, 21, facilityId),
    alertOf(33, 22, facilityId),
    alertOf(34, 22, facilityId),
    alertOf(35, 23, besideId),
  ]);
  const sender = (name: string): Sender => ({ user: `workspace ${number}|${name}` });
  const user = async (item: number, name: string, roles: string[], actions: Permission[] = []) => {
    const profile = { email: `${name}@test.example`, firstName: "Ada", lastName: "Lovelace", jobTitle: "Safety", ...times };
    const userId = await createUser(prisma, { id: id(item), workspaceId, authId: `workspace ${number}|${name}`, roles, ...profile });
    if (actions.length > 0) await grantAccess(prisma, { userId, facilityId, workspaceId, actions });
    return sender(name);
  };
  const key = (held: Permission[], facilityIds?: string[]) =>
    createApiKey(prisma, { workspaceId, permissions: held, ...(facilityIds && { facilityIds }) });
  return {
    number,
    ids: { workspaceId, facilityId, cameraId: id(21), alertId: id(31), requestId: id(72) },
    beside: { facilityId: besideId, cameraId: id(23), alertId: id(35), requestId: id(74) },
    alertIds: [id(31), id(32), id(33), id(34)],
    adminId: id(51),
    localId: id(52),
    memberId: id(54),
    admin: { user: await user(51, "admin", all), key: await key(all) },
    local: { user: await user(52, "local", [], all), key: await key(all, [facilityId]) },
    onlooker: { user: await user(53, "onlooker", [], unasked), key: await key(unasked, [facilityId]) },
    member: await user(54, "member", []),
  };
}

const everything = `{
  workspace { users {
    id email firstName lastName fullName jobTitle roles picture updatedAt phoneNumber { nationalNumber region countryCode e164Format }
  } }
  facilities {
    id name lastHeartbeatAt online cameraCount
    access { user { id } actions }
    cameras {
      id name url streamType streamProtocol emailAddresses imageDimensions { width height } facilityNodeId status statusDetail imageLink
      thumbnailUrl advancedSettings updatedAt
      alertRules { id }
      statusHistory(first: 10) { nodes { statusDetail source createdAt } }
      streamRequests(first: 10) { nodes {
        streamType streamProtocol createdAt expiresAt supersededAt thumbnailUrl metadata errorOperation errorMessage lastCallbackAt
      } }
    }
    alerts(first: 1000) { nodes { id cameraId } }
  }
  auditLog(first: 1000) { nodes { action actorKind actorId targetType targetId facilityId changes createdAt } }
}`;

/** Gateway options for {@link stateOf}: a fixed clock, and no limit to the cost of a query. */
export const stateSettings = (moment: Date) => ({ seed: "none" as const, now: () => moment, environment: { MAX_QUERY_COST: "100000000" } });

/**
 * Everything in a workspace that a write may change, as its admin sees it through GraphQL. After the same writes, two
 * workspaces have equal states: fixed ids appear without their workspace, generated ids as a placeholder, and links
 * without their signatures.
 */
export async function stateOf(gateway: Gateway, workspace: TestWorkspace): Promise<unknown> {
  const data = await gateway.data<object>(everything, { as: workspace.admin.user });
  const unsigned = JSON.stringify(data).replaceAll(/\?expires=\d+&signature=[\w-]+/g, "");
  const text = unsigned.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
    const [, owner, item] = /^b0000000-0000-4000-8000-(\d{6})(\d{6})$/.exec(id) ?? [];
    if (item === undefined) return id.startsWith("a0000000-") ? id : "made by the gateway";
    return Number(owner) === workspace.number ? `item ${Number(item)}` : id;
  });
  // What is made has the database's time, which no clock of ours can stop.
  const isMade = (value: unknown) => typeof value === "object" && value !== null && "id" in value && value.id === "made by the gateway";
  const state = JSON.parse(text, (_name, value) => (isMade(value) ? { ...value, updatedAt: undefined } : value));
  // The clock stands still: entries of one moment have no order of their own.
  state.auditLog.nodes.sort((one: object, other: object) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  return state;
}

// Objects wait there to be removed whatever came of the request that stored them, and keys say when they were last used.
const tables = Object.values(Prisma.ModelName).filter((name) => name !== "ObjectRemoval");
const fingerprints = tables
  .map(
    (name) => `SELECT '${name}' AS "table", md5(string_agg(text, '\n' ORDER BY text)) AS "fingerprint"
    FROM (SELECT (to_jsonb(item) - 'lastUsedAt')::text AS text FROM "${name}" AS item) AS rows`,
  )
  .join(" UNION ALL ");

/**
 * The end of the write-ahead log. While it does not move, nothing was written, and the tables need not be read again. It
 * may move for other reasons: writes to other databases of the server, or the time at which a key was last used.
 */
export async function walPosition({ prisma }: Gateway): Promise<string> {
  const [row] = await prisma.$queryRaw<{ position: string }[]>`SELECT pg_current_wal_insert_lsn()::text AS "position"`;
  return row?.position as string;
}

/** Fingerprints of all tables, to detect any write. */
export async function tablesOf({ prisma }: Gateway): Promise<Record<string, string | null>> {
  const rows = await prisma.$queryRawUnsafe<{ table: string; fingerprint: string | null }[]>(fingerprints);
  return Object.fromEntries(rows.map(({ table, fingerprint }) => [table, fingerprint]));
}
