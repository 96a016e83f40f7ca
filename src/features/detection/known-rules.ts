import { LRUCache } from "lru-cache";
import type { RequestContext } from "../../engine/operation/request-context.js";
import type { WriteAccess } from "../../engine/operation/write.js";
import { groupBy } from "../../platform/group-by.js";
import { inSlices, type SlicedWork } from "../../platform/queues/slices.js";
import { exceedsTreeLimits, ruleNode } from "../alert-rule/rule-tree.js";
import { type EvaluatedCamera, readRules, type StoredRule } from "./detection-states.js";
import type { EvaluatedRule } from "./evaluation/detection.js";
import { type PreparedRules, slicedPreparation } from "./evaluation/prepared-rules.js";

/** The rules of a camera that are `evaluated`, prepared for many frames. */
export interface KnownRules {
  version: string;
  prepared: PreparedRules;
  /** The names of the prepared rules, by their IDs. */
  names: ReadonlyMap<string, string>;
  /** Why the other rules are not evaluated, by their IDs. */
  others: Readonly<Record<string, "INACTIVE" | "TOO_LARGE">>;
  /** The length of the texts that the rules were prepared from. */
  length: number;
}

/** The maximum length of the texts that a gateway keeps prepared rules of, in all. */
const maxLength = 16 * 1024 * 1024;
/** The bytes of rules that are read and prepared at once, if a camera has not more. */
const maxBytesAtOnce = 4 * 1024 * 1024;
/** The length of a text whose reading takes a unit of work. */
const lengthPerUnit = 2_000;

/** The rules by camera of each gateway, kept because they are the same from frame to frame. */
const knownBy = new WeakMap<RequestContext["services"], LRUCache<string, KnownRules>>();

/**
 * The rules of cameras whose states are locked, by camera, for a few cameras at a time: as many as may have
 * their rules in memory at once.
 */
export async function* rulesOf(
  context: RequestContext,
  write: WriteAccess,
  cameras: readonly EvaluatedCamera[],
): AsyncGenerator<{ cameras: readonly EvaluatedCamera[]; rules: ReadonlyMap<string, KnownRules> }> {
  const known = knownRules(context);
  let part = new Part();
  for (const camera of cameras) {
    const found = known.get(camera.cameraId);
    const rules = found?.version === camera.rulesVersion ? found : undefined;
    if (!rules && !part.hasRoomFor(camera)) {
      yield await part.complete(context, write);
      part = new Part();
    }
    part.add(camera, rules);
  }
  yield await part.complete(context, write);
}

class Part {
  readonly #cameras: EvaluatedCamera[] = [];
  readonly #unknown: EvaluatedCamera[] = [];
  readonly #rules = new Map<string, KnownRules>();
  #bytes = 0;

  hasRoomFor({ rulesSize }: EvaluatedCamera): boolean {
    return this.#unknown.length === 0 || this.#bytes + rulesSize <= maxBytesAtOnce;
  }

  add(camera: EvaluatedCamera, rules: KnownRules | undefined): void {
    this.#cameras.push(camera);
    if (rules) this.#rules.set(camera.cameraId, rules);
    else {
      this.#unknown.push(camera);
      this.#bytes += camera.rulesSize;
    }
  }

  async complete(context: RequestContext, write: WriteAccess) {
    if (this.#unknown.length > 0) {
      const ids = this.#unknown.map(({ cameraId }) => cameraId);
      const stored = groupBy(await readRules(write, ids), ({ cameraId }) => cameraId);
      for (const camera of this.#unknown) {
        const { cameraId } = camera;
        const rules = await inSlices(context, prepared(camera, stored.get(cameraId) ?? []));
        knownRules(context).set(cameraId, rules);
        this.#rules.set(cameraId, rules);
      }
    }
    return { cameras: this.#cameras, rules: this.#rules };
  }
}

function knownRules({ services }: RequestContext): LRUCache<string, KnownRules> {
  const known =
    knownBy.get(services) ??
    new LRUCache<string, KnownRules>({ maxSize: maxLength, sizeCalculation: ({ length }) => length });
  knownBy.set(services, known);
  return known;
}

/** The length of what is kept of a rule besides its tree. */
const ruleOverhead = 200;

function* prepared(camera: EvaluatedCamera, stored: readonly StoredRule[]): SlicedWork<KnownRules> {
  const rules: EvaluatedRule[] = [];
  const others: Record<string, "INACTIVE" | "TOO_LARGE"> = {};
  let length = ruleOverhead;
  for (const rule of stored) {
    const text = rule.group ?? "";
    length += ruleOverhead;
    yield 1 + text.length / lengthPerUnit;
    const group = rule.group === null ? null : ruleNode(JSON.parse(text));
    if (group && !exceedsTreeLimits(group)) {
      length += text.length;
      rules.push({ ...rule, group });
    } else others[rule.id] = rule.isActive ? "TOO_LARGE" : "INACTIVE";
  }
  const names = new Map(stored.map(({ id, name }) => [id, name]));
  return {
    version: camera.rulesVersion,
    prepared: yield* slicedPreparation(rules, camera),
    names,
    others,
    length,
  };
}
