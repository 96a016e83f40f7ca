import { randomUuid } from "../../../platform/random-uuid.js";
import type { Texts } from "../../form/field.js";
import { linesOf } from "../../form/lines.js";
import { detectionsOf, type RuleNode, withChanges, withFields } from "../rule-node.js";
import { parameterTexts, withParameters } from "./parameters.js";

/** The types that every rule can have, in the order of the list. */
export const knownTypes: readonly string[] = [
  "STATIC_DELIMITATION_AREA",
  "VEHICLE_IN_PEDESTRIAN_AREA",
  "MIN_WORKER_IN_CONFINED_SPACE",
];

/** The objects that can be ticked. Others are written. */
export const knownObjects = ["PERSON", "VEHICLE", "FORKLIFT", "TRUCK", "CAR", "BICYCLE"] as const;

/** The field of the checkbox of an object. */
export const objectField = (label: string) => `object ${label}`;

/**
 * What a rule detects, if the form can change it: its only condition besides areas. Other
 * trees, which come from programs, stay as they are.
 */
export function changeableDetection(tree: RuleNode): RuleNode | undefined {
  const [detection, ...others] = detectionsOf(tree);
  return others.length === 0 ? detection : undefined;
}

/** The tree of a new rule. */
export const newTree = (): RuleNode => ({
  type: "GROUP",
  operator: "AND",
  children: [{ id: randomUuid(), type: "STATIC_DELIMITATION_AREA", objects: ["PERSON"] }],
});

/** The texts of the fields for the conditions of a rule. */
export function conditionTexts(tree: RuleNode): Texts {
  const detection = changeableDetection(tree);
  const { type, objects = [] } = detection ?? { type: "" };
  const isKnown = (label: string) => (knownObjects as readonly string[]).includes(label);
  return {
    title: tree.name ?? "",
    type,
    otherObjects: objects.filter((label) => !isKnown(label)).join(", "),
    ...(detection && parameterTexts(tree, detection)),
    ...Object.fromEntries(objects.filter(isKnown).map((label) => [objectField(label), "on"])),
  };
}

/**
 * A tree as the form says. Keeps what the form cannot change, also in the conditions that
 * it changes.
 */
export function treeOf(texts: Texts, tree: RuleNode): RuleNode {
  const named = withChanges(tree, { name: texts.title?.trim() || undefined });
  const detection = changeableDetection(tree);
  if (!detection?.id || !texts.type) return named;
  const objects = objectsOf(texts);
  const before = new Set(detection.objects);
  const isSame = objects.length === before.size && objects.every((label) => before.has(label));
  const chosen = withFields(named, detection.id, { type: texts.type, ...(!isSame && { objects }) });
  return withParameters(chosen, detection, texts);
}

/** The objects that are ticked or written. */
const objectsOf = (texts: Texts): string[] => [
  ...knownObjects.filter((label) => objectField(label) in texts),
  ...linesOf(texts.otherObjects ?? ""),
];
