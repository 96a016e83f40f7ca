import { LRUCache } from "lru-cache";
import type { GatewayServices } from "../operation/gateway-services.js";
import type { RawWriteAccess } from "../operation/write.js";
import type { EvaluatedRule } from "./detection.js";
import { type EvaluatedCamera, readRules } from "./detection-states.js";
import { type PreparedRules, prepareRules } from "./prepared-rules.js";

/** The rules of a camera, prepared for many frames. */
export interface KnownRules {
  version: string;
  prepared: PreparedRules;
  /** The names of the rules, by their IDs. */
  names: ReadonlyMap<string, string>;
  /** The length of the text that the rules were prepared from. */
  length: number;
}

/** The maximum length of the texts that a gateway keeps prepared rules of, in all. */
const maxLength = 16 * 1024 * 1024;

/** Of each gateway the rules by camera, since they are the same from frame to frame. */
const knownBy = new WeakMap<GatewayServices, LRUCache<string, KnownRules>>();

/** The evaluated rules of cameras whose states are locked, by camera. */
export async function rulesOf(
  services: GatewayServices,
  write: RawWriteAccess,
  cameras: readonly EvaluatedCamera[],
): Promise<Map<string, KnownRules>> {
  const known = knownRules(services);
  const rules = new Map<string, KnownRules>();
  const others: EvaluatedCamera[] = [];
  for (const camera of cameras) {
    const found = known.get(camera.cameraId);
    if (found?.version === camera.rulesVersion) rules.set(camera.cameraId, found);
    else others.push(camera);
  }
  if (others.length === 0) return rules;
  const read = await readRules(
    write,
    others.map(({ cameraId }) => cameraId),
  );
  for (const camera of others) {
    const made = prepared(camera, read.get(camera.cameraId) ?? "[]");
    known.set(camera.cameraId, made);
    rules.set(camera.cameraId, made);
  }
  return rules;
}

function knownRules(services: GatewayServices): LRUCache<string, KnownRules> {
  const known =
    knownBy.get(services) ??
    new LRUCache<string, KnownRules>({ maxSize: maxLength, sizeCalculation: ({ length }) => length });
  knownBy.set(services, known);
  return known;
}

function prepared(camera: EvaluatedCamera, text: string): KnownRules {
  const rules = JSON.parse(text) as (EvaluatedRule & { name: string })[];
  return {
    version: camera.rulesVersion,
    prepared: prepareRules(rules, camera),
    names: new Map(rules.map(({ id, name }) => [id, name])),
    length: text.length,
  };
}
