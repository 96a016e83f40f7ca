import type { RuleNode } from "../rule-node.js";

const person = ["PERSON"];

/** What people often look for. */
export const presets = {
  forbiddenArea: { type: "STATIC_DELIMITATION_AREA", objects: person },
  vehicle: { type: "VEHICLE_IN_PEDESTRIAN_AREA", objects: ["VEHICLE", "FORKLIFT", "TRUCK", "CAR"] },
  noHelmet: { type: "NO_HELMET", objects: person, attributes: { helmet: false } },
  noVest: { type: "NO_SAFETY_VEST", objects: person, attributes: { vest: false } },
  tooLong: { type: "LOITERING", objects: person, minSeconds: 60 },
  tooMany: { type: "MAX_PEOPLE", objects: person, maxCount: 5 },
  tooFew: { type: "MIN_WORKER_IN_CONFINED_SPACE", objects: person, minCount: 2 },
  blockedExit: { type: "BLOCKED_EXIT", objects: [], minSeconds: 60 },
} satisfies Record<string, RuleNode>;

export type Preset = keyof typeof presets;

/** Those that concern the whole picture as long as no area is drawn. */
export const wholePicture: readonly Preset[] = ["noHelmet", "noVest", "tooMany", "tooFew"];
