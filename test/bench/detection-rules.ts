import {
  type DetectionFrame,
  type EvaluatedRule,
  emptyState,
} from "../../src/features/detection/evaluation/detection.js";
import { prepareRules } from "../../src/features/detection/evaluation/prepared-rules.js";
import { step } from "../../src/features/detection/evaluation/step.js";
import { listOf } from "../support/list-of.js";
import { frameMs, objectsOf, picture, ruleId, rulesPerCamera, treeOf } from "./detection-scene.js";

/** Frames per second that the rules of one camera are evaluated on, several times. */
function measureRules(): number[] {
  const rules = listOf(
    rulesPerCamera,
    (n): EvaluatedRule => ({
      id: ruleId(n),
      group: treeOf(n),
      dayRange: [0, 1, 2, 3, 4, 5, 6],
      timeRange: null,
      snoozes: [],
    }),
  );
  const prepared = prepareRules(rules, { imageDimensions: picture, timeZoneId: "Europe/Istanbul" });
  const count = 50_000;
  const frames = listOf(
    count,
    (n): DetectionFrame => ({ at: n * frameMs, ...picture, objects: objectsOf(n) }),
  );
  return listOf(5, () => {
    let state = emptyState;
    const started = performance.now();
    for (const frame of frames) state = step(state, frame, prepared).state;
    return count / ((performance.now() - started) / 1000);
  });
}

console.log(JSON.stringify(measureRules()));
