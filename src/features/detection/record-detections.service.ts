import type { RequestContext } from "../../engine/operation/request-context.js";
import type { WriteAccess } from "../../engine/operation/write.js";
import { defined } from "../../platform/defined.js";
import { badRequest } from "../../platform/errors/errors.js";
import { inSlices, takeSlice, unitsPerSlice } from "../../platform/queues/slices.js";
import {
  assertNotDeleted,
  givenAlerts,
  insertAlerts,
  type UnrecordedAlert,
} from "../alert/recording/alert-insertion.js";
import { completeRecording, lockCameras, Missing, recordQueued } from "../alert/recording/alert-recording.js";
import { lockUploads, usableUpload } from "../alert/recording/alert-upload.service.js";
import { LivePictures } from "../alert/recording/live-pictures.js";
import { cutFrames, type DetectionFrameInput, framesAhead } from "./detection-frame.input.js";
import { createStates, lockStates, saveFiringTimes, saveStates } from "./detection-states.js";
import {
  evaluateFrames,
  type IndexedFrame,
  noFrames,
  type RaisedAlert,
  type SeenCamera,
} from "./frame-evaluation.js";
import { keepDetections } from "./kept-frames.js";
import { rulesOf } from "./known-rules.js";

export interface RecordedDetections {
  processed: number;
  dropped: number;
  ignoredObjects: number;
  cameras: SeenCamera[];
  alertIds: string[];
}

/** Evaluates rules on frames, and records their alerts, all or nothing. Requires alerts:write at every facility. */
export async function recordDetections(
  context: RequestContext,
  input: readonly DetectionFrameInput[],
): Promise<RecordedDetections> {
  const { services, caller } = context;
  const ahead = framesAhead("input", input, services.now());
  if (ahead.length > 0) throw badRequest(ahead);
  await services.rateLimits.countDetections(caller.id, input.length);
  const { frames, ignoredObjects } = cutFrames(input);
  const recorded = { ...(await recordFrames(context, frames)), ignoredObjects };
  services.countAlerts(recorded.alertIds.length);
  return recorded;
}

async function recordFrames(
  context: RequestContext,
  input: readonly DetectionFrameInput[],
): Promise<Omit<RecordedDetections, "ignoredObjects">> {
  const { services } = context;
  const framesOf = framesByCamera(input);
  const cameraIds = [...framesOf.keys()];
  const pictures = new LivePictures(context);
  let createsStates = false;
  return recordQueued(context, "recordDetections", async (write, insertsAll) => {
    const locked = lockCameras(write, cameraIds);
    if (createsStates) createStates(write, cameraIds);
    const reading = lockStates(write, cameraIds);
    // What is wrong with the cameras comes first, whichever statement fails first.
    await Promise.allSettled([locked, reading]);
    const facilityOfCamera = await locked;
    const cameras = await reading;
    if (cameras.length < cameraIds.length) {
      if (createsStates) throw new Error("States of cameras are missing");
      // These are their first frames.
      throw new Missing("States of cameras", () => {
        createsStates = true;
      });
    }
    const evaluated = noFrames();
    for await (const part of rulesOf(context, write, cameras))
      await inSlices(context, evaluateFrames(evaluated, part, framesOf, services.now()));
    const { states, processed: frames, dropped } = evaluated;
    const fired = evaluated.raised.sort(
      (one, other) => Number(one.alert.createdAt) - Number(other.alert.createdAt),
    );
    const recorded = { processed: frames.length, dropped, cameras: evaluated.cameras };
    const needed = pictures.neededBy(fired.map(({ alert }) => alert));
    if (needed.size > 0) throw new Missing("Live frames", () => pictures.store(needed, facilityOfCamera));
    saveStates(write, states);
    if (services.settings.keepsDetections) keepDetections(write, frames);
    if (fired.length === 0) return { ...recorded, alertIds: [] };
    saveFiringTimes(write, new Map(fired.map(({ alert }) => [defined(alert.alertRuleId), alert.createdAt])));
    const pictured = fired.map((each) => ({ ...each, alert: pictures.addTo(each.alert) }));
    const raised = await insertRaised(write, pictured, { context, insertsAll });
    completeRecording(context, write, raised, facilityOfCamera);
    return { ...recorded, alertIds: raised.map(({ id }) => id) };
  });
}

function framesByCamera(input: readonly DetectionFrameInput[]): Map<string, IndexedFrame[]> {
  const framesOf = new Map<string, IndexedFrame[]>();
  for (const [position, frame] of input.entries()) {
    const frames = framesOf.get(frame.cameraId);
    if (frames) frames.push({ frame, position });
    else framesOf.set(frame.cameraId, [{ frame, position }]);
  }
  return framesOf;
}

/** The most objects that the alerts of one statement report. Each rule may report all those of a request once more. */
const objectsPerStatement = 5000;
const objectsPerAlert = 5;

/**
 * Inserts alerts of cameras that are locked, in parts, and returns the new ones: the state of a camera may
 * have been lost. Fails if the upload of another one is missing.
 */
async function insertRaised(
  write: WriteAccess,
  raised: readonly RaisedAlert[],
  { context, insertsAll }: { context: RequestContext; insertsAll: boolean },
): Promise<RaisedAlert["alert"][]> {
  const alerts = raised.map(({ alert }) => alert);
  const locked = lockUploads(write, alerts);
  const others = new Map<string, UnrecordedAlert>();
  const insertParts = async () => {
    for (let start = 0, end = 0; start < alerts.length; start = end) {
      let objects = 0;
      for (; end < alerts.length && (end === start || objects < objectsPerStatement); end += 1)
        objects += objectsPerAlert + (alerts[end]?.count ?? 0);
      await takeSlice(context, (unitsPerSlice * objects) / objectsPerStatement);
      const part = givenAlerts(context, alerts.slice(start, end));
      for (const other of await insertAlerts(write, part, insertsAll)) others.set(other.id, other);
    }
  };
  await Promise.all([locked, insertParts()]);
  const details = raised.flatMap(({ alert: { id }, position }) => {
    const other = others.get(id);
    return other?.isSame === null && !other.hasUpload
      ? [{ path: `input.${position}.uploadId`, message: usableUpload }]
      : [];
  });
  if (details.length > 0) throw badRequest(details);
  assertNotDeleted([...others.values()]);
  return alerts.filter(({ id }) => !others.has(id));
}
