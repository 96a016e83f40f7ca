import { useState } from "react";
import { type CombinedError, useClient } from "urql";
import {
  AddRuleDocument,
  type CameraRuleFragment,
  type CopyTargetFragment,
} from "../../../generated/console.js";
import { randomUuid } from "../../../platform/random-uuid.js";
import { codeOf } from "../../data/failure.js";
import { serverTime } from "../../data/server-time.js";
import { newSecret } from "../webhook/new-secret.js";
import { type CopyPlace, copyFor } from "./copied-rule.js";

/** What became of the copies. */
export interface Copying {
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
