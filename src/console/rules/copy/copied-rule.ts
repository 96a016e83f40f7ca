import type { CameraRuleFragment, CreateAlertRuleInput } from "../../../generated/console.js";
import type { Size } from "../../../platform/geometry.js";
import { within } from "../areas.js";
import { type RuleNode, withChanges } from "../rule-node.js";
import { hoursOf, timeRangeOf } from "../schedule.js";

/** What a copy depends on: the picture of a camera, and the clock of its facility. */
export interface CopyPlace {
  imageDimensions?: Size | null;
  timeZone: string;
}

/** What copies of a rule have in common. */
interface Copies {
  from: CopyPlace;
  now: Date;
  /** A new secret for the webhook, as nobody can read the rule's own. */
  secret: string | undefined;
}

/**
 * A rule for another camera: with new IDs, its areas scaled to the other picture, and at
 * the same hours by the clock of the other facility.
 */
export function copyFor(
  rule: CameraRuleFragment,
  to: CopyPlace,
  { from, now, secret }: Copies,
): CreateAlertRuleInput {
  const { name, severity, status, observation, evaluated, dayRange, emails, phoneNumbers } = rule;
  const hours = hoursOf(rule.timeRange, from.timeZone);
  const { url, enabled } = rule.apiNotification ?? {};
  return {
    name,
    severity,
    status,
    observation,
    evaluated,
    dayRange,
    emails,
    phoneNumbers,
    timeRange: hours ? timeRangeOf(hours, to.timeZone, now) : null,
    apiNotification:
      url === undefined ? null : { url, enabled: enabled ?? true, ...(secret !== undefined && { secret }) },
    group: copiedTree(rule.group as RuleNode, from.imageDimensions, to.imageDimensions),
  };
}

/** A tree without IDs, scaled from one picture to another if both sizes are known. */
function copiedTree(node: RuleNode, from: Size | null | undefined, to: Size | null | undefined): RuleNode {
  const points =
    from && to
      ? node.points?.map(({ x, y }) =>
          within(to, { x: (x * to.width) / from.width, y: (y * to.height) / from.height }),
        )
      : node.points;
  const children = node.children?.map((child) => copiedTree(child, from, to));
  return withChanges(node, { id: undefined, points, children });
}
