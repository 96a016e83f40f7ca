// Runs once: no database can influence what is tested here.
import { cutToFrame } from "../../src/features/detection/evaluation/cut-boxes.js";
import { emptyState, type FiredAlert } from "../../src/features/detection/evaluation/detection.js";
import { type PreparedRules, prepareRules } from "../../src/features/detection/evaluation/prepared-rules.js";
import { step } from "../../src/features/detection/evaluation/step.js";
import { decodeState, encodeState } from "../../src/features/detection/evaluation/stored-state.js";
import { Oracle } from "./oracle.js";
import { type RandomScene, RandomScenes } from "./random-scenes.js";

/** The alerts of each frame of a scene; undefined for dropped frames. */
function stepped({ frames, at }: RandomScene): (FiredAlert[] | undefined)[] {
  let state = emptyState;
  const prepared = new Map(at.map((now) => [now, prepareRules(now.rules, now.camera)]));
  return frames.map((frame, position) => {
    const rules = prepared.get(at[position] as RandomScene["at"][number]) as PreparedRules;
    const objects = cutToFrame(frame.objects, frame);
    const result = step(state, { ...frame, objects }, rules);
    // Between two requests, the database keeps the state.
    if (!result.isDropped) state = decodeState(encodeState(result.state));
    return result.isDropped ? undefined : result.alerts;
  });
}

function expected({ frames, at }: RandomScene): (FiredAlert[] | undefined)[] {
  const oracle = new Oracle();
  return frames.map((frame, position) => {
    const { rules, camera } = at[position] as RandomScene["at"][number];
    return oracle.next(frame, rules, camera);
  });
}

it("raises the same alerts as the words of the documentation, in 20,000 random scenes", () => {
  const scenes = new RandomScenes(39);
  let raised = 0;
  for (let run = 0; run < 20_000; run += 1) {
    const scene = scenes.next();
    const alerts = stepped(scene);
    raised += alerts.flatMap((each) => each ?? []).length;
    // Compared as text, which takes a fraction of the time; the rest says what differs.
    if (JSON.stringify(alerts) !== JSON.stringify(expected(scene)))
      expect({ run, scene, alerts }).toEqual({ run, scene, alerts: expected(scene) });
  }
  expect(raised).toBeGreaterThan(10_000);
});
