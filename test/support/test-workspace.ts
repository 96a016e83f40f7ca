import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { type Permission, permissions } from "../../src/engine/access/permissions.js";
import { Prisma, type PrismaClient } from "../../src/generated/prisma/client.js";
import { createAlertRule, createAlerts, newApiKey } from "./factories.js";
import type { Gateway, Sender } from "./harness.js";
import type { RouteCase } from "./route-cases.js";
import { uuids } from "./uuids.js";

/** A kind of caller, as a user and as an API key with the same permissions. */
interface CallerPair {
  user: Sender;
  key: Sender;
}

/** The caller that an endpoint accepts; "nobody" if it needs no credentials. */
export function senderFor(each: RouteCase, { user, key }: CallerPair): Sender {
  if (each.open) return "nobody";
  return each.basicOnly ? key : user;
}

/** A row besides those of each workspace. */
export type MadeRow =
  | "ruleId"
  | "commentId"
  | "deliveryId"
  | "apiKeyId"
  | "viewId"
  | "sessionId"
  | "invitationId"
  | "changeId";

/** A workspace for one test, which no other test sees. */
export interface TestWorkspace {
  number: number;
  /** The ids in the paths and queries of valid requests. */
  ids: Record<"workspaceId" | "facilityId" | "cameraId" | "alertId" | "requestId", string>;
  /** The same in another facility of the workspace. */
  beside: Record<"facilityId" | "cameraId" | "alertId" | "requestId", string>;
  /** All of the first facility's alerts, two of each of its two cameras. */
  alertIds: string[];
  /** The ids of rows that calls of mutations have needed, and that were made for them. */
  made: Partial<Record<MadeRow, string>>;
  adminId: string;
  localId: string;
  /** A user without permissions. */
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

/** The creation time of everything in a workspace. */
const made = new Date("2026-11-01T08:00:00.000Z");
const oldUrl = "rtsp://operator:s3:cret@camera.example/yard";

const all: Permission[] = [...permissions];
const unasked: Permission[] = ["api-keys:write"];

/** The number of the next workspace that is given none. */
let nextNumber = 100_000;

/** Creates the n-th workspace, with fixed ids. */
export async function createTestWorkspace(
  prisma: PrismaClient,
  number = nextNumber++,
): Promise<TestWorkspace> {
  const [workspace] = await createTestWorkspaces(prisma, [number]);
  return workspace as TestWorkspace;
}

/**
 * Creates workspaces, with fixed ids, by their numbers: with few statements, since some
 * tests make hundreds.
 */
export async function createTestWorkspaces(
  prisma: PrismaClient,
  numbers: readonly number[],
): Promise<TestWorkspace[]> {
  const sets = numbers.map(rowsOf);
  await prisma.workspace.createMany({ data: sets.map(({ workspaceId: id }) => ({ id, name: "Ours" })) });
  await prisma.facility.createMany({ data: sets.flatMap(({ facilities }) => facilities) });
  await prisma.camera.createMany({ data: sets.flatMap(({ cameras }) => cameras) });
  const requests = sets.flatMap((set) => set.requests);
  await prisma.streamRequest.createMany({ data: requests });
  await prisma.streamRequestLookup.createMany({
    data: requests.map(({ requestId, workspaceId }) => ({ requestId, workspaceId })),
  });
  for (const { rule, alerts } of sets) {
    await createAlertRule(prisma, rule);
    await createAlerts(prisma, alerts);
  }
  const users = sets.flatMap((set) => set.users);
  await prisma.$transaction([
    prisma.user.createMany({ data: users }),
    prisma.authIdLookup.createMany({
      data: users.map(({ authId, workspaceId, id: userId }) => ({ authId, workspaceId, userId })),
    }),
    prisma.emailLookup.createMany({
      data: users.map(({ email, workspaceId, id: userId }) => ({ email, workspaceId, userId })),
    }),
  ]);
  await prisma.facilityAccess.createMany({ data: sets.flatMap(({ accesses }) => accesses) });
  const keys = sets.flatMap((set) => Object.values(set.keys));
  await prisma.apiKey.createMany({ data: keys.map(({ row }) => row) });
  await prisma.apiKeyLookup.createMany({
    data: keys.map(({ id, row: { workspaceId } }) => ({ id, workspaceId })),
  });
  return sets.map(workspaceOf);
}

/** The rows of the n-th workspace. */
function rowsOf(number: number) {
  const id = (item: number) => fixedId(number, item);
  const [workspaceId, facilityId, besideId] = [id(1), id(11), id(12)];
  const times = { createdAt: made, updatedAt: made };
  const stream = { url: oldUrl, streamType: "VPN", streamProtocol: "RTSP" } as const;
  const facility = { workspaceId, timeZoneId: "Europe/Istanbul" };
  const camera = (item: number, name: string, place: string) => ({
    ...{ id: id(item), workspaceId, facilityId: place, name, ...times },
  });
  const request = (item: number, requestItem: number, cameraItem: number) => ({
    ...{ id: id(item), workspaceId, requestId: id(requestItem), cameraId: id(cameraItem) },
    ...{ ...stream, createdAt: made, expiresAt: new Date("2100-01-01T00:00:00Z") },
  });
  const alert = (item: number, cameraItem: number, place: string) => ({
    ...{ id: id(item), workspaceId, facilityId: place, cameraId: id(cameraItem) },
  });
  const user = (item: number, name: string, roles: Permission[]) => ({
    ...{ id: id(item), workspaceId, authId: authIdOf(number, name), email: `${name}@test.example`, roles },
    ...{ firstName: "Ada", lastName: "Lovelace", jobTitle: "Safety", ...times },
  });
  const access = (item: number, actions: Permission[]) => ({
    ...{ userId: id(item), facilityId, workspaceId, actions },
  });
  const key = (held: Permission[], facilityIds?: string[]) =>
    newApiKey({ workspaceId, permissions: held, ...(facilityIds && { facilityIds }) });
  return {
    number,
    workspaceId,
    facilities: [
      { id: facilityId, name: "Quay", ...facility },
      { id: besideId, name: "Beside", ...facility },
    ],
    cameras: [
      {
        ...{ ...camera(21, "Yard", facilityId), ...stream },
        ...{ emailAddresses: ["ada@test.example"], facilityNodeId: id(41) },
      },
      camera(22, "Wharf", facilityId),
      camera(23, "Hall", besideId),
    ],
    requests: [request(71, 72, 21), request(73, 74, 23)],
    rule: { id: id(61), workspaceId, cameraId: id(21) },
    alerts: [
      { ...alert(31, 21, facilityId), alertRuleId: id(61) },
      alert(32, 21, facilityId),
      alert(33, 22, facilityId),
      alert(34, 22, facilityId),
      alert(35, 23, besideId),
    ],
    users: [user(51, "admin", all), user(52, "local", []), user(53, "onlooker", []), user(54, "member", [])],
    accesses: [access(52, all), access(53, unasked)],
    keys: { admin: key(all), local: key(all, [facilityId]), onlooker: key(unasked, [facilityId]) },
  };
}

const authIdOf = (number: number, name: string) => `workspace ${number}|${name}`;

function workspaceOf({ number, workspaceId, keys }: ReturnType<typeof rowsOf>): TestWorkspace {
  const id = (item: number) => fixedId(number, item);
  const user = (name: string) => ({ user: authIdOf(number, name) });
  const pair = (name: keyof typeof keys): CallerPair => ({ user: user(name), key: keys[name] });
  return {
    number,
    ids: { workspaceId, facilityId: id(11), cameraId: id(21), alertId: id(31), requestId: id(72) },
    beside: { facilityId: id(12), cameraId: id(23), alertId: id(35), requestId: id(74) },
    alertIds: [id(31), id(32), id(33), id(34)],
    made: {},
    adminId: id(51),
    localId: id(52),
    memberId: id(54),
    admin: pair("admin"),
    local: pair("local"),
    onlooker: pair("onlooker"),
    member: user("member"),
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

/**
 * Everything in a workspace that a write may change, as its admin sees it through
 * GraphQL. After the same writes, two workspaces have equal states: fixed ids appear
 * without their workspace, generated ids as a placeholder, and links without their
 * signatures.
 */
export async function stateOf(gateway: Gateway, workspace: TestWorkspace): Promise<unknown> {
  const data = await gateway.data<object>(everything, { as: workspace.admin.user });
  const unsigned = JSON.stringify(data).replaceAll(/\?expires=\d+&signature=[\w-]+/g, "");
  const text = unsigned.replaceAll(uuids, (id) => {
    const [, owner, item] = /^b0000000-0000-4000-8000-(\d{6})(\d{6})$/.exec(id) ?? [];
    if (item === undefined) return id.startsWith("a0000000-") ? id : "made by the gateway";
    return Number(owner) === workspace.number ? `item ${Number(item)}` : id;
  });
  // New objects have the database's time, which no clock of the tests can stop.
  const isMade = (value: unknown) =>
    typeof value === "object" && value !== null && "id" in value && value.id === "made by the gateway";
  const state = JSON.parse(text, (_name, value) =>
    isMade(value) ? { ...value, updatedAt: undefined } : value,
  );
  // The clock stands still, so entries of one moment have no defined order.
  state.auditLog.nodes.sort((one: object, other: object) =>
    JSON.stringify(one) < JSON.stringify(other) ? -1 : 1,
  );
  return state;
}

// Skip ObjectRemoval: objects wait there for their removal, whatever the outcome of the
// request that stored them. Ignore `lastUsedAt`, the last use of a key.
const tables = Object.values(Prisma.ModelName).filter((name) => name !== "ObjectRemoval");
const fingerprints = tables
  .map(
    (name) => `SELECT '${name}' AS "table", md5(string_agg(text, '\n' ORDER BY text)) AS "fingerprint"
    FROM (SELECT (to_jsonb(item) - 'lastUsedAt')::text AS text FROM "${name}" AS item) AS rows`,
  )
  .join(" UNION ALL ");

/**
 * The end of the write-ahead log. While it does not move, nothing was written, and the
 * tables need not be read again. It may move for other reasons: writes to other databases
 * of the server, or the time at which a key was last used.
 */
export async function walPosition({ prisma }: Gateway): Promise<string> {
  // Each node of a cluster has its own log.
  if (inject("resources").server?.isCluster) return randomUUID();
  const [row] = await prisma.$queryRaw<
    { position: string }[]
  >`SELECT pg_current_wal_insert_lsn()::text AS "position"`;
  return row?.position as string;
}

/** Fingerprints of all tables, to detect any write. */
export async function tablesOf({ prisma }: Pick<Gateway, "prisma">): Promise<Record<string, string | null>> {
  const rows = await prisma.$queryRawUnsafe<{ table: string; fingerprint: string | null }[]>(fingerprints);
  return Object.fromEntries(rows.map(({ table, fingerprint }) => [table, fingerprint]));
}
