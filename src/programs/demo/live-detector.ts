import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { AuthenticationError } from "../../engine/access/credentials.js";
import type { Reaction } from "../../engine/events/gateway-event.js";
import type { StepOutcome } from "../../engine/leases/worker.js";
import type { GatewayServices } from "../../engine/operation/gateway-services.js";
import { RequestContext } from "../../engine/operation/request-context.js";
import { scheduleAlertPictureRemoval } from "../../features/alert/pictures/annotated-picture.service.js";
import { createAlertUpload, receiveAlertFile } from "../../features/alert/recording/alert-upload.service.js";
import { type RuleNode, ruleNode } from "../../features/alert-rule/rule-tree.js";
import { setStatusDetail } from "../../features/camera/camera.mutation.js";
import { operationalDetail, streamError } from "../../features/camera/status/status-detail.js";
import { recordDetections } from "../../features/detection/record-detections.service.js";
import { recordHeartbeat } from "../../features/facility/facility.mutation.js";
import {
  type Alert,
  type AlertRule,
  type Camera,
  Prisma,
  type PrismaClient,
} from "../../generated/prisma/client.js";
import { defined } from "../../platform/defined.js";
import { LogEntry } from "../../platform/telemetry/log-entry.js";
import { later } from "../../platform/time.js";
import { dayTimeAt } from "./alert-times.js";
import {
  cameraOfPicture,
  type DayTime,
  pictureSize,
  type RulePictures,
  readAlertPicture,
  readRulePictures,
} from "./camera-pictures.js";
import { demoFacilities, demoRules, historyMs, isWithoutStream } from "./fleet-definition.js";
import { SeededRandom } from "./seeded-random.js";
import type { StreamingCamera } from "./streaming-camera.js";

const second = 1_000;
/** The number of simulated alerts to keep, beginning with the newest. Bookmarked alerts stay in addition. */
const maxKeptAlerts = 2_000;
const prunedAtOnce = 500;
/** The time between two pictures of a camera. */
const pictureInterval = 300 * second;
const address = "127.0.0.1";

/** Notify nobody of simulated events: the recipients in rules and cameras may be real. */
const noReaction: Reaction = () => [];

/** What is known of each simulated object. */
const attributes = { simulated: true };
/** What `info` of an alert contains if a rule raised it for simulated objects. */
const mark = { source: "detections", objects: [{ attributes }] };
const longestStay = 60;

/** The last facility of the demo stays offline, so that both states are visible. */
const timeZones = demoFacilities
  .slice(0, -1)
  .flatMap(({ cameras, timeZoneId }) => cameras.map(() => timeZoneId));

interface WatchedCamera {
  camera: Camera;
  index: number;
  /** What it shows whatever the time is. */
  dayTime?: DayTime;
}

/** The seconds for which detections of a tree ask. */
const secondsIn = ({ type, children = [], minSeconds = 1 }: RuleNode): number[] =>
  type === "GROUP" ? [0, ...children.flatMap(secondsIn)] : [type === "AREA" ? 0 : minSeconds];

const hasCooledDown = ({ group, lastFiredAt }: AlertRule, now: Date): boolean =>
  Math.abs(now.getTime() - (lastFiredAt?.getTime() ?? 0)) >= (ruleNode(group).cooldownSeconds ?? 60) * second;

interface Task {
  dueAt: number;
  /** The time until the next run, in milliseconds, drawn anew for each run. */
  interval: () => number;
  run: (context: RequestContext) => Promise<void>;
}

interface LiveDetectorDependencies {
  services: GatewayServices;
  prisma: PrismaClient;
  /** What gives a camera its stream, which shows by day what breaks its rules. */
  stream: StreamingCamera | undefined;
  onPruned: () => void;
}

export interface DemoWorkspace {
  workspaceId: string;
  apiKeyId: string;
  seededAt: Date;
}

/** Finds the workspace for {@link LiveDetector}; undefined unless the database holds the demo fleet. */
export async function findDemoWorkspace(prisma: PrismaClient): Promise<DemoWorkspace | undefined> {
  const admin = await prisma.authIdLookup.findUnique({ where: { authId: "demo|admin" } });
  const workspace = admin && (await prisma.workspace.findUnique({ where: { id: admin.workspaceId } }));
  if (!workspace) return undefined;
  const { id: workspaceId, createdAt } = workspace;
  const key = await prisma.apiKey.findFirst({ where: { workspaceId, createdAt, name: "Demo key" } });
  return key ? { workspaceId, apiKeyId: key.id, seededAt: later(createdAt, historyMs) } : undefined;
}

/** The context for requests with the demo's API key. UNAUTHENTICATED if it is revoked. */
async function authenticateDemoKey(
  services: GatewayServices,
  { workspaceId, apiKeyId: id }: DemoWorkspace,
): Promise<RequestContext> {
  const origin = {
    id: randomUUID(),
    address,
    authorization: undefined,
    via: "GATEWAY" as const,
    logEntry: new LogEntry(address),
  };
  const session = await services.authenticator.authenticate(
    { creator: { kind: "api-key", workspaceId, id } },
    origin,
  );
  return new RequestContext({ services, origin }, session);
}

/**
 * Simulates the detectors of the demo: detections that break rules, with their own pictures, heartbeats, and
 * cameras that lose their stream for a while. Acts with the demo's API key through the same services as
 * everybody else. Revoking the key therefore ends the simulation.
 */
export class LiveDetector {
  readonly #services: GatewayServices;
  readonly #prisma: PrismaClient;
  readonly #demo: DemoWorkspace;
  readonly #onPruned: () => void;
  readonly #random: SeededRandom;
  readonly #tasks: readonly Task[];
  readonly #rulePictures: Promise<RulePictures[][]> = readRulePictures();
  #hasEnded = false;

  constructor({ services, prisma, stream, onPruned }: LiveDetectorDependencies, demo: DemoWorkspace) {
    this.#services = { ...services, react: noReaction };
    this.#prisma = prisma;
    this.#demo = demo;
    this.#onPruned = onPruned;
    const now = services.now().getTime();
    this.#random = new SeededRandom(now);
    const between = (from: number, to: number) => () => this.#random.integer(from * second, to * second);
    const heartbeatInterval = (services.settings.heartbeatTimeout * second) / 3;
    this.#tasks = [
      { dueAt: now, interval: () => Infinity, run: async (context) => stream?.begin(context) },
      { dueAt: now, interval: () => heartbeatInterval, run: (context) => this.#sendHeartbeats(context) },
      { dueAt: now, interval: () => pictureInterval, run: () => this.#takePictures() },
      { dueAt: now + 10 * second, interval: between(20, 40), run: (context) => this.#breakRule(context) },
      {
        dueAt: now + 60 * second,
        interval: between(120, 240),
        run: async (context) => stream && this.#breakRuleOnFilm(context, stream),
      },
      {
        dueAt: now + 120 * second,
        interval: between(90, 240),
        run: (context) => this.#changeStream(context),
      },
    ];
  }

  async step(): Promise<StepOutcome> {
    if (this.#hasEnded) return "nothing";
    const now = this.#services.now().getTime();
    const next = defined([...this.#tasks].sort((one, other) => one.dueAt - other.dueAt)[0]);
    if (next.dueAt > now) return { dueInMs: next.dueAt - now };
    // Reschedule even if the task fails: the next run simulates it anew.
    next.dueAt = now + next.interval();
    try {
      await next.run(await authenticateDemoKey(this.#services, this.#demo));
    } catch (error) {
      if (!(error instanceof AuthenticationError)) throw error;
      this.#hasEnded = true;
      this.#services.log.info("the simulated detector has ended: its API key is no longer valid");
    }
    return "more";
  }

  /**
   * The cameras that still exist, in the order of the fleet. Giving a camera another picture removes it from
   * the simulation.
   */
  async #watchedCameras(): Promise<WatchedCamera[]> {
    const { workspaceId } = this.#demo;
    const cameras = await this.#prisma.camera.findMany({
      where: { workspaceId, removedAt: null, imageLink: { startsWith: "demo/camera-" } },
    });
    return cameras
      .map((camera) => ({ camera, index: cameraOfPicture(camera.imageLink) }))
      .filter(({ index }) => index < timeZones.length)
      .sort((one, other) => one.index - other.index);
  }

  async #sendHeartbeats(context: RequestContext): Promise<void> {
    const facilityIds = new Set((await this.#watchedCameras()).map(({ camera }) => camera.facilityId));
    for (const facilityId of facilityIds) await recordHeartbeat(context, facilityId);
  }

  /** Simulates a feed: each camera with a stream shows the same scene, as of now, and changes in nothing else. */
  async #takePictures(): Promise<void> {
    const { workspaceId } = this.#demo;
    const ids = (await this.#watchedCameras()).map(({ camera }) => camera.id);
    await this.#prisma.$executeRaw(Prisma.sql`
      UPDATE "Camera" SET "pictureAt" = ${this.#services.now()}::timestamptz
      WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ANY(${ids}::uuid[]) AND "statusDetail" = ${operationalDetail}`);
  }

  /** Detects a breach of a rule at a camera as installed. The rule raises an alert unless somebody has changed it. */
  async #breakRule(context: RequestContext): Promise<void> {
    const working = (await this.#watchedCameras()).filter(
      ({ camera }) => camera.statusDetail === operationalDetail,
    );
    if (working.length === 0) return;
    await this.#breakRuleAt(context, this.#random.pick(working));
    await this.#prune();
  }

  /** Detects what the stream of a camera shows, so that there is a clip of it. */
  async #breakRuleOnFilm(
    context: RequestContext,
    { cameraId: id, index, server }: StreamingCamera,
  ): Promise<void> {
    const where = { workspaceId: this.#demo.workspaceId, id, removedAt: null, url: server.url };
    const camera = await this.#prisma.camera.findFirst({ where });
    if (camera?.statusDetail === operationalDetail)
      await this.#breakRuleAt(context, { camera, index, dayTime: "day" });
  }

  async #breakRuleAt(context: RequestContext, seen: WatchedCamera): Promise<void> {
    const pictures = (await this.#rulePictures)[seen.index] ?? [];
    const names = demoRules.map(({ name }) => name);
    const where = {
      workspaceId: this.#demo.workspaceId,
      cameraId: seen.camera.id,
      status: "ACTIVE",
      evaluated: true,
      name: { in: names.slice(0, pictures.length) },
    };
    const rules = await this.#prisma.alertRule.findMany({ where, orderBy: { id: "asc" } });
    const now = this.#services.now();
    const violable = rules.filter((rule) => hasCooledDown(rule, now));
    if (violable.length > 0) {
      const { name, group } = this.#random.pick(violable);
      await this.#sendDetections(context, seen, names.indexOf(name), ruleNode(group));
    }
  }

  /** Sends what is in the picture of a rule of a camera, for as long as the rule's tree asks. */
  async #sendDetections(
    context: RequestContext,
    { camera: { id: cameraId }, index, dayTime: shown }: WatchedCamera,
    rule: number,
    group: RuleNode,
  ): Promise<void> {
    const now = this.#services.now();
    const dayTime = shown ?? dayTimeAt(timeZones[index] ?? "UTC", now);
    const label = demoRules[rule]?.object ?? "PERSON";
    const trackIds = this.#random.integer(1, 2 ** 30);
    const objects = ((await this.#rulePictures)[index]?.[rule]?.[dayTime] ?? []).map(
      ([x, y, width, height], position) => ({
        label,
        box: { x, y, width, height },
        confidence: Math.round(this.#random.between(70, 99)) / 100,
        trackId: `${trackIds}-${position}`,
        attributes,
      }),
    );
    const { uploadId } = await createAlertUpload(context, { cameraId });
    const picture = await readAlertPicture(index, rule, dayTime);
    const createReadStream = () => Readable.from([picture]);
    await receiveAlertFile(
      context,
      { uploadId, kind: "PICTURE" },
      { open: async () => ({ createReadStream }) },
    );
    const seconds = Math.min(longestStay, Math.ceil(Math.max(...secondsIn(group))));
    const frames = Array.from({ length: seconds + 1 }, (_, frame) => ({
      cameraId,
      at: later(now, (frame - seconds) * second),
      ...pictureSize,
      objects,
      ...(frame === seconds && { uploadId }),
    }));
    await recordDetections(context, frames);
  }

  async #prune(): Promise<void> {
    const { workspaceId, seededAt } = this.#demo;
    const now = this.#services.now();
    const pruned = await this.#services.database.transact(async (transaction) => {
      // Nothing older than the demo is simulated: the index on the time skips everything that was seeded.
      const alerts = await transaction.$queryRaw<Pick<Alert, "id" | "url" | "thumbnailUrl">[]>(Prisma.sql`
        DELETE FROM "Alert" WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ANY(ARRAY(
          SELECT "id" FROM "Alert"
          WHERE "workspaceId" = ${workspaceId}::uuid AND "createdAt" >= ${seededAt}::timestamptz AND "info" @> ${JSON.stringify(mark)}::jsonb AND NOT "bookmark"
          ORDER BY "createdAt" DESC, "id" DESC LIMIT ${prunedAtOnce}::int OFFSET ${maxKeptAlerts}::int))
        RETURNING "id", "url", "thumbnailUrl"`);
      if (alerts.length > 0) await scheduleAlertPictureRemoval(transaction, workspaceId, alerts, now);
      return alerts.length;
    });
    if (pruned > 0) this.#onPruned();
  }

  /** Makes a camera lose its stream, or lets all without one recover, also those that lost it before a restart. */
  async #changeStream(context: RequestContext): Promise<void> {
    const cameras = (await this.#watchedCameras())
      .filter(({ index }) => !isWithoutStream(index))
      .map(({ camera }) => camera);
    const lost = cameras.filter(({ statusDetail }) => statusDetail === streamError);
    for (const { id } of lost)
      await setStatusDetail(context, id, { statusDetail: operationalDetail, source: "TRACKER" });
    const working = cameras.filter(({ statusDetail }) => statusDetail === operationalDetail);
    if (lost.length > 0 || working.length === 0) return;
    await setStatusDetail(context, this.#random.pick(working).id, {
      statusDetail: streamError,
      source: "TRACKER",
    });
  }
}
