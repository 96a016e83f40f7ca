import { assertCan } from "../../../engine/access/permissions.js";
import type { RequestContext } from "../../../engine/operation/request-context.js";
import { Prisma } from "../../../generated/prisma/client.js";
import { badRequest, orNotFound } from "../../../platform/errors/errors.js";
import { inSlices, type SlicedWork } from "../../../platform/queues/slices.js";
import { everyDay } from "../../alert-rule/alert-rule-write.service.js";
import { completeTree, ruleNode } from "../../alert-rule/rule-tree.js";
import { facilityTimeZone } from "../../facility/facility.loader.js";
import { cutFrames, type DetectionFrameInput, frameOf, framesAhead } from "../detection-frame.input.js";
import { type CameraScene, type EvaluatedRule, emptyState } from "../evaluation/detection.js";
import { slicedPreparation } from "../evaluation/prepared-rules.js";
import { slicedStep } from "../evaluation/step.js";
import type { TestAlertRuleArguments } from "./alert-rule-test.input.js";
import type { AlertRuleTest, TestAlert } from "./alert-rule-test.type.js";

/**
 * What a rule would raise on frames of a camera of which nothing else is known. Requires alert-rules:write
 * at the camera's facility.
 */
export async function testAlertRule(
  context: RequestContext,
  { cameraId, group, frames, dayRange, timeRange }: TestAlertRuleArguments,
): Promise<AlertRuleTest> {
  const ahead = framesAhead("frames", frames, context.services.now());
  if (ahead.length > 0) throw badRequest(ahead);
  const [camera] = await context.visible.query<CameraScene & { facilityId: string }>(
    ({ cameras, facilities }) => Prisma.sql`
      SELECT item."facilityId", item."imageDimensions", ${facilityTimeZone} AS "timeZoneId"
      FROM ${cameras} AS item JOIN ${facilities} AS facility ON facility."id" = item."facilityId"
      WHERE item."id" = ${cameraId}::uuid`,
  );
  const { facilityId, ...scene } = orNotFound(camera);
  assertCan(context.caller, "alert-rules:write", facilityId);
  const [start, end] = timeRange ?? [];
  const rule: EvaluatedRule = {
    id: cameraId,
    group: completeTree(ruleNode(group)),
    dayRange: dayRange ?? everyDay,
    timeRange: start && end ? { start: start.getTime(), end: end.getTime() } : null,
    snoozes: [],
  };
  return { alerts: await inSlices(context, alertsOf(rule, scene, cutFrames(frames).frames)) };
}

function* alertsOf(
  rule: EvaluatedRule,
  scene: CameraScene,
  frames: readonly DetectionFrameInput[],
): SlicedWork<TestAlert[]> {
  const prepared = yield* slicedPreparation([rule], scene);
  const alerts: TestAlert[] = [];
  let state = emptyState;
  for (const frame of frames) {
    const result = yield* slicedStep(state, frameOf(frame), prepared);
    state = result.state;
    for (const { at, count, points } of result.alerts)
      alerts.push({ at: new Date(at), count, violatingCoordinates: points });
  }
  return alerts;
}
