import { useState } from "react";
import { type CombinedError, useClient } from "urql";
import {
  AddRuleDocument,
  type CameraRuleFragment,
  type CopyTargetFragment,
  type CreateAlertRuleInput,
} from "../../../generated/console.js";
import type { Size } from "../../../platform/geometry.js";
import { randomUuid } from "../../../platform/random-uuid.js";
import { codeOf } from "../../data/failure.js";
import { serverTime } from "../../data/server-time.js";
import { within } from "../areas.js";
import { type RuleNode, withChanges } from "../rule-node.js";
import { hoursOf, timeRangeOf } from "../schedule.js";
import { newSecret } from "../webhook/new-secret.js";

/** What became of the copies. */
interface Copying {
  /** The IDs of the cameras that have the copy. */
  copied: ReadonlySet<string>;
  /** The cameras that do not have it, and why. */
  failed: ReadonlyMap<CopyTargetFragment, CombinedError>;
  isRunning: boolean;
}

/** Failures that concern one camera only; after others, the rest would fail, too. */
const aboutOneCamera = new Set(["BAD_REQUEST", "FORBIDDEN", "NOT_FOUND", "CONFLICT"]);

/**
 * Copies a rule to other cameras, one after the other. A repetition sends what was sent
 * before under the same key, so that no camera gets a second copy, whatever happened to
 * the first answer.
 */
export function useCopying(rule: CameraRuleFragment, from: CopyPlace) {
  const client = useClient();
  const [run] = useState(() => ({
    key: randomUuid(),
    rule,
    from,
    now: new Date(serverTime()),
    secret: rule.apiNotification?.hasSecret ? newSecret() : undefined,
  }));
  const [copying, setCopying] = useState<Copying>({ copied: new Set(), failed: new Map(), isRunning: false });
  const copyTo = async (target: CopyTargetFragment) => {
    const place = { imageDimensions: target.imageDimensions ?? null, timeZone: target.facility.timeZoneId };
    const { error } = await client
      .mutation(
        AddRuleDocument,
        { camera: target.id, input: copyFor(run.rule, place, run) },
        { fetchOptions: { headers: { "Idempotency-Key": `${run.key} ${target.id}` } } },
      )
      .toPromise();
    return error;
  };
  /** Copies to those of the cameras that have no copy. Returns whether all have one then. */
  const copy = async (targets: readonly CopyTargetFragment[]): Promise<boolean> => {
    const copied = new Set(copying.copied);
    const failed = new Map<CopyTargetFragment, CombinedError>();
    const show = (isRunning: boolean) =>
      setCopying({ copied: new Set(copied), failed: new Map(failed), isRunning });
    for (const target of targets) {
      if (copied.has(target.id)) continue;
      show(true);
      const error = await copyTo(target);
      if (!error) copied.add(target.id);
      else {
        failed.set(target, error);
        if (!aboutOneCamera.has(codeOf(error) ?? "")) break;
      }
    }
    show(false);
    return targets.every(({ id }) => copied.has(id));
  };
  return { ...copying, secret: run.secret, copy };
}

/** What a copy depends on: the picture of a camera, and the clock of its facility. */
interface CopyPlace {
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
function copyFor(
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
