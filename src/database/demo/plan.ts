import type { Prisma } from "../../generated/prisma/client.js";
import type { ObjectStore } from "../../storage/object-store.js";
import { alertMoments } from "./alert-series.js";
import { mapLimited } from "./concurrency.js";
import { demoRules, type FacilityPlan, viewerRoles } from "./fleet.js";
import { timeOrderedId } from "./identifiers.js";
import { type CameraPictures, calibrationPoints, storeCameraPictures } from "./pictures.js";
import { SeededRandom } from "./random.js";
import { pictureSize } from "./scene.js";

const hour = 3_600_000;
const days = 90;
const scenesAtOnce = 4;

/** The rows of the demo fleet before they are written, and the pictures that alerts share before each gets its own. */
export class FleetPlan {
  readonly random = new SeededRandom(2026);
  readonly copies: [from: string, to: string][] = [];
  readonly start: Date;
  readonly #rows = new Map<Prisma.ModelName, object[]>();

  constructor(
    readonly now: Date,
    readonly store: ObjectStore,
  ) {
    this.start = new Date(now.getTime() - days * 24 * hour);
  }

  put(table: Prisma.ModelName, row: object): void {
    const rows = this.#rows.get(table);
    if (rows) rows.push(row);
    else this.#rows.set(table, [row]);
  }

  rows(table: Prisma.ModelName): object[] {
    return this.#rows.get(table) ?? [];
  }

  /** A new id of the time of its making, by default that of the fleet. */
  id(moment = this.start): string {
    return timeOrderedId(moment, this.random);
  }
}

interface WorkspacePlan {
  name: string;
  facilities: FacilityPlan[];
  alerts: number;
  firstCamera: number;
}

export interface PlannedWorkspace {
  id: string;
  facilityIds: string[];
}

/** Plans one workspace with its facilities, cameras, rules and alerts, and stores the pictures. */
export async function planWorkspace(fleet: FleetPlan, plan: WorkspacePlan): Promise<PlannedWorkspace> {
  const { now, start, store } = fleet;
  const id = fleet.id();
  fleet.put("Workspace", { id, name: plan.name, createdAt: start });
  const cameras = plan.facilities.flatMap((facility, facilityIndex) => facility.cameras.map((camera) => ({ camera, facilityIndex })));
  const facilityIds = plan.facilities.map((facility, index) => {
    const { cameras: _cameras, ...columns } = facility;
    const facilityId = fleet.id();
    // The last facility's device has fallen silent, so that both states can be seen.
    const silent = index === plan.facilities.length - 1 && index > 0;
    const lastHeartbeatAt = new Date(now.getTime() - (silent ? 26 * hour : 40_000));
    fleet.put("Facility", { id: facilityId, workspaceId: id, ...columns, lastHeartbeatAt, createdAt: start, updatedAt: start });
    return facilityId;
  });
  const rulesOf = (index: number) => demoRules.slice(0, index % 2 === 0 ? 3 : 2);
  const pictures = await mapLimited(cameras, scenesAtOnce, ({ camera }, index) =>
    storeCameraPictures(store, plan.firstCamera + index, camera, rulesOf(index)),
  );
  const share = Math.floor(plan.alerts / cameras.length);
  cameras.forEach(({ camera, facilityIndex }, index) => {
    const facilityId = facilityIds[facilityIndex] as string;
    const { timeZoneId } = plan.facilities[facilityIndex] as FacilityPlan;
    const target: CameraTarget = { id: fleet.id(), workspaceId: id, facilityId, timeZoneId, name: camera.name };
    const stored = pictures[index] as CameraPictures;
    planCamera(fleet, { target, stored, index: plan.firstCamera + index });
    const count = index === cameras.length - 1 ? plan.alerts - share * (cameras.length - 1) : share;
    planAlerts(fleet, { target, stored, count, rules: rulesOf(index), seed: plan.firstCamera + index });
  });
  return { id, facilityIds };
}

interface CameraTarget {
  id: string;
  workspaceId: string;
  facilityId: string;
  timeZoneId: string;
  name: string;
}

function planCamera(fleet: FleetPlan, { target, stored, index }: { target: CameraTarget; stored: CameraPictures; index: number }): void {
  const { now, start } = fleet;
  const cameraId = target.id;
  const url = `rtsp://viewer:demo-${index}@10.20.${index % 4}.${10 + index}:554/stream1`;
  const changedAt = new Date(now.getTime() - (index + 1) * hour);
  const statusDetail = index % 9 === 8 ? "STREAM_ERROR" : "OPERATIONAL";
  fleet.put("Camera", {
    id: cameraId,
    workspaceId: target.workspaceId,
    facilityId: target.facilityId,
    name: target.name,
    status: "IDLE",
    statusDetail,
    imageLink: stored.frame,
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
    [days * 24 * hour, "OPERATIONAL"],
    [30 * 24 * hour, "STREAM_ERROR"],
    [30 * 24 * hour - 20 * 60_000, "OPERATIONAL"],
    [(index + 1) * hour, statusDetail],
  ] as const) {
    const createdAt = new Date(now.getTime() - ago);
    fleet.put("StatusChange", { id: fleet.id(createdAt), cameraId, statusDetail: detail, source: "TRACKER", createdAt });
  }
  fleet.put("StreamRequest", {
    id: fleet.id(),
    requestId: fleet.id().replace(/-7/, "-4"),
    cameraId,
    url,
    streamType: "DIRECT",
    streamProtocol: "RTSP",
    createdAt: start,
    expiresAt: new Date(start.getTime() + 24 * hour),
    metadata: { width: "1280", height: "720", codec_name: "h264", pix_fmt: "yuv420p", avg_frame_rate: "12/1" },
    lastCallbackAt: new Date(start.getTime() + 4_000),
  });
  fleet.put("Calibration", {
    id: fleet.id(),
    cameraId,
    pixelLength: 0.02 + (index % 5) * 0.002,
    width: pictureSize.width,
    height: pictureSize.height,
    homographyMatrix: [0.0125, -0.0042, -2.6, 0.0006, 0.0381, -14.2, 0.00001, 0.0019, 1],
    points: calibrationPoints,
    calibratedImage: stored.calibrated,
    croppedImage: stored.cropped,
    gridImage: stored.grid,
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
    fleet.put("AnalysisJob", {
      id: fleet.id(createdAt),
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

interface AlertsOfCamera {
  target: CameraTarget;
  stored: CameraPictures;
  count: number;
  rules: typeof demoRules;
  seed: number;
}

function planAlerts(fleet: FleetPlan, plan: AlertsOfCamera): void {
  const { now, start, store, random } = fleet;
  const { target, stored } = plan;
  const rules = plan.rules.map((rule, position) => {
    const id = fleet.id();
    const areaId = fleet.id();
    const area = stored.rules[position]?.area ?? [];
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
    fleet.put("AlertRule", {
      id,
      cameraId: target.id,
      name,
      severity,
      status: "ACTIVE",
      dayRange: [0, 1, 2, 3, 4, 5, 6],
      emails: ["safety@demo.example"],
      phoneNumbers: [],
      observation,
      pretty,
      group,
      createdAt: start,
      updatedAt: start,
    });
    return { ...rule, id, areaId, area, variants: stored.rules[position]?.variants ?? [] };
  });
  for (const createdAt of alertMoments({ count: plan.count, days, end: now, timeZoneId: target.timeZoneId, seed: 7000 + plan.seed })) {
    const rule = random.pick(rules);
    const variant = random.pick(rule.variants);
    const id = fleet.id(createdAt);
    const shelf = `alerts/${target.id}/${id}`;
    fleet.put("Alert", {
      id,
      workspaceId: target.workspaceId,
      facilityId: target.facilityId,
      cameraId: target.id,
      alertRuleId: rule.id,
      name: rule.name,
      severity: rule.severity,
      observation: rule.observation,
      count: variant.coordinates.length,
      createdAt,
      recordedAt: createdAt,
      url: `${shelf}.jpg`,
      thumbnailUrl: `${shelf}-small.jpg`,
      imageDimensions: pictureSize,
      canvasDimensions: pictureSize,
      violatingCoordinates: variant.coordinates,
      area: rule.area,
      areaIds: [rule.areaId],
      storageClass: store.kind,
      info: { confidence: Math.round((0.7 + random.next() * 0.29) * 100) / 100 },
      bookmark: random.chance(0.03),
      falsePositive: random.chance(0.04),
    });
    fleet.copies.push([variant.picture, `${shelf}.jpg`], [variant.thumbnail, `${shelf}-small.jpg`]);
  }
}

interface Holders {
  demo: PlannedWorkspace;
  other: PlannedWorkspace;
  permissions: readonly string[];
  apiKey: { id: string; secretHash: Buffer };
}

/** Plans the users of both workspaces and the API key of the first. */
export function planUsers(fleet: FleetPlan, { demo, other, permissions, apiKey }: Holders): void {
  const people = [
    { authId: "demo|admin", workspaceId: demo.id, firstName: "Ada", lastName: "Admin", jobTitle: "Safety director", roles: permissions },
    { authId: "demo|viewer", workspaceId: demo.id, firstName: "Vera", lastName: "Viewer", jobTitle: "Safety analyst", roles: viewerRoles },
    { authId: "demo|site", workspaceId: demo.id, firstName: "Selim", lastName: "Site", jobTitle: "Shift lead", roles: [] },
    { authId: "demo|nobody", workspaceId: demo.id, firstName: "Noah", lastName: "Nobody", jobTitle: null, roles: [] },
    { authId: "other|admin", workspaceId: other.id, firstName: "Olga", lastName: "Other", jobTitle: "Operations", roles: permissions },
  ];
  for (const person of people) {
    const id = fleet.id();
    const email = `${person.authId.replace("|", ".")}@demo.example`;
    fleet.put("User", {
      id,
      ...person,
      email,
      emailVerified: true,
      createdAt: fleet.start,
      updatedAt: fleet.start,
      lastLogin: fleet.now,
      loginsCount: 12,
      locale: "en",
      connection: "demo",
    });
    if (person.authId === "demo|site")
      fleet.put("FacilityAccess", { userId: id, facilityId: demo.facilityIds[0], workspaceId: demo.id, actions: viewerRoles });
  }
  fleet.put("ApiKey", {
    id: apiKey.id,
    workspaceId: demo.id,
    name: "Demo key",
    // The text form of PostgreSQL's bytea.
    secretHash: `\\x${apiKey.secretHash.toString("hex")}`,
    permissions: ["facilities:read", "cameras:read", "cameras:write", "alerts:read", "alerts:write"],
    allFacilities: true,
    createdAt: fleet.start,
  });
}
