import { defined } from "../../platform/defined.js";
import { nameUuid } from "../../platform/ids/name-uuid.js";
import type { SlicedWork } from "../../platform/queues/slices.js";
import { maxInfoLength, type RecordAlertInput } from "../alert/recording/record-alerts.input.js";
import { type DetectionFrameInput, frameOf, isAhead } from "./detection-frame.input.js";
import type { EvaluatedCamera } from "./detection-states.js";
import { type DetectedObject, emptyState, type FiredAlert } from "./evaluation/detection.js";
import { appliedRules, type PreparedRule } from "./evaluation/prepared-rules.js";
import { slicedStep } from "./evaluation/step.js";
import { decodeState, encodeState } from "./evaluation/stored-state.js";
import { isSnoozed } from "./evaluation/window.js";
import type { KnownRules } from "./known-rules.js";

export interface IndexedFrame {
  frame: DetectionFrameInput;
  position: number;
}

export interface RaisedAlert {
  alert: RecordAlertInput;
  position: number;
}

/** Why a rule cannot raise anything at a time. */
type QuietReason = "INACTIVE" | "TOO_LARGE" | "SNOOZED" | "OUTSIDE_WINDOW";

export interface SeenCamera {
  cameraId: string;
  /** The number of rules that the last frame was put to. */
  evaluatedRules: number;
  /** Why the camera's other rules that are `evaluated` were quiet, by their IDs. */
  quiet: Record<string, QuietReason>;
}

interface EvaluatedFrames {
  cameras: SeenCamera[];
  /** The new states as texts, by camera. */
  states: Map<string, string>;
  /** In the order of the cameras. */
  raised: RaisedAlert[];
  /** The frames that were evaluated; those of each camera in their order. */
  processed: DetectionFrameInput[];
  /** The number of frames that were not later than the camera's last one. */
  dropped: number;
}

export const noFrames = (): EvaluatedFrames => ({
  cameras: [],
  states: new Map(),
  raised: [],
  processed: [],
  dropped: 0,
});

/** The length of a stored state that can be read in a unit of work. */
const lengthPerUnit = 2_000;

/**
 * Evaluates the frames of each camera in the order given, and adds what becomes of them: whoever sends them
 * in several requests gets the same. `rulesOf` and `framesOf` have theirs by camera.
 */
export function* evaluateFrames(
  outcome: EvaluatedFrames,
  { cameras, rules }: { cameras: readonly EvaluatedCamera[]; rules: ReadonlyMap<string, KnownRules> },
  framesOf: ReadonlyMap<string, readonly IndexedFrame[]>,
  now: Date,
): SlicedWork<void> {
  for (const camera of cameras) {
    const known = defined(rules.get(camera.cameraId));
    const frames = defined(framesOf.get(camera.cameraId));
    yield* evaluateCamera(outcome, { camera, known, frames }, now);
    outcome.cameras.push(seenCamera(camera.cameraId, frames, known));
  }
}

function* evaluateCamera(
  outcome: EvaluatedFrames,
  { camera, known, frames }: { camera: EvaluatedCamera; known: KnownRules; frames: readonly IndexedFrame[] },
  now: Date,
): SlicedWork<void> {
  const text = camera.state ?? "";
  yield text.length / lengthPerUnit;
  const stored = text === "" ? emptyState : decodeState(text);
  // A clock that was ahead shuts nobody out until that time.
  const before = stored.at !== null && isAhead(stored.at, now) ? emptyState : stored;
  let state = before;
  for (const { frame, position } of frames) {
    const seen = frameOf(frame);
    const result = yield* slicedStep(state, seen, known.prepared);
    if (result.isDropped) {
      outcome.dropped += 1;
      continue;
    }
    outcome.processed.push(frame);
    state = result.state;
    if (result.alerts.length === 0) continue;
    yield result.alerts.length + seen.objects.length / objectsPerUnit;
    const reported = new ReportedObjects(seen.objects, result.alerts.length);
    for (const fired of result.alerts)
      outcome.raised.push({
        alert: alertOf(fired, frame, defined(known.names.get(fired.ruleId)), reported),
        position,
      });
  }
  if (state === before) return;
  yield (state.objects.length * known.prepared.rules.length) / staysPerUnit;
  outcome.states.set(camera.cameraId, encodeState(state));
}

/** The objects that can be written in a unit of work, if they have attributes. */
const objectsPerUnit = 20;
/** The stays that can be written in a unit of work. */
const staysPerUnit = 100;

/** What the rules of a camera made of its last frame, or would have if it is dropped. */
function seenCamera(
  cameraId: string,
  frames: readonly IndexedFrame[],
  { prepared, others }: KnownRules,
): SeenCamera {
  const at = frames.at(-1)?.frame.at.getTime() as number;
  const quiet: SeenCamera["quiet"] = { ...others };
  let evaluatedRules = 0;
  for (const [position, applies] of appliedRules(at, prepared).entries()) {
    const rule = prepared.rules[position] as PreparedRule;
    if (applies) evaluatedRules += 1;
    else quiet[rule.id] = isSnoozed(rule, at) ? "SNOOZED" : "OUTSIDE_WINDOW";
  }
  return { cameraId, evaluatedRules, quiet };
}

/** The alert of a rule for a frame. Its ID follows from the rule and the time, so that none is recorded twice. */
function alertOf(
  { ruleId, at, count, points, areaIds, area, objects }: FiredAlert,
  { cameraId, width, height, uploadId }: DetectionFrameInput,
  name: string,
  reported: ReportedObjects,
): RecordAlertInput {
  const createdAt = new Date(at);
  return {
    id: nameUuid(ruleId, createdAt.toISOString()),
    cameraId,
    alertRuleId: ruleId,
    name,
    createdAt,
    count,
    violatingCoordinates: points,
    areaIds,
    area,
    canvasDimensions: { width, height },
    info: reported.infoOf(objects),
    ...(uploadId != null && { uploadId }),
  };
}

/** What the alerts of a frame report of its objects: together, in equal shares, little more than the frame has. */
class ReportedObjects {
  readonly #lengths: ReadonlyMap<DetectedObject, number>;
  /** The most characters that one alert reports. */
  readonly #share: number;

  constructor(objects: readonly DetectedObject[], alerts: number) {
    this.#lengths = new Map(objects.map((object) => [object, JSON.stringify(object).length + 1]));
    const length = [...this.#lengths.values()].reduce((sum, each) => sum + each, 0);
    const shared = Math.max(leastLength, maxLengthRatio * length);
    this.#share = Math.min(maxInfoLength - lengthOfRest, Math.floor(shared / alerts));
  }

  /** The first of the objects that an alert reports, and how many others it reports. */
  infoOf(objects: readonly DetectedObject[]): object {
    let end = 0;
    for (let length = 0; end < objects.length; end += 1) {
      length += this.#lengths.get(objects[end] as DetectedObject) as number;
      if (length > this.#share) break;
    }
    const omittedObjects = objects.length - end;
    return {
      source: "detections",
      objects: objects.slice(0, end),
      ...(omittedObjects > 0 && { omittedObjects }),
    };
  }
}

/** The characters in all that the alerts of a small frame may report. */
const leastLength = 128 * 1024;
/** The characters that the alerts of a frame may report for each one of its objects. */
const maxLengthRatio = 2;
/** The characters of an alert's information besides its objects. */
const lengthOfRest = 100;
