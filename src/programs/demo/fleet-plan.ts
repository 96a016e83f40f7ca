import type { ObjectStore } from "../../engine/storage/object-store.js";
import { operationalDetail, streamError } from "../../features/camera/status/status-detail.js";
import { feedErrorSentences } from "../../features/camera-feed/feed-error.js";
import type { Prisma, StreamRequest } from "../../generated/prisma/client.js";
import { defined } from "../../platform/defined.js";
import { later } from "../../platform/time.js";
import { alertTimes, dayTimeAt, lastNight } from "./alert-times.js";
import {
  clipKey,
  clipSeconds,
  clipSizes,
  pictureKey,
  pictureSize,
  type RulePictures,
} from "./camera-pictures.js";
import {
  badCrossing,
  demoRules,
  type FacilityDefinition,
  historyMs,
  isWithoutStream,
  viewerPermissions,
  webhookOfBadCrossing,
} from "./fleet-definition.js";
import { SeededRandom } from "./seeded-random.js";

const hour = 3_600_000;

/** The rows of the demo fleet to insert, and the pictures to copy, so that each alert has its own files. */
export class FleetPlan {
  readonly random = new SeededRandom(2026);
  readonly pictureCopies: [from: string, to: string][] = [];
  readonly start: Date;
  readonly #rows = new Map<Prisma.ModelName, object[]>();

  constructor(
    readonly now: Date,
    readonly storageClass: ObjectStore["kind"],
    readonly rulePictures: readonly RulePictures[][],
  ) {
    this.start = later(now, -historyMs);
  }

  add(table: Prisma.ModelName, row: object): void {
    const rows = this.#rows.get(table);
    if (rows) rows.push(row);
    else this.#rows.set(table, [row]);
  }

  rows(table: Prisma.ModelName): object[] {
    return this.#rows.get(table) ?? [];
  }

  /** A reproducible id (UUID version 7) with the given creation time, by default the start of the fleet's history. */
  id(createdAt = this.start): string {
    const time = createdAt.getTime().toString(16).padStart(12, "0");
    const digits = (count: number) =>
      Array.from({ length: count }, () => this.random.integer(0, 15).toString(16)).join("");
    return `${time.slice(0, 8)}-${time.slice(8)}-7${digits(3)}-${this.random.pick(["8", "9", "a", "b"])}${digits(3)}-${digits(12)}`;
  }
}

interface WorkspaceDefinition {
  name: string;
  facilities: FacilityDefinition[];
  alerts: number;
  firstCamera: number;
}

const offlineMs = 26 * hour;

/** The alerts of a bad crossing, compared with those of any other camera. */
const shareOfBadCrossing = 6;

interface PlannedWorkspace {
  id: string;
  facilityIds: string[];
}

export function planWorkspace(fleet: FleetPlan, plan: WorkspaceDefinition): PlannedWorkspace {
  const { now, start } = fleet;
  const workspaceId = fleet.id();
  fleet.add("Workspace", { id: workspaceId, name: plan.name, createdAt: start });
  let index = plan.firstCamera;
  const cameras = plan.facilities.flatMap(({ cameras: names, ...facility }, position) => {
    const facilityId = fleet.id();
    // The last facility has missed its heartbeats, so the demo shows both states.
    const isOffline = position > 0 && position === plan.facilities.length - 1;
    const seenAt = later(now, isOffline ? -offlineMs : -40_000);
    const written = { createdAt: start, updatedAt: start };
    fleet.add("Facility", { id: facilityId, workspaceId, ...facility, lastHeartbeatAt: seenAt, ...written });
    const { timeZoneId } = facility;
    return names.map((name): PlannedCamera => {
      const isLost = isWithoutStream(index);
      const seenUntil = isOffline ? seenAt : isLost ? lastNight(timeZoneId, now) : now;
      return { id: fleet.id(), index: index++, workspaceId, facilityId, timeZoneId, name, seenUntil };
    });
  });
  const shareOf = ({ name }: PlannedCamera) => (name === badCrossing ? shareOfBadCrossing : 1);
  const shares = cameras.reduce((sum, camera) => sum + shareOf(camera), 0);
  let remaining = plan.alerts;
  for (const camera of cameras) {
    planCamera(fleet, camera);
    const share = Math.floor((plan.alerts * shareOf(camera)) / shares);
    const count = camera === cameras.at(-1) ? remaining : share;
    remaining -= count;
    planAlerts(fleet, camera, count);
  }
  return { id: workspaceId, facilityIds: [...new Set(cameras.map(({ facilityId }) => facilityId))] };
}

interface PlannedCamera {
  id: string;
  /** The number of the camera in the whole fleet. */
  index: number;
  workspaceId: string;
  facilityId: string;
  timeZoneId: string;
  name: string;
  seenUntil: Date;
}

/** The floor points of the calibrations, in pixels. */
const calibrationPoints = [
  { x: 320, y: 420 },
  { x: 960, y: 420 },
  { x: 1180, y: 680 },
  { x: 100, y: 680 },
];

function planCamera(fleet: FleetPlan, camera: PlannedCamera): void {
  const { now, start } = fleet;
  const { id: cameraId, index, workspaceId, facilityId, name, seenUntil } = camera;
  const url = `rtsp://viewer:demo-${index}@10.20.${index % 4}.${10 + index}:554/stream1`;
  const isLost = isWithoutStream(index);
  const changedAt = isLost ? seenUntil : later(now, -(index + 1) * hour);
  const statusDetail = isLost ? streamError : operationalDetail;
  const collectsData = index % 3 === 0;
  const imageLink = pictureKey(index, "frame");
  fleet.pictureCopies.push([pictureKey(index, dayTimeAt(camera.timeZoneId, now)), imageLink]);
  fleet.add("Camera", {
    id: cameraId,
    workspaceId,
    facilityId,
    name,
    status: "IDLE",
    statusDetail,
    statusDetailChangedAt: changedAt,
    imageLink,
    pictureAt: seenUntil,
    createdAt: start,
    updatedAt: changedAt,
    dataCollectionEnabled: collectsData,
    dataCollectionObjects: collectsData ? ["PERSON", "VEHICLE"] : [],
    dataCollectionConfig: collectsData ? { minWidth: 40, minHeight: 80, interval: 60 } : null,
    customDataCollectionConfigs: collectsData ? [{ type: "CLEAN_PEDESTRIAN_WAYS", sensitivity: 0.6 }] : [],
    collectSampleVideos: index % 5 === 0,
    imageDimensions: pictureSize,
    url,
    streamType: "DIRECT",
    streamProtocol: "RTSP",
    advancedSettings: index % 4 === 0 ? { frameRate: 12, transport: "tcp" } : null,
    emailAddresses: ["safety@demo.example"],
  });
  for (const [ago, detail] of [
    [historyMs, operationalDetail],
    [30 * 24 * hour, streamError],
    [30 * 24 * hour - 20 * 60_000, operationalDetail],
    [now.getTime() - changedAt.getTime(), statusDetail],
  ] as const) {
    const createdAt = later(now, -ago);
    fleet.add("StatusChange", {
      id: fleet.id(createdAt),
      workspaceId,
      cameraId,
      statusDetail: detail,
      source: "TRACKER",
      createdAt,
    });
  }
  const stream = { workspaceId, cameraId, url };
  planStreamRequest(fleet, stream, {
    createdAt: start,
    supersededAt: isLost ? changedAt : null,
    metadata: {
      width: "1280",
      height: "720",
      codec_name: "h264",
      pix_fmt: "yuv420p",
      avg_frame_rate: "12/1",
    },
  });
  // Somebody tried the lost stream again.
  if (isLost)
    planStreamRequest(fleet, stream, {
      createdAt: changedAt,
      errorOperation: "picture",
      errorCode: "REFUSED",
      errorMessage: feedErrorSentences.REFUSED,
    });
  fleet.add("Calibration", {
    id: fleet.id(),
    workspaceId,
    cameraId,
    pixelLength: 0.02 + (index % 5) * 0.002,
    ...pictureSize,
    homographyMatrix: [0.0125, -0.0042, -2.6, 0.0006, 0.0381, -14.2, 0.00001, 0.0019, 1],
    points: calibrationPoints,
    calibratedImage: pictureKey(index, "day"),
    croppedImage: pictureKey(index, "cropped"),
    gridImage: pictureKey(index, "grid"),
    updatedAt: later(start, hour),
  });
  const configId = fleet.id();
  for (const [ago, state] of [
    [(20 + index) * hour, "COMPLETED"],
    [(2 + index) * hour, "COMPLETED"],
    [index * 60_000 + 90_000, "VALIDATING"],
  ] as const) {
    const createdAt = later(now, -ago);
    const startedAt = state === "COMPLETED" ? later(createdAt, 5_250) : null;
    const endedAt = startedAt && later(startedAt, 312_480);
    const updatedAt = endedAt ?? createdAt;
    fleet.add("AnalysisJob", {
      id: fleet.id(createdAt),
      workspaceId,
      cameraId,
      configId,
      state,
      isTest: index % 6 === 0,
      createdAt,
      updatedAt,
      startedAt,
      endedAt,
    });
  }
}

/** Rows of one table have the same columns. */
const noOutcome = {
  supersededAt: null,
  metadata: null,
  errorOperation: null,
  errorCode: null,
  errorMessage: null,
};

function planStreamRequest(
  fleet: FleetPlan,
  stream: { workspaceId: string; cameraId: string; url: string },
  { createdAt, ...outcome }: { createdAt: Date } & Partial<StreamRequest>,
): void {
  const { workspaceId } = stream;
  const requestId = fleet.id().replace(/-7/, "-4");
  fleet.add("StreamRequestLookup", { requestId, workspaceId });
  fleet.add("StreamRequest", {
    id: fleet.id(createdAt),
    requestId,
    ...stream,
    streamType: "DIRECT",
    streamProtocol: "RTSP",
    createdAt,
    expiresAt: later(createdAt, 24 * hour),
    lastCallbackAt: later(createdAt, 4_000),
    ...noOutcome,
    ...outcome,
  });
}

function planAlerts(fleet: FleetPlan, camera: PlannedCamera, count: number): void {
  const { start, random } = fleet;
  const { id: cameraId, index, workspaceId, facilityId, timeZoneId } = camera;
  const isBadCrossing = camera.name === badCrossing;
  const rules = (fleet.rulePictures[index] ?? []).map(({ area, ...boxes }, position) => {
    const { area: areaName, color, object, label, pretty, ...rule } = defined(demoRules[position]);
    const [id, areaId, groupId, detectionId] = [fleet.id(), fleet.id(), fleet.id(), fleet.id()];
    const points = area.map(([x, y]) => ({ x, y }));
    const hasWebhook = isBadCrossing && object === "VEHICLE";
    fleet.add("AlertRule", {
      id,
      workspaceId,
      cameraId,
      ...rule,
      status: "ACTIVE",
      dayRange: [0, 1, 2, 3, 4, 5, 6],
      emails: ["safety@demo.example"],
      phoneNumbers: [],
      notificationUrl: hasWebhook ? webhookOfBadCrossing : null,
      notificationEnabled: hasWebhook,
      evaluated: true,
      pretty,
      group: {
        id: groupId,
        type: "GROUP",
        name: areaName,
        operator: "AND",
        children: [
          { id: areaId, type: "AREA", name: areaName, points, color, children: [] },
          { id: detectionId, type: rule.name, objects: [object], children: [] },
        ],
      },
      createdAt: start,
      updatedAt: start,
    });
    const seen = { alertRuleName: areaName, info: { source: "detections", objects: [{ label }] } };
    const alert = { alertRuleId: id, ...rule, ...seen, area: points, areaIds: [areaId] };
    return { weight: hasWebhook ? 8 : 1, position, boxes, alert };
  });
  let clip: ReturnType<typeof plannedClip> | undefined;
  const times = alertTimes({
    count,
    start,
    end: camera.seenUntil,
    timeZoneId,
    isGettingWorse: isBadCrossing,
    seed: 7000 + index,
  });
  for (const createdAt of times) {
    const { alert, boxes, position } = random.weighted(rules.map((rule) => [rule, rule.weight]));
    const dayTime = dayTimeAt(timeZoneId, createdAt);
    const violatingCoordinates = boxes[dayTime].map(([x, y, width, height]) => ({
      x: x + Math.round(width / 2),
      y: y + height,
    }));
    const id = fleet.id(createdAt);
    const url = `alerts/${cameraId}/${id}.webp`;
    const thumbnailUrl = `alerts/${cameraId}/${id}-small.webp`;
    const picture = `${dayTime}-${position}`;
    fleet.pictureCopies.push(
      [pictureKey(index, picture), url],
      [pictureKey(index, `${picture}-small`), thumbnailUrl],
    );
    const place = { workspaceId, facilityId, cameraId };
    const isFilmed = position === 0 && dayTime === "day" && clipSizes.has(index);
    if (isFilmed) clip = plannedClip({ ...place, alertId: id, alertCreatedAt: createdAt }, index);
    fleet.add("Alert", {
      id,
      ...place,
      ...alert,
      count: violatingCoordinates.length,
      createdAt,
      recordedAt: createdAt,
      url,
      thumbnailUrl,
      imageDimensions: pictureSize,
      canvasDimensions: pictureSize,
      violatingCoordinates,
      storageClass: fleet.storageClass,
      info: { confidence: Math.round((0.7 + random.next() * 0.29) * 100) / 100 },
      bookmark: random.chance(0.03),
      falsePositive: random.chance(0.04),
      falsePositiveChangedById: null,
      falsePositiveChangedAt: null,
      acknowledgedById: null,
      acknowledgedAt: null,
    });
  }
  if (!clip) return;
  fleet.add("AlertClip", clip);
  fleet.pictureCopies.push([clipKey(index), clip.key]);
}

/** The clip of an alert. The newest one of a camera with a clip has it. */
const plannedClip = (
  alert: { alertId: string; alertCreatedAt: Date; [column: string]: unknown },
  index: number,
) => ({
  ...alert,
  state: "READY",
  uploaded: true,
  key: `clips/${alert.alertId}.mp4`,
  contentType: "video/mp4",
  duration: clipSeconds.duration,
  ...pictureSize,
  size: clipSizes.get(index),
  startsAt: later(alert.alertCreatedAt, -clipSeconds.before * 1000),
});

interface UserPlan {
  demo: PlannedWorkspace;
  other: PlannedWorkspace;
  permissions: readonly string[];
  apiKey: { id: string; secretHash: Buffer };
}

export function planUsers(fleet: FleetPlan, { demo, other, permissions, apiKey }: UserPlan): void {
  const users: [
    authId: string,
    workspace: PlannedWorkspace,
    firstName: string,
    lastName: string,
    jobTitle: string | null,
    roles: readonly string[],
  ][] = [
    ["demo|admin", demo, "Ada", "Admin", "Safety director", permissions],
    ["demo|viewer", demo, "Vera", "Viewer", "Safety analyst", viewerPermissions],
    ["demo|officer", demo, "Lena", "Lang", "Safety officer", [...viewerPermissions, "alerts:write"]],
    ["demo|site", demo, "Selim", "Site", "Shift lead", []],
    ["demo|nobody", demo, "Noah", "Nobody", null, []],
    ["other|admin", other, "Olga", "Other", "Operations", permissions],
  ];
  for (const [authId, { id: workspaceId }, firstName, lastName, jobTitle, roles] of users) {
    const id = fleet.id();
    const email = `${authId.replace("|", ".")}@demo.example`;
    fleet.add("AuthIdLookup", { authId, workspaceId, userId: id });
    fleet.add("EmailLookup", { email, workspaceId, userId: id });
    fleet.add("User", {
      id,
      authId,
      workspaceId,
      firstName,
      lastName,
      jobTitle,
      roles,
      email,
      emailVerified: true,
      createdAt: fleet.start,
      updatedAt: fleet.start,
      lastLogin: fleet.now,
      loginsCount: 12,
      locale: "en",
      connection: "demo",
    });
    if (authId === "demo|site")
      fleet.add("FacilityAccess", {
        userId: id,
        facilityId: demo.facilityIds[0],
        workspaceId: demo.id,
        actions: viewerPermissions,
      });
  }
  fleet.add("ApiKeyLookup", { id: apiKey.id, workspaceId: demo.id });
  fleet.add("ApiKey", {
    id: apiKey.id,
    workspaceId: demo.id,
    name: "Demo key",
    // PostgreSQL's hex format for bytea.
    secretHash: `\\x${apiKey.secretHash.toString("hex")}`,
    permissions: ["facilities:read", "cameras:read", "cameras:write", "alerts:read", "alerts:write"],
    allFacilities: true,
    createdAt: fleet.start,
  });
}
