import { isLasting } from "../../../engine/access/caller.js";
import {
  type AlertRule,
  type Camera,
  type Delivery,
  Prisma,
  type PrismaClient,
  type StreamRequest,
} from "../../../generated/prisma/client.js";
import { isAnnotatable } from "../../alert/pictures/annotated-picture.service.js";
import { foldedEmail } from "../../user/auth-id-lookup.js";
import { isChannel, targetKey, targetsOfCamera, targetsOfRule } from "../channels/delivery-channels.js";
import type {
  DeliveryContent,
  NotificationContent,
  NotifiedAlert,
  StreamRequestContent,
} from "./delivery-content.js";
import { personalMailContents } from "./personal-mail-content.js";

/** Reads the content of deliveries, in the same order. Undefined for deliveries that nobody wants any more. */
export async function contentOf(
  prisma: PrismaClient,
  workspaceId: string,
  deliveries: readonly Delivery[],
  { now, heartbeatTimeout }: { now: Date; heartbeatTimeout: number },
): Promise<(DeliveryContent | undefined)[]> {
  const toPeople = deliveries.filter(({ facilityId }) => facilityId === null);
  const others = deliveries.filter(({ facilityId }) => facilityId !== null);
  const contents = await Promise.all([
    others.length > 0 ? facilityContents(prisma, workspaceId, others, now) : [],
    toPeople.length > 0 ? personalMailContents(prisma, workspaceId, toPeople, { now, heartbeatTimeout }) : [],
  ]);
  const byId = new Map(contents.flat().map((content) => [content?.delivery.id, content]));
  return deliveries.map(({ id }) => byId.get(id));
}

/**
 * Undefined for a delivery if what it is about was deleted, its target is no longer named or is a person whose access
 * has ended, or its request is over.
 */
async function facilityContents(
  prisma: PrismaClient,
  workspaceId: string,
  deliveries: readonly Delivery[],
  now: Date,
): Promise<(NotificationContent | StreamRequestContent | undefined)[]> {
  const idsOf = (column: "facilityId" | "cameraId" | "alertId" | "alertRuleId" | "streamRequestId") => [
    ...new Set(deliveries.map((delivery) => delivery[column]).filter((id) => id !== null)),
  ];
  const ofWorkspace = (ids: string[]) => ({ where: { workspaceId, id: { in: ids } } });
  const offlineFacilityIds = deliveries.flatMap(({ cameraId, facilityId }) =>
    cameraId === null && facilityId !== null ? [facilityId] : [],
  );
  const streamRequestIds = idsOf("streamRequestId");
  const [ended, facilities, cameras, alerts, alertRules, streamRequests, timeZones] = await Promise.all([
    endedAddresses(prisma, workspaceId, deliveries),
    prisma.facility.findMany({ where: { workspaceId, id: { in: idsOf("facilityId") }, removedAt: null } }),
    prisma.camera.findMany({
      where: {
        workspaceId,
        removedAt: null,
        OR: [{ id: { in: idsOf("cameraId") } }, { facilityId: { in: offlineFacilityIds } }],
      },
    }),
    prisma.$queryRaw<NotifiedAlert[]>(Prisma.sql`
      SELECT item.*, ${isAnnotatable} AS "isAnnotatable", clip."key" AS "clipKey" FROM "Alert" AS item
      LEFT JOIN "AlertClip" AS clip ON clip."workspaceId" = item."workspaceId" AND clip."alertId" = item."id"
      WHERE item."workspaceId" = ${workspaceId}::uuid AND item."id" = ANY(${idsOf("alertId")}::uuid[])`),
    prisma.alertRule.findMany(ofWorkspace(idsOf("alertRuleId"))),
    streamRequestIds.length > 0 ? prisma.streamRequest.findMany(ofWorkspace(streamRequestIds)) : [],
    timeZonesOfReaders(prisma, workspaceId, deliveries),
  ]);
  const facilityOf = finderOf(facilities);
  const cameraOf = finderOf(cameras);
  const alertOf = finderOf(alerts);
  const alertRuleOf = finderOf(alertRules);
  const streamRequestOf = finderOf(streamRequests);
  return deliveries.map((delivery) => {
    const facility = facilityOf(delivery.facilityId);
    const camera = cameraOf(delivery.cameraId);
    const alert = alertOf(delivery.alertId);
    const alertRule = alertRuleOf(delivery.alertRuleId);
    const streamRequest = streamRequestOf(delivery.streamRequestId);
    if (!facility || (delivery.cameraId && !camera) || (delivery.alertId && !alert)) return undefined;
    if (streamRequest)
      return isAwaited(streamRequest, now) ? { kind: "streamRequest", delivery, streamRequest } : undefined;
    const notified = camera
      ? [camera]
      : cameras.filter(({ facilityId }) => facilityId === delivery.facilityId);
    if (delivery.streamRequestId !== null || !isNamed(delivery, alertRule, notified, ended)) return undefined;
    const readersTimeZone = timeZones.get(foldedEmail(delivery.target));
    return { kind: "notification", delivery, facility, camera, alert, alertRule, readersTimeZone };
  });
}

/** The time zones that users chose for their digests, by the addresses of mails. */
async function timeZonesOfReaders(
  prisma: PrismaClient,
  workspaceId: string,
  deliveries: readonly Delivery[],
): Promise<Map<string, string>> {
  const mails = deliveries.filter(({ channel }) => channel === "EMAIL");
  if (mails.length === 0) return new Map();
  const email = { in: [...new Set(mails.map(({ target }) => foldedEmail(target)))] };
  const readers = await prisma.emailLookup.findMany({ where: { email, workspaceId } });
  const userId = { in: readers.map((reader) => reader.userId) };
  const digests = await prisma.digest.findMany({ where: { workspaceId, userId } });
  const zones = new Map(digests.map((digest) => [digest.userId, digest.timeZoneId]));
  return new Map(
    readers.flatMap((reader): [string, string][] => {
      const zone = zones.get(reader.userId);
      return zone === undefined ? [] : [[reader.email, zone]];
    }),
  );
}

/** The targets that are email addresses and phone numbers of users alone whose access has ended, in lower case. */
async function endedAddresses(
  prisma: PrismaClient,
  workspaceId: string,
  deliveries: readonly Delivery[],
): Promise<ReadonlySet<string>> {
  const targets = [...new Set(deliveries.map(({ target }) => target.toLowerCase()))];
  const [ofWorkspace, addresses] = [
    Prisma.sql`"workspaceId" = ${workspaceId}::uuid`,
    Prisma.sql`ARRAY[lower("email" COLLATE "C"), "phoneNumber" ->> 'e164Format']`,
  ];
  const ended = await prisma.$queryRaw<{ address: string }[]>(Prisma.sql`
    SELECT "address" FROM "User" CROSS JOIN unnest(${addresses}) AS own("address")
    WHERE ${ofWorkspace} AND "until" <= clock_timestamp() AND "address" = ANY(${targets}::text[])
      AND NOT EXISTS (SELECT 1 FROM "User" WHERE ${ofWorkspace} AND ${isLasting} AND own."address" = ANY(${addresses}))`);
  return new Set(ended.map(({ address }) => address));
}

function finderOf<Row extends { id: string }>(rows: readonly Row[]) {
  const byId = new Map<string | null, Row>(rows.map((row) => [row.id, row]));
  return (id: string | null) => byId.get(id) ?? null;
}

/** Whether the feed server has yet to get the request. */
const isAwaited = ({ nextDeliveryAt, supersededAt, expiresAt }: StreamRequest, now: Date): boolean =>
  nextDeliveryAt !== null && supersededAt === null && expiresAt > now;

function isNamed(
  { kind, channel, target }: Delivery,
  rule: AlertRule | null,
  cameras: readonly Camera[],
  ended: ReadonlySet<string>,
): boolean {
  // Whoever sends it gives up a delivery of a channel that only a newer version knows.
  if (!isChannel(channel)) return true;
  const key = targetKey(channel, target);
  // A rule that is no longer active notifies nobody, so that people can stop a flood of alerts. It can still be tested.
  const isHeard = rule && (kind === "TEST" || rule.status === "ACTIVE");
  const named = [
    ...(isHeard ? targetsOfRule(channel, rule) : []),
    ...(kind === "TEST" ? [] : cameras.flatMap((camera) => targetsOfCamera(channel, camera))),
  ];
  return !ended.has(target.toLowerCase()) && named.some((each) => targetKey(channel, each) === key);
}
