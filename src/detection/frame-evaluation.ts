import { maxInfoLength, type RecordAlertInput } from "../alert/recording/record-alerts.input.js";
import { nameUuid } from "../platform/name-uuid.js";
import type { SlicedWork } from "../platform/queues/turns.js";
import { type CameraState, type DetectedObject, emptyState, type FiredAlert } from "./detection.js";
import { type DetectionFrameInput, frameOf } from "./detection-frame.input.js";
import type { EvaluatedCamera } from "./detection-states.js";
import type { KnownRules } from "./known-rules.js";
import { slicedStep } from "./step.js";
import { decodeState } from "./stored-state.js";

/** A frame with its position in the input. */
export interface PlacedFrame {
  frame: DetectionFrameInput;
  position: number;
}

/** An alert that a rule raises for a frame of the input. */
export interface RaisedAlert {
  alert: RecordAlertInput;
  /** The position of the frame in the input. */
  position: number;
}

/** What becomes of the frames of some cameras. */
export interface EvaluatedFrames {
  /** The new states, by camera. */
  states: Map<string, CameraState>;
  /** In the order in which they happened. */
  raised: RaisedAlert[];
  /** The frames that were evaluated; those of each camera in their order. */
  processed: DetectionFrameInput[];
  /** The number of frames that were not later than the camera's last one. */
  dropped: number;
}

/**
 * Evaluates the frames of each camera in the order given: whoever sends them in several
 * requests gets the same. `rulesOf` and `framesOf` have theirs by camera.
 */
export function* evaluateFrames(
  cameras: readonly EvaluatedCamera[],
  rulesOf: ReadonlyMap<string, KnownRules>,
  framesOf: ReadonlyMap<string, readonly PlacedFrame[]>,
): SlicedWork<EvaluatedFrames> {
  const outcome: EvaluatedFrames = { states: new Map(), raised: [], processed: [], dropped: 0 };
  for (const camera of cameras) {
    const { cameraId } = camera;
    const { prepared, names } = rulesOf.get(cameraId) as KnownRules;
    let state = camera.state === null ? emptyState : decodeState(camera.state);
    for (const { frame, position } of framesOf.get(cameraId) ?? []) {
      const result = yield* slicedStep(state, frameOf(frame), prepared);
      if (result.isDropped) {
        outcome.dropped += 1;
        continue;
      }
      outcome.processed.push(frame);
      state = result.state;
      outcome.states.set(cameraId, state);
      for (const fired of result.alerts)
        outcome.raised.push({ alert: alertOf(fired, frame, names), position });
    }
  }
  outcome.raised.sort((one, other) => Number(one.alert.createdAt) - Number(other.alert.createdAt));
  return outcome;
}

/**
 * The alert that a rule raises for a frame. Its ID is always the same for the rule and the
 * time of the frame, so that no repetition records it twice.
 */
function alertOf(
  { ruleId, at, count, points, areaIds, area, objects }: FiredAlert,
  { cameraId, width, height, uploadId }: DetectionFrameInput,
  names: ReadonlyMap<string, string>,
): RecordAlertInput {
  const createdAt = new Date(at);
  return {
    id: nameUuid(ruleId, createdAt.toISOString()),
    cameraId,
    alertRuleId: ruleId,
    name: names.get(ruleId) as string,
    createdAt,
    count,
    violatingCoordinates: points,
    areaIds,
    area,
    canvasDimensions: { width, height },
    info: infoOf(objects),
    ...(uploadId != null && { uploadId }),
  };
}

/** The objects that an alert tells, as many as it can hold. */
function infoOf(objects: readonly DetectedObject[]): object {
  const fitting: DetectedObject[] = [];
  let length = JSON.stringify({ source: "detections", objects: [] }).length;
  for (const object of objects) {
    length += JSON.stringify(object).length + 1;
    if (length > maxInfoLength) break;
    fitting.push(object);
  }
  return { source: "detections", objects: fitting };
}
