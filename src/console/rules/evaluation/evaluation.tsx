import { clockTime, isOpen, windowOf } from "../../../features/detection/evaluation/window.js";
import type { CameraEvaluationFragment } from "../../../generated/console.js";
import { Moment, translated, useNow } from "../../language/language.js";
import { isQuiet } from "../../snooze/snooze.js";
import { english } from "./english.js";
import { german } from "./german.js";

/** Frames arrive while the last one is not older, in milliseconds. */
const recently = 10 * 60_000;

interface RuleEvaluationProps {
  camera: CameraEvaluationFragment;
  ruleId: string;
}

/** By whom a rule is evaluated, when a frame last came, and why nothing can come of it now. */
export function RuleEvaluation({ camera, ruleId }: RuleEvaluationProps) {
  const texts = useTexts();
  const now = useNow();
  const rule = camera.alertRules.find(({ id }) => id === ruleId);
  if (!rule) return null;
  const reason = quietReason(rule, camera, now);
  return (
    <p className="hint">
      {rule.evaluated ? (
        <>
          {texts.byGateway}{" "}
          {camera.lastDetectionAt === null ? (
            texts.noFrame
          ) : (
            <>
              {texts.lastFrame} <Moment instant={camera.lastDetectionAt} form="relative" />.
            </>
          )}
        </>
      ) : (
        texts.byDetector
      )}
      {reason && reason !== "NOT_EVALUATED" && ` ${texts.quiet[reason]}`}
    </p>
  );
}

/** Warns where frames arrive and nothing can come of them. */
export function FramesInVain({ camera }: { camera: CameraEvaluationFragment }) {
  const texts = useTexts();
  const now = useNow();
  const { lastDetectionAt, alertRules } = camera;
  if (lastDetectionAt === null || now.getTime() - Date.parse(lastDetectionAt) > recently) return null;
  const reasons = new Set(alertRules.map((rule) => quietReason(rule, camera, now)));
  if (reasons.has(undefined)) return null;
  return (
    <div className="frames-in-vain" role="status">
      <p className="problem">
        {texts.lastFrame} <Moment instant={lastDetectionAt} form="relative" />.{" "}
        {alertRules.some(({ evaluated }) => evaluated) ? texts.allQuiet : texts.unevaluated}
      </p>
    </div>
  );
}

type Rule = CameraEvaluationFragment["alertRules"][number];

/** Why a frame of now could raise no alert by a rule, by the order of the gateway; undefined if one could. */
function quietReason(rule: Rule, { facility, ...camera }: CameraEvaluationFragment, now: Date) {
  if (!rule.evaluated) return "NOT_EVALUATED";
  if (rule.status !== "ACTIVE") return "INACTIVE";
  if ([rule, camera, facility].some((each) => isQuiet(each, now))) return "SNOOZED";
  const zone = facility.effectiveTimeZoneId;
  const [start, end] = rule.timeRange ?? [];
  const timeRange = start && end ? { start: Date.parse(start), end: Date.parse(end) } : null;
  const window = windowOf({ dayRange: rule.dayRange, timeRange }, zone);
  return !window || isOpen(window, clockTime(now.getTime(), zone)) ? undefined : "OUTSIDE_WINDOW";
}

const useTexts = translated(english, german);
