import { isAnnotatable } from "../../alert/pictures/annotated-picture.service.js";
import {
  type Alert,
  type AlertRule,
  type Camera,
  type Delivery,
  type Facility,
  Prisma,
  type PrismaClient,
  type StreamRequest,
} from "../../generated/prisma/client.js";
import { type PersonalMailContent, personalMailContent } from "./personal-mail-content.js";

/** The part of an alert that messages show. */
export type ToldAlert = Omit<
  Alert,
  "facilityId" | "recordedAt" | `${string}Changed${string}` | `acknowledged${string}`
> & { isAnnotatable: boolean };

/** A pending delivery, and the objects of its message. */
export type DeliveryContent = NotificationContent | PersonalMailContent;

/** The content of a notification or stream request. */
export interface NotificationContent {
  delivery: Delivery;
  facility: Facility;
  /** Null for outages of a facility. */
  camera: Camera | null;
  /** Null for outages and tests. */
  alert: ToldAlert | null;
  /** Null without a rule, and if the rule has been deleted. */
  alertRule: AlertRule | null;
  /** Null for notifications. */
  streamRequest: StreamRequest | null;
}

/**
 * Reads the content of deliveries, in the same order. Undefined for deliveries that
 * nobody wants any more.
 */
export async function contentOf(
  prisma: PrismaClient,
  workspaceId: string,
  deliveries: readonly Delivery[],
  { now, heartbeatTimeout }: { now: Date; heartbeatTimeout: number },
): Promise<(DeliveryContent | undefined)[]> {
  const toPeople = deliveries.filter(({ facilityId }) => facilityId === null);
  const others = deliveries.filter(({ facilityId }) => facilityId !== null);
  const contents = await Promise.all([
    others.length > 0 ? notificationContent(prisma, workspaceId, others, now) : [],
    toPeople.length > 0 ? personalMailContent(prisma, workspaceId, toPeople, { now, heartbeatTimeout }) : [],
  ]);
  const byId = new Map(contents.flat().map((content) => [content?.delivery.id, content]));
  return deliveries.map(({ id }) => byId.get(id));
}

/**
 * Undefined for a delivery if someone has deleted the alert, the camera or the facility,
 * if the rule or camera no longer names the target, or if the stream request has expired
 * or been superseded.
 */
async function notificationContent(
  prisma: PrismaClient,
  workspaceId: string,
  deliveries: readonly Delivery[],
  now: Date,
): Promise<(NotificationContent | undefined)[]> {
  const idsOf = (column: "facilityId" | "cameraId" | "alertId" | "alertRuleId" | "streamRequestId") => [
    ...new Set(deliveries.map((delivery) => delivery[column]).filter((id) => id !== null)),
  ];
  const ofWorkspace = (ids: string[]) => ({ where: { workspaceId, id: { in: ids } } });
  const offlineFacilityIds = deliveries.flatMap(({ cameraId, facilityId }) =>
    cameraId === null && facilityId !== null ? [facilityId] : [],
  );
  const streamRequestIds = idsOf("streamRequestId");
  const [facilities, cameras, alerts, alertRules, streamRequests] = await Promise.all([
    prisma.facility.findMany({ where: { workspaceId, id: { in: idsOf("facilityId") }, removedAt: null } }),
    prisma.camera.findMany({
      where: {
        workspaceId,
        removedAt: null,
        OR: [{ id: { in: idsOf("cameraId") } }, { facilityId: { in: offlineFacilityIds } }],
      },
    }),
    prisma.$queryRaw<ToldAlert[]>(Prisma.sql`
      SELECT item.*, ${isAnnotatable} AS "isAnnotatable" FROM "Alert" AS item
      WHERE item."workspaceId" = ${workspaceId}::uuid AND item."id" = ANY(${idsOf("alertId")}::uuid[])`),
    prisma.alertRule.findMany(ofWorkspace(idsOf("alertRuleId"))),
    streamRequestIds.length > 0 ? prisma.streamRequest.findMany(ofWorkspace(streamRequestIds)) : [],
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
    if (!facility || (delivery.cameraId && !camera) || (delivery.kind === "ALERT" && !alert))
      return undefined;
    const notified = camera
      ? [camera]
      : cameras.filter(({ facilityId }) => facilityId === delivery.facilityId);
    const isWanted =
      delivery.streamRequestId === null
        ? isNamed(delivery, alertRule, notified)
        : isAwaited(streamRequest, now);
    return isWanted ? { delivery, facility, camera, alert, alertRule, streamRequest } : undefined;
  });
}

/** The notifications among contents of one queue, which are about the same. */
export function notificationsAmong(
  contents: readonly DeliveryContent[],
): [NotificationContent, ...NotificationContent[]] {
  const [first, ...others] = contents.filter((content) => content.facility !== null);
  if (!first) throw new Error("There is nothing to send");
  return [first, ...others];
}

function finderOf<Row extends { id: string }>(rows: readonly Row[]) {
  const byId = new Map<string | null, Row>(rows.map((row) => [row.id, row]));
  return (id: string | null) => byId.get(id) ?? null;
}

/** Whether the feed server has yet to get the request. */
function isAwaited(request: StreamRequest | null, now: Date): boolean {
  return request?.nextDeliveryAt != null && request.supersededAt === null && request.expiresAt > now;
}

/** Whether the rule or one of the cameras still names the target. */
function isNamed(
  { kind, channel, target }: Delivery,
  rule: AlertRule | null,
  cameras: readonly Camera[],
): boolean {
  const isAmong = (addresses: readonly string[] | undefined) =>
    addresses?.some((address) => address.toLowerCase() === target.toLowerCase()) === true;
  // A rule that is no longer active notifies nobody, so that people can stop a flood of
  // alerts. It can still be tested.
  const active = kind === "TEST" || rule?.status === "ACTIVE" ? rule : null;
  if (channel === "WEBHOOK") return active?.notificationEnabled === true && active.notificationUrl === target;
  if (channel === "SMS") return isAmong(active?.phoneNumbers);
  return (
    isAmong(active?.emails) ||
    (kind !== "TEST" && cameras.some(({ emailAddresses }) => isAmong(emailAddresses)))
  );
}

/** The alert of the message. For tests, an example of an alert of the rule. */
export function toldAlert({ delivery, alert, alertRule }: NotificationContent): ToldAlert {
  if (alert) return alert;
  return {
    id: delivery.id,
    workspaceId: delivery.workspaceId,
    cameraId: delivery.cameraId as string,
    alertRuleId: delivery.alertRuleId,
    name: alertRule?.name ?? "TEST",
    severity: alertRule?.severity ?? null,
    observation: alertRule?.observation ?? false,
    count: 1,
    createdAt: delivery.createdAt,
    url: null,
    thumbnailUrl: null,
    imageDimensions: null,
    canvasDimensions: null,
    violatingCoordinates: null,
    area: null,
    areaIds: [],
    storageClass: "",
    info: null,
    bookmark: false,
    falsePositive: false,
    isAnnotatable: false,
  };
}
