import { randomUUID } from "node:crypto";
import { z } from "zod";
import { uuid } from "../platform/scalars.js";
import { printableText } from "../platform/text-rules.js";
import type { RuleArea } from "./alert-rule.type.js";

/** A node of a rule's condition tree, as stored. */
export interface RuleNode {
  id: string;
  /** GROUP, AREA, or a detection type. */
  type: string;
  name?: string;
  operator?: string;
  children?: RuleNode[];
  points?: { x: number; y: number }[];
  color?: string;
  objects?: string[];
}

const maxTreeDepth = 8;
const maxNodes = 200;

const coordinate = z.number("must be a number").min(-100_000, "is too small").max(100_000, "is too large");
const nodeId = uuid.optional();
const nodeName = printableText(200);

const areaNode = z.strictObject({
  id: nodeId,
  type: z.literal("AREA"),
  name: nodeName,
  points: z
    .array(z.strictObject({ x: coordinate, y: coordinate }))
    .min(3, "must have at least 3 points")
    .max(100, "must have at most 100 points"),
  color: z
    .string()
    .regex(/^#[0-9a-f]{6}$/i, "must be a color such as #ff8800")
    .optional(),
  children: z.array(z.never("an AREA cannot have children")).optional(),
});

const detectionNode = z.strictObject({
  id: nodeId,
  type: z
    .string()
    .regex(
      /^(?!GROUP$|AREA$)[A-Z][A-Z0-9_]{0,99}$/,
      "must be GROUP, AREA or a detection type such as STATIC_DELIMITATION_AREA",
    ),
  objects: z.array(printableText(100)).min(1, "must not be empty").max(50, "must list at most 50"),
  children: z.array(z.never("a detection cannot have children")).optional(),
});

const groupNode = z.strictObject({
  id: nodeId,
  type: z.literal("GROUP"),
  name: nodeName.optional(),
  operator: z.enum(["AND", "OR"], { error: "must be AND or OR" }),
  children: z.array(z.unknown(), "must be a list").min(1, "must not be empty"),
});

type Report = (path: PropertyKey[], message: string) => void;

/**
 * Validates a tree node by node: IDs must be unique, and the numbers of levels and nodes
 * are limited.
 */
class TreeCheck {
  readonly #ids = new Set<string>();
  readonly #report: Report;
  #nodes = 0;

  constructor(report: Report) {
    this.#report = report;
  }

  check(node: unknown, path: PropertyKey[] = [], depth = 1): void {
    this.#nodes += 1;
    if (this.#nodes === maxNodes + 1) this.#report([], `must have at most ${maxNodes} nodes`);
    if (this.#nodes > maxNodes) return;
    if (depth > maxTreeDepth) {
      this.#report(path, `must have at most ${maxTreeDepth} levels`);
      return;
    }
    const outcome = schemaOf(node).safeParse(node);
    for (const issue of outcome.error?.issues ?? []) this.#report([...path, ...issue.path], issue.message);
    if (!outcome.success) return;
    const { id, children = [] } = outcome.data;
    if (id !== undefined && this.#ids.has(id)) this.#report([...path, "id"], "is not unique in the tree");
    if (id !== undefined) this.#ids.add(id);
    for (const [index, child] of children.entries())
      this.check(child, [...path, "children", index], depth + 1);
  }
}

function schemaOf(node: unknown): typeof groupNode | typeof areaNode | typeof detectionNode {
  const type = (node as { type?: unknown } | null)?.type;
  if (type === "GROUP") return groupNode;
  return type === "AREA" ? areaNode : detectionNode;
}

const isPlainObject = (value: unknown) =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The rules for a condition tree: a GROUP at the root, at most 8 levels and 200 nodes,
 * unique IDs.
 */
export const ruleTree = z
  .custom<Record<string, unknown>>(isPlainObject, "must be an object")
  .superRefine((root, context) => {
    const report: Report = (path, message) => context.addIssue({ code: "custom", path, message });
    if (root.type === "GROUP") new TreeCheck(report).check(root);
    else report(["type"], "the root of the tree must be a GROUP");
  });

/** Completes a valid tree for storage: every node has an ID, in lower case. */
export function completeTree(node: Omit<RuleNode, "id"> & { id?: string }): RuleNode {
  const { id, children, ...others } = node;
  return {
    id: id?.toLowerCase() ?? randomUUID(),
    ...others,
    ...(children && { children: children.map(completeTree) }),
  };
}

/** The areas of a tree, in tree order. */
export function areasOf(node: RuleNode): RuleArea[] {
  const own =
    node.type === "AREA"
      ? [{ id: node.id, name: node.name ?? null, color: node.color ?? null, points: node.points ?? [] }]
      : [];
  return [...own, ...(node.children ?? []).flatMap(areasOf)];
}

/**
 * The subjects and verbs of known detection types, given the detected objects: “a person
 * or a vehicle is”.
 */
const subjects: ReadonlyMap<string, (objects: readonly KnownObject[]) => string> = new Map([
  ["STATIC_DELIMITATION_AREA", one],
  ["VEHICLE_IN_PEDESTRIAN_AREA", one],
  [
    "MIN_WORKER_IN_CONFINED_SPACE",
    (objects) => `fewer than two ${objects.map(({ plural }) => plural).join(" or ")} are`,
  ],
]);

interface KnownObject {
  singular: string;
  plural: string;
}

const knownObjects: ReadonlyMap<string, KnownObject> = new Map([
  ["PERSON", { singular: "a person", plural: "persons" }],
  ["VEHICLE", { singular: "a vehicle", plural: "vehicles" }],
]);

function one(objects: readonly KnownObject[]): string {
  return `${objects.map(({ singular }) => singular).join(" or ")} is`;
}

/**
 * The beginning of a clause about a detection, up to its verb; undefined if only the
 * detector knows the meaning.
 */
function subjectOf({ type, objects = [] }: RuleNode): string | undefined {
  const known = objects.flatMap((object) => knownObjects.get(object.toUpperCase()) ?? []);
  return known.length === objects.length ? subjects.get(type)?.(known) : undefined;
}

function describeDetection(node: RuleNode): string {
  const subject = subjectOf(node);
  if (subject !== undefined) return `${subject} detected`;
  return `${node.type.toLowerCase().replaceAll("_", " ")} (${(node.objects ?? []).join(" or ").toLowerCase()})`;
}

/**
 * Describes a tree in English, such as “a person is in the area “Dock edge””. Other types
 * read “queue length (person) in the area “Dock edge””.
 */
export function describeTree(node: RuleNode, isRoot = true): string {
  if (node.type === "AREA") return `in the area “${node.name}”`;
  if (node.type !== "GROUP") return describeDetection(node);
  const children = node.children ?? [];
  // Put detections before areas, as people do.
  const ordered = [
    ...children.filter((child) => child.type !== "AREA"),
    ...children.filter((child) => child.type === "AREA"),
  ];
  const [first, second] = ordered;
  // Omit “detected” after the only subject in an area.
  const onlySubject =
    node.operator === "AND" && first && second?.type === "AREA" ? subjectOf(first) : undefined;
  const sentence = ordered.reduce((text, child, index) => {
    const next = index === 0 && onlySubject !== undefined ? onlySubject : describeTree(child, false);
    if (text === "") return next;
    // Put no “and” between a detection and its area.
    const joined = node.operator === "AND" && child.type === "AREA" && ordered[index - 1]?.type !== "AREA";
    return joined ? `${text} ${next}` : `${text} ${node.operator === "AND" ? "and" : "or"} ${next}`;
  }, "");
  if (!isRoot) return children.length > 1 ? `(${sentence})` : sentence;
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
