import type { PrismaClient } from "../../src/generated/prisma/client.js";
import {
  createAlertClip,
  createAlertComment,
  createAlertRule,
  createAlerts,
  createCamera,
  createConnector,
  createDelivery,
  createDigest,
  createInvitation,
  createSavedView,
  createSession,
  createStreamRequest,
} from "./factories.js";

/**
 * The id of the rule area, the analysis job and everything else that {@link completeDemo}
 * adds.
 */
export const completeId = "11111111-1111-4111-8111-111111111111";

const moment = (minutes: number) => new Date(Date.UTC(2026, 10, 20) + minutes * 60_000);
/** In 2050, for what is later than everything else. */
const last = new Date("2050-01-01T00:00:00Z");
const picture = (name: string) => `https://images.example/${name}.jpg`;

/**
 * Gives a value to every field that the demo fleet leaves empty: a complete camera, user
 * and API key.
 */
export async function completeDemo(prisma: PrismaClient, now: Date): Promise<void> {
  const user = await prisma.user.findFirstOrThrow({ where: { authId: "demo|admin" } });
  const { workspaceId } = user;
  const facility = await prisma.facility.findFirstOrThrow({
    where: { workspaceId },
    orderBy: { name: "asc" },
  });
  const place = { workspaceId, facilityId: facility.id };
  const contacts = [
    { name: "Ada", role: "Janitor", phoneNumber: "0532", email: "ada@test.example", note: "By day" },
  ];
  const snooze = { snoozedAt: moment(0), snoozedUntil: last, snoozedById: user.id, snoozeReason: "Works" };
  await prisma.facility.updateMany({
    where: { id: facility.id },
    data: { lastHeartbeatAt: now, contacts, ...snooze },
  });
  const cameraId = await createCamera(prisma, {
    ...place,
    name: "A complete camera",
    dataCollectionConfig: { interval: 5, minHeight: 10, minWidth: 20 },
    customDataCollectionConfigs: [{ type: "CLEAN_VEHICLE_ROADS", sensitivity: 0.5 }],
    imageDimensions: { width: 1920, height: 1080 },
    advancedSettings: { metadata: { site: "north" } },
    url: "rtsp://user:word@camera.example/1",
    imageLink: picture("camera"),
    pictureAt: now,
    statusDetailChangedAt: moment(0),
    thumbnail: picture("camera-small"),
    streamType: "DIRECT",
    streamProtocol: "RTSP",
    facilityNodeId: completeId,
    contacts,
    ...snooze,
  });
  const area = { id: completeId, type: "AREA", name: "Area", color: "#ff8800", points: [{ x: 1, y: 2 }] };
  const alertRuleId = await createAlertRule(prisma, {
    workspaceId,
    cameraId,
    pretty: "In words",
    timeRangeStart: moment(0),
    timeRangeEnd: moment(1),
    notificationUrl: "https://hooks.example/1",
    notificationSecret: "hidden",
    notificationEnabled: true,
    lastFiredAt: moment(2),
    ...snooze,
    group: { id: completeId, type: "GROUP", name: "All", operator: "AND", children: [area] },
  });
  const alert = {
    severity: "HIGH",
    alertRuleId,
    imageDimensions: { width: 4, height: 3 },
    canvasDimensions: { width: 8, height: 6 },
    violatingCoordinates: [{ x: 1, y: 1 }],
    area: [{ x: 0, y: 0 }],
    areaIds: [completeId],
    info: { detector: "v2" },
    url: picture("alert"),
    thumbnailUrl: picture("thumbnail"),
    bookmarkChangedById: user.id,
    bookmarkChangedAt: moment(5),
    falsePositiveChangedById: user.id,
    falsePositiveChangedAt: moment(6),
    acknowledgedById: user.id,
    acknowledgedAt: moment(7),
    pictureAt: moment(4),
  };
  const [alertId] = (await createAlerts(prisma, [{ ...place, cameraId, ...alert }], last)) as [string];
  const ofAlert = { ...place, cameraId, alertId, alertRuleId };
  await createDelivery(prisma, ofAlert);
  await createAlertClip(prisma, {
    ...{ ...place, cameraId, alertId, alertCreatedAt: last },
    startsAt: moment(3),
  });
  for (const [createdAt, editedAt] of [[moment(8), moment(10)] as const, [moment(9), null] as const]) {
    await createAlertComment(prisma, { ...place, cameraId, alertId, authorId: user.id, createdAt, editedAt });
  }
  // For an hour, the gateway leaves its target alone: longer ahead, the time would be one of
  // a clock that was wrong.
  const waiting = {
    state: "PENDING",
    queueId: completeId,
    targetId: completeId,
    sentAt: null,
    lastError: "The webhook responded with status 503",
  };
  await prisma.deliveryTarget.create({
    data: { workspaceId, id: completeId, failures: 1, retryAt: new Date(now.getTime() + 3_600_000) },
  });
  await createDelivery(prisma, { ...ofAlert, ...waiting });
  await prisma.statusChange.create({
    data: { workspaceId, cameraId, statusDetail: "OPERATIONAL", source: "TRACKER" },
  });
  const streamRequestId = await createStreamRequest(prisma, {
    workspaceId,
    cameraId,
    expiresAt: moment(9),
    lastCallbackAt: moment(2),
    supersededAt: moment(3),
    nextDeliveryAt: moment(4),
    deliveredAt: moment(1),
    deliveryError: "refused",
    thumbnailUrl: picture("stream"),
    metadata: { codec: "h264" },
    errorOperation: "open",
    errorMessage: "refused",
    errorCode: "REFUSED",
    streamType: "DIRECT",
    streamProtocol: "RTSP",
  });
  await prisma.cameraFeed.create({
    data: {
      ...{ workspaceId, cameraId, streamRequestId },
      ...{ failures: 2, failingSince: moment(7), errorCode: "REFUSED" },
    },
  });
  await prisma.detectionState.create({
    data: { workspaceId, cameraId, state: JSON.stringify([last.getTime(), [], []]) },
  });
  await prisma.keptFrame.create({
    data: {
      ...{ workspaceId, cameraId, number: 1, id: completeId, createdAt: last, width: 640, height: 480 },
      objects: [
        {
          ...{ label: "PERSON", confidence: 0.9, box: { x: 1, y: 2, width: 3, height: 4.5 } },
          ...{ trackId: "7", attributes: { helmet: false } },
        },
      ],
    },
  });
  await prisma.calibration.create({
    data: {
      workspaceId,
      cameraId,
      pixelLength: 0.5,
      width: 4,
      height: 3,
      homographyMatrix: [1, 0, 0, 0, 1, 0, 0, 0, 1],
      points: [{ x: 1, y: 1 }],
      calibratedImage: picture("calibrated"),
      croppedImage: picture("cropped"),
      gridImage: picture("grid"),
    },
  });
  await prisma.analysisJob.create({
    data: {
      id: completeId,
      workspaceId,
      cameraId,
      configId: completeId,
      videoId: completeId,
      state: "DONE",
      startedAt: moment(1),
      endedAt: moment(2),
    },
  });
  const until = new Date("9000-01-01T00:00:00Z");
  await prisma.facilityAccess.create({
    data: { userId: user.id, facilityId: facility.id, workspaceId, actions: ["alerts:read"], until },
  });
  await prisma.user.updateMany({
    where: { id: user.id },
    data: {
      firstName: "Ada",
      lastName: "L.",
      picture: picture("user"),
      locale: "en",
      groupId: completeId,
      lastLogin: moment(0),
      seenAt: moment(0),
      until,
      phoneNumber: { countryCode: 90, e164Format: "+905321234567", nationalNumber: 5321234567, region: "TR" },
    },
  });
  await createSavedView(prisma, { workspaceId, userId: user.id });
  await createSession(prisma, { workspaceId, userId: user.id });
  await createDigest(prisma, { workspaceId, userId: user.id, facilityIds: [facility.id] });
  const invitation = {
    workspaceId,
    firstName: "Grace",
    lastName: "H.",
    roles: ["alerts:read"],
    accesses: [{ facilityId: facility.id, actions: ["cameras:read"] }],
    invitedById: user.id,
    createdAt: moment(0),
    until,
  };
  for (const closed of [{}, { acceptedAt: moment(1), acceptedById: user.id }, { revokedAt: moment(2) }])
    await createInvitation(prisma, { ...invitation, ...closed });
  await prisma.apiKey.updateMany({
    where: { workspaceId },
    data: {
      expiresAt: moment(9),
      lastUsedAt: moment(0),
      revokedAt: moment(10),
      facilityIds: [facility.id],
      allFacilities: false,
    },
  });
  const key = await prisma.apiKey.findFirstOrThrow({ where: { workspaceId } });
  const unmapped = [
    { kind: "CAMERA", name: "garage", cameraId: null, count: 3, lastSeenAt: moment(1).toISOString() },
    { kind: "ZONE", name: "gate", cameraId: completeId, count: 1, lastSeenAt: moment(2).toISOString() },
  ];
  await createConnector(prisma, { workspaceId, apiKeyId: key.id, unmapped });
  await prisma.auditEntry.create({
    data: {
      workspaceId,
      actorId: user.id,
      actorKind: "USER",
      action: "UPDATE",
      targetType: "AlertRule",
      targetId: alertRuleId,
      facilityId: facility.id,
      changes: { name: ["Old", "New"] },
      via: "CONNECTOR",
      client: "connector-frigate",
    },
  });
  const columns = await prisma.$queryRaw<{ table: string; column: string }[]>`
    SELECT quote_ident(table_name) AS "table", quote_ident(column_name) AS "column" FROM information_schema.columns
    WHERE table_name IN ('Alert', 'AlertRule', 'Camera', 'Facility', 'User', 'Workspace') AND data_type = 'text' AND is_nullable = 'YES'`;
  for (const { table, column } of columns)
    await prisma.$executeRawUnsafe(`UPDATE ${table} SET ${column} = 'A text'
      WHERE NOT EXISTS (SELECT FROM ${table} WHERE ${column} IS NOT NULL)`);
}
