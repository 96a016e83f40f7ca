import {
  type GivenAlerts,
  givenAlerts,
  IncompleteInsertionError,
  insertAllAlerts,
  insertNewAlerts,
  type UnrecordedAlert,
  unrecordedAlerts,
} from "../alert/recording/alert-insertion.js";
import { completeRecording, lockCameras, recordInTurn } from "../alert/recording/alert-recording.js";
import { lockUploads, usableUpload } from "../alert/recording/alert-upload.service.js";
import type { RequestContext } from "../operation/request-context.js";
import type { WriteAccess } from "../operation/write.js";
import { badRequest, ServiceError } from "../platform/errors.js";
import { inTurns, takeTurn, unitsPerTurn } from "../platform/queues/turns.js";
import { cutFrames, type DetectionFrameInput, framesAhead } from "./detection-frame.input.js";
import { createStates, lockStates, saveFiringTimes, saveStates } from "./detection-states.js";
import {
  evaluateFrames,
  noFrames,
  type PlacedFrame,
  type RaisedAlert,
  type SeenCamera,
} from "./frame-evaluation.js";
import { keepDetections } from "./kept-frames.js";
import { rulesOf } from "./known-rules.js";
import { LivePictures } from "./live-pictures.js";

/** The result of recording detections. */
export interface RecordedDetections {
  processed: number;
  dropped: number;
  ignoredObjects: number;
  cameras: SeenCamera[];
  /** The new alerts, in the order in which they happened. */
  alertIds: string[];
}

/**
 * Evaluates the rules of cameras on frames, and records the alerts that they raise, all
 * or nothing. Requires alerts:write at the facility of every camera.
 */
export async function recordDetections(
  context: RequestContext,
  input: readonly DetectionFrameInput[],
): Promise<RecordedDetections> {
  const { services, caller } = context;
  const ahead = framesAhead("input", input, services.now());
  if (ahead.length > 0) throw badRequest(ahead);
  await services.rateLimits.countDetections(caller.id, input.length);
  const { frames, ignoredObjects } = cutFrames(input);
  const recorded = { ...(await new Recording(context, frames).run()), ignoredObjects };
  services.countAlerts(recorded.alertIds.length);
  return recorded;
}

/** Cameras have no state yet, since these are their first frames. */
class MissingStateError extends Error {}

/** Alerts could show live frames that are not stored yet. */
class MissingPictureError extends Error {
  constructor(readonly store: () => Promise<void>) {
    super("Pictures are not stored yet");
  }
}

/**
 * The recording of one request: a transaction that begins again, if it must, with what it
 * turned out to need.
 */
class Recording {
  readonly #context: RequestContext;
  readonly #framesOf: ReadonlyMap<string, readonly PlacedFrame[]>;
  readonly #cameraIds: string[];
  readonly #pictures: LivePictures;
  #createsStates = false;
  #insert: Insertion = insertAll;

  constructor(context: RequestContext, input: readonly DetectionFrameInput[]) {
    this.#context = context;
    this.#framesOf = framesByCamera(input);
    this.#cameraIds = [...this.#framesOf.keys()];
    this.#pictures = new LivePictures(context);
  }

  async run(): Promise<Omit<RecordedDetections, "ignoredObjects">> {
    try {
      return await recordInTurn(this.#context, (write) => this.#record(write));
    } catch (error) {
      if (error instanceof MissingStateError && !this.#createsStates) this.#createsStates = true;
      else if (error instanceof MissingPictureError) await error.store();
      else if (error instanceof IncompleteInsertionError && this.#insert === insertAll)
        this.#insert = insertNew;
      else throw error;
      return this.run();
    }
  }

  async #record(write: WriteAccess): Promise<Omit<RecordedDetections, "ignoredObjects">> {
    const locked = lockCameras(write, this.#cameraIds);
    if (this.#createsStates) createStates(write, this.#cameraIds);
    const reading = lockStates(write, this.#cameraIds);
    // What is wrong with the cameras comes first, whichever statement fails first.
    await Promise.allSettled([locked, reading]);
    const facilityOfCamera = await locked;
    const cameras = await reading;
    if (cameras.length < this.#cameraIds.length) throw new MissingStateError();
    const evaluated = noFrames();
    for await (const part of rulesOf(this.#context, write, cameras))
      await inTurns(
        this.#context,
        evaluateFrames(evaluated, part, this.#framesOf, this.#context.services.now()),
      );
    const { states, processed: frames, dropped } = evaluated;
    const fired = evaluated.raised.sort(
      (one, other) => Number(one.alert.createdAt) - Number(other.alert.createdAt),
    );
    const recorded = { processed: frames.length, dropped, cameras: evaluated.cameras };
    const needed = this.#pictures.neededBy(fired);
    if (needed.size > 0) throw new MissingPictureError(() => this.#pictures.store(needed, facilityOfCamera));
    saveStates(write, states);
    if (this.#context.services.settings.keepsDetections) keepDetections(write, frames);
    if (fired.length === 0) return { ...recorded, alertIds: [] };
    saveFiringTimes(write, new Map(fired.map(({ alert }) => [alert.alertRuleId as string, alert.createdAt])));
    const raised = await this.#insert(write, this.#pictures.addTo(fired), this.#context);
    completeRecording(this.#context, write, "recordDetections", raised, facilityOfCamera);
    return { ...recorded, alertIds: raised.map(({ id }) => id) };
  }
}

/** The frames of each camera in the order given, by camera. */
function framesByCamera(input: readonly DetectionFrameInput[]): Map<string, PlacedFrame[]> {
  const framesOf = new Map<string, PlacedFrame[]>();
  for (const [position, frame] of input.entries()) {
    const frames = framesOf.get(frame.cameraId);
    if (frames) frames.push({ frame, position });
    else framesOf.set(frame.cameraId, [{ frame, position }]);
  }
  return framesOf;
}

/** Inserts alerts of cameras that are locked, and returns the new ones. */
type Insertion = (
  write: WriteAccess,
  raised: readonly RaisedAlert[],
  context: RequestContext,
) => Promise<RaisedAlert["alert"][]>;

/**
 * The most objects that the alerts of one statement tell. All alerts of a request may tell
 * the same objects once per rule, which is far more than the request itself holds.
 */
const objectsPerStatement = 5000;
/** The objects that take as much work as the other columns of an alert. */
const objectsPerAlert = 5;

/** Runs a statement for each part of the alerts, in turns. */
async function inParts(
  context: RequestContext,
  alerts: readonly RaisedAlert["alert"][],
  run: (part: GivenAlerts) => Promise<void>,
): Promise<void> {
  for (let start = 0, end = 0; start < alerts.length; start = end) {
    let objects = 0;
    for (; end < alerts.length && (end === start || objects < objectsPerStatement); end += 1)
      objects += objectsPerAlert + (alerts[end]?.count ?? 0);
    await takeTurn(context, (unitsPerTurn * objects) / objectsPerStatement);
    await run(givenAlerts(alerts.slice(start, end), context.services.settings.storageClass));
  }
}

/** Inserts all alerts. If one cannot be inserted, fails and commits nothing. */
const insertAll: Insertion = async (write, raised, context) => {
  const alerts = raised.map(({ alert }) => alert);
  await Promise.all([
    lockUploads(write, alerts),
    inParts(context, alerts, (part) => insertAllAlerts(write, part)),
  ]);
  return alerts;
};

/**
 * Inserts alerts that are not recorded yet: the state of a camera may have been lost.
 * Fails if the upload of another one is missing.
 */
const insertNew: Insertion = async (write, raised, context) => {
  const alerts = raised.map(({ alert }) => alert);
  const ids: string[] = [];
  const insert = async (part: GivenAlerts) => void ids.push(...(await insertNewAlerts(write, part)));
  await Promise.all([lockUploads(write, alerts), inParts(context, alerts, insert)]);
  const isNew = new Set(ids);
  if (isNew.size === alerts.length) return alerts;
  const others: UnrecordedAlert[] = [];
  await inParts(
    context,
    alerts,
    async (part) => void others.push(...(await unrecordedAlerts(write, part, ids))),
  );
  const missing = new Set(others.filter(({ isSame }) => isSame === null).map(({ id }) => id));
  const withoutUpload = new Set(others.filter(({ hasUpload }) => !hasUpload).map(({ id }) => id));
  const details = raised.flatMap(({ alert: { id }, position }) =>
    missing.has(id) && withoutUpload.has(id)
      ? [{ path: `input.${position}.uploadId`, message: usableUpload }]
      : [],
  );
  if (details.length > 0) throw badRequest(details);
  // Someone has since deleted the alerts that prevented the insertion.
  if (missing.size > 0)
    throw new ServiceError("UNAVAILABLE", "Alerts are being deleted; it is safe to retry", { retryAfter: 1 });
  return alerts.filter(({ id }) => isNew.has(id));
};
