import { LRUCache } from "lru-cache";
import type { EvaluatedRule } from "./detection.js";
import type { EvaluatedCamera } from "./detection-states.js";
import { type PreparedRules, prepareRules } from "./prepared-rules.js";

/** The rules of a camera, prepared for many frames. */
interface KnownRules {
  prepared: PreparedRules;
  /** The names of the rules, by their IDs. */
  names: ReadonlyMap<string, string>;
}

/** The maximum length of the texts that prepared rules are kept for, in all. */
const maxLength = 16 * 1024 * 1024;

/**
 * Rules by all that they are prepared from, since the rules of a camera are the same from
 * frame to frame. Whatever changes makes another key.
 */
const known = new LRUCache<string, KnownRules>({
  maxSize: maxLength,
  sizeCalculation: (_rules, key) => key.length,
});

/** The evaluated rules of a camera. */
export function rulesOf(
  camera: Pick<EvaluatedCamera, "rules" | "imageDimensions" | "timeZoneId">,
): KnownRules {
  const { imageDimensions, timeZoneId, rules } = camera;
  const key = `${timeZoneId} ${imageDimensions?.width}x${imageDimensions?.height} ${rules}`;
  const found = known.get(key);
  if (found) return found;
  const parsed = JSON.parse(rules) as (EvaluatedRule & { name: string })[];
  const made = {
    prepared: prepareRules(parsed, camera),
    names: new Map(parsed.map(({ id, name }) => [id, name])),
  };
  known.set(key, made);
  return made;
}
