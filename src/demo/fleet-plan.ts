import pLimit from "p-limit";
import { operationalDetail, streamError } from "../camera/status-detail.js";
import { feedErrorSentences } from "../feed/feed-error.js";
import type { Prisma } from "../generated/prisma/client.js";
import type { ObjectStore } from "../storage/object-store.js";
import { alertTimes, isDark, lastNight } from "./alert-times.js";
import { type CameraPictures, calibrationPoints, storeCameraPictures } from "./camera-pictures.js";
import {
  demoRules,
  type FacilityDefinition,
  historyMs,
  isWithoutStream,
  viewerPermissions,
  webhookOfBadCrossing,
} from "./fleet-definition.js";
import { pictureSize } from "./scene/scene.js";
import { SeededRandom } from "./seeded-random.js";
import { seededUuidV7 } from "./uuid.js";

const hour = 3_600_000;
const maxConcurrentCameras = 4;

/**
 * The rows of the demo fleet to insert, and the pictures to copy, so that each alert has
 * its own files.
 */
export class FleetPlan {
  readonly random = new SeededRandom(2026);
  readonly pictureCopies: [from: string, to: string][] = [];
  readonly start: Date;
  readonly #rows = new Map<Prisma.ModelName, object[]>();

  constructor(
    readonly now: Date,
    readonly store: ObjectStore,
  ) {
    this.start = new Date(now.getTime() - historyMs);
  }

  add(table: Prisma.ModelName, row: object): void {
    const rows = this.#rows.get(table);
    if (rows) rows.push(row);
    else this.#rows.set(table, [row]);
  }

  rows(table: Prisma.ModelName): object[] {
    return this.#rows.get(table) ?? [];
  }

  /**
   * A new id with the given creation time, by default the start of the fleet's history.
   */
  id(createdAt = this.start): string {
    return seededUuidV7(createdAt, this.random);
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

/** The last facility has missed its heartbeats, so the demo shows both states. */
const isOfflineFacility = ({ facilities }: WorkspaceDefinition, index: number) =>
  index === facilities.length - 1 && index > 0;

export interface PlannedWorkspace {
  id: string;
  facilityIds: string[];
}

/**
 * Plans the rows of one workspace with its facilities, cameras, rules and alerts, and
 * stores its pictures.
 */
export async function planWorkspace(fleet: FleetPlan, plan: WorkspaceDefinition): Promise<PlannedWorkspace> {
  const { now, start, store } = fleet;
  const id = fleet.id();
  fleet.add("Workspace", { id, name: plan.name, createdAt: start });
  const cameras = plan.facilities.flatMap((facility, facilityIndex) =>
    facility.cameras.map((camera) => ({ camera, facilityIndex })),
  );
  const facilityIds = plan.facilities.map((facility, index) => {
    const { cameras: _cameras, ...columns } = facility;
    const facilityId = fleet.id();
    const isOffline = isOfflineFacility(plan, index);
    const lastHeartbeatAt = new Date(now.getTime() - (isOffline ? offlineMs : 40_000));
    fleet.add("Facility", {
      id: facilityId,
      workspaceId: id,
      ...columns,
      lastHeartbeatAt,
      createdAt: start,
      updatedAt: start,
    });
    return facilityId;
  });
  const rulesOf = (index: number) => demoRules.slice(0, index % 2 === 0 ? 3 : 2);
  const cameraPictures = await pLimit(maxConcurrentCameras).map(cameras, ({ camera, facilityIndex }, index) =>
    storeCameraPictures(store, {
      index: plan.firstCamera + index,
      camera,
      rules: rulesOf(index),
      dayTime: isDark(plan.facilities[facilityIndex]?.timeZoneId ?? "UTC", now) ? "night" : "day",
    }),
  );
  const shares = cameras.map(({ camera }): number => (camera.isBadCrossing ? shareOfBadCrossing : 1));
  const allShares = shares.reduce((sum, share) => sum + share);
  let remaining = plan.alerts;
  cameras.forEach(({ camera, facilityIndex }, index) => {
    const facilityId = facilityIds[facilityIndex] as string;
    const isOffline = isOfflineFacility(plan, facilityIndex);
    const number = plan.firstCamera + index;
    const { timeZoneId } = plan.facilities[facilityIndex] as FacilityDefinition;
    const planned: PlannedCamera = {
      id: fleet.id(),
      workspaceId: id,
      facilityId,
      timeZoneId,
      name: camera.name,
      isBadCrossing: camera.isBadCrossing ?? false,
      seenUntil: isOffline
        ? new Date(now.getTime() - offlineMs)
        : isWithoutStream(number)
          ? lastNight(timeZoneId, now)
          : now,
    };
    const pictures = cameraPictures[index] as CameraPictures;
    planCamera(fleet, { planned, pictures, index: number });
    const isLast = index === cameras.length - 1;
    const count = isLast ? remaining : Math.floor((plan.alerts * (shares[index] ?? 1)) / allShares);
    remaining -= count;
    planAlerts(fleet, {
      planned,
      pictures,
      count,
      rules: rulesOf(index),
      seed: number,
    });
  });
  return { id, facilityIds };
}

interface PlannedCamera {
  id: string;
  workspaceId: string;
  facilityId: string;
  timeZoneId: string;
  name: string;
  isBadCrossing: boolean;
  /** When the camera's picture was last seen. */
  seenUntil: Date;
}

function planCamera(
  fleet: FleetPlan,
  { planned, pictures, index }: { planned: PlannedCamera; pictures: CameraPictures; index: number },
): void {
  const { now, start } = fleet;
  const { workspaceId, id: cameraId } = planned;
  const url = `rtsp://viewer:demo-${index}@10.20.${index % 4}.${10 + index}:554/stream1`;
  const isLost = isWithoutStream(index);
  const changedAt = isLost ? planned.seenUntil : new Date(now.getTime() - (index + 1) * hour);
  const statusDetail = isLost ? streamError : operationalDetail;
  fleet.add("Camera", {
    id: cameraId,
    workspaceId: planned.workspaceId,
    facilityId: planned.facilityId,
    name: planned.name,
    status: "IDLE",
    statusDetail,
    statusDetailChangedAt: changedAt,
    imageLink: pictures.frame,
    pictureAt: planned.seenUntil,
    createdAt: start,
    updatedAt: changedAt,
    dataCollectionEnabled: index % 3 === 0,
    dataCollectionObjects: index % 3 === 0 ? ["PERSON", "VEHICLE"] : [],
    dataCollectionConfig: index % 3 === 0 ? { minWidth: 40, minHeight: 80, interval: 60 } : null,
    customDataCollectionConfigs: index % 3 === 0 ? [{ type: "CLEAN_PEDESTRIAN_WAYS", sensitivity: 0.6 }] : [],
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
    const createdAt = new Date(now.getTime() - ago);
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
    width: pictureSize.width,
    height: pictureSize.height,
    homographyMatrix: [0.0125, -0.0042, -2.6, 0.0006, 0.0381, -14.2, 0.00001, 0.0019, 1],
    points: calibrationPoints,
    calibratedImage: pictures.calibrated,
    croppedImage: pictures.cropped,
    gridImage: pictures.grid,
    updatedAt: new Date(start.getTime() + hour),
  });
  const configId = fleet.id();
  for (const [ago, state] of [
    [(20 + index) * hour, "COMPLETED"],
    [(2 + index) * hour, "COMPLETED"],
    [index * 60_000 + 90_000, "VALIDATING"],
  ] as const) {
    const createdAt = new Date(now.getTime() - ago);
    const startedAt = state === "COMPLETED" ? new Date(createdAt.getTime() + 5_250) : null;
    const endedAt = startedAt && new Date(startedAt.getTime() + 312_480);
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

interface StreamRequestPlan {
  createdAt: Date;
  supersededAt?: Date | null;
  metadata?: object;
  errorOperation?: string;
  errorCode?: string;
  errorMessage?: string;
}

function planStreamRequest(
  fleet: FleetPlan,
  stream: { workspaceId: string; cameraId: string; url: string },
  { createdAt, supersededAt = null, metadata, ...error }: StreamRequestPlan,
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
    expiresAt: new Date(createdAt.getTime() + 24 * hour),
    supersededAt,
    metadata: metadata ?? null,
    errorOperation: error.errorOperation ?? null,
    errorCode: error.errorCode ?? null,
    errorMessage: error.errorMessage ?? null,
    lastCallbackAt: new Date(createdAt.getTime() + 4_000),
  });
}

interface CameraAlertsPlan {
  planned: PlannedCamera;
  pictures: CameraPictures;
  count: number;
  rules: typeof demoRules;
  seed: number;
}

function planAlerts(fleet: FleetPlan, plan: CameraAlertsPlan): void {
  const { start, store, random } = fleet;
  const { planned, pictures } = plan;
  const rules = plan.rules.map((rule, position) => {
    const id = fleet.id();
    const areaId = fleet.id();
    const area = pictures.rules[position]?.area ?? [];
    const group = {
      id: fleet.id(),
      type: "GROUP",
      name: rule.area,
      operator: "AND",
      children: [
        { id: areaId, type: "AREA", name: rule.area, points: area, color: rule.color, children: [] },
        { id: fleet.id(), type: rule.name, objects: [rule.object], children: [] },
      ],
    };
    const { name, severity, observation, pretty } = rule;
    const isTold = planned.isBadCrossing && rule.object === "VEHICLE";
    fleet.add("AlertRule", {
      id,
      workspaceId: planned.workspaceId,
      cameraId: planned.id,
      name,
      severity,
      status: "ACTIVE",
      dayRange: [0, 1, 2, 3, 4, 5, 6],
      emails: ["safety@demo.example"],
      phoneNumbers: [],
      notificationUrl: isTold ? webhookOfBadCrossing : null,
      notificationEnabled: isTold,
      observation,
      evaluated: true,
      pretty,
      group,
      createdAt: start,
      updatedAt: start,
    });
    return {
      ...rule,
      id,
      areaId,
      area,
      variants: pictures.rules[position]?.variants ?? { day: [], night: [] },
    };
  });
  for (const createdAt of alertTimes({
    count: plan.count,
    start,
    end: planned.seenUntil,
    timeZoneId: planned.timeZoneId,
    isGettingWorse: planned.isBadCrossing,
    seed: 7000 + plan.seed,
  })) {
    const rule = random.weighted(
      rules.map((each) => [each, planned.isBadCrossing && each.object === "VEHICLE" ? 8 : 1]),
    );
    const variant = random.pick(rule.variants[isDark(planned.timeZoneId, createdAt) ? "night" : "day"]);
    const id = fleet.id(createdAt);
    const keyPrefix = `alerts/${planned.id}/${id}`;
    fleet.add("Alert", {
      id,
      workspaceId: planned.workspaceId,
      facilityId: planned.facilityId,
      cameraId: planned.id,
      alertRuleId: rule.id,
      name: rule.name,
      severity: rule.severity,
      observation: rule.observation,
      count: variant.coordinates.length,
      createdAt,
      recordedAt: createdAt,
      url: `${keyPrefix}.jpg`,
      thumbnailUrl: `${keyPrefix}-small.jpg`,
      imageDimensions: pictureSize,
      canvasDimensions: pictureSize,
      violatingCoordinates: variant.coordinates,
      area: rule.area,
      areaIds: [rule.areaId],
      storageClass: store.kind,
      info: { confidence: Math.round((0.7 + random.next() * 0.29) * 100) / 100 },
      bookmark: random.chance(0.03),
      falsePositive: random.chance(0.04),
      falsePositiveChangedById: null,
      falsePositiveChangedAt: null,
      acknowledgedById: null,
      acknowledgedAt: null,
    });
    fleet.pictureCopies.push(
      [variant.picture, `${keyPrefix}.jpg`],
      [variant.thumbnail, `${keyPrefix}-small.jpg`],
    );
  }
}

interface UserPlan {
  demo: PlannedWorkspace;
  other: PlannedWorkspace;
  permissions: readonly string[];
  apiKey: { id: string; secretHash: Buffer };
}

/** Plans the users of both workspaces and the API key of the demo workspace. */
export function planUsers(fleet: FleetPlan, { demo, other, permissions, apiKey }: UserPlan): void {
  const users = [
    {
      authId: "demo|admin",
      workspaceId: demo.id,
      firstName: "Ada",
      lastName: "Admin",
      jobTitle: "Safety director",
      roles: permissions,
    },
    {
      authId: "demo|viewer",
      workspaceId: demo.id,
      firstName: "Vera",
      lastName: "Viewer",
      jobTitle: "Safety analyst",
      roles: viewerPermissions,
    },
    {
      authId: "demo|officer",
      workspaceId: demo.id,
      firstName: "Lena",
      lastName: "Lang",
      jobTitle: "Safety officer",
      roles: [...viewerPermissions, "alerts:write"],
    },
    {
      authId: "demo|site",
      workspaceId: demo.id,
      firstName: "Selim",
      lastName: "Site",
      jobTitle: "Shift lead",
      roles: [],
    },
    {
      authId: "demo|nobody",
      workspaceId: demo.id,
      firstName: "Noah",
      lastName: "Nobody",
      jobTitle: null,
      roles: [],
    },
    {
      authId: "other|admin",
      workspaceId: other.id,
      firstName: "Olga",
      lastName: "Other",
      jobTitle: "Operations",
      roles: permissions,
    },
  ];
  for (const user of users) {
    const id = fleet.id();
    const email = `${user.authId.replace("|", ".")}@demo.example`;
    fleet.add("AuthIdLookup", { authId: user.authId, workspaceId: user.workspaceId, userId: id });
    fleet.add("EmailLookup", { email, workspaceId: user.workspaceId, userId: id });
    fleet.add("User", {
      id,
      ...user,
      email,
      emailVerified: true,
      createdAt: fleet.start,
      updatedAt: fleet.start,
      lastLogin: fleet.now,
      loginsCount: 12,
      locale: "en",
      connection: "demo",
    });
    if (user.authId === "demo|site")
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
