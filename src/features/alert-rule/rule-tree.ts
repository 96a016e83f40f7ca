import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Point } from "../../platform/geometry.js";
import { uuid } from "../../platform/input/scalars.js";
import { printableText } from "../../platform/input/text-rules.js";
import { isRecord, memberIn } from "../../platform/record.js";
import type { RuleArea } from "./alert-rule.type.js";
import { type ObjectAttributes, objectAttributes } from "./object-attributes.js";

export type RuleNode = {
  id: string;
  type: string;
  name?: string;
  operator?: string;
  children?: RuleNode[];
  points?: Point[];
  color?: string;
  /** The labels of the objects of a detection; any object if empty. */
  objects?: string[];
  minCount?: number;
  /** The greatest number of objects; of an excess, the number that is still permitted. */
  maxCount?: number;
  /** How long objects must stay. */
  minSeconds?: number;
  minConfidence?: number;
  attributes?: ObjectAttributes;
  /** The shortest time between two alerts of the rule, at the root. */
  cooldownSeconds?: number;
};

/** Returns the tree in a column, which the rules for trees have accepted. */
export function ruleNode(stored: unknown): RuleNode {
  if (!isNode(stored)) throw new Error("A rule has no tree");
  return stored;
}

/** The name that people gave to the rule with a tree; null if it has none. */
export const ruleNameIn = (stored: unknown): string | null => ruleNode(stored).name ?? null;

const isNode = (value: unknown): value is RuleNode => typeof memberIn(value, "type") === "string";

/** The maximum number of objects in a frame. */
export const maxFrameObjects = 200;

/** The maximum number of rules of a camera that are `evaluated`: the oldest ones. */
export const maxEvaluatedRules = 30;

const maxTreeDepth = 8;
/** What a tree may have at most, since every frame is compared with it. */
const maxNodes = 100;
const maxPoints = 1_000;
const maxBytes = 64 * 1024;
/** The limits of a tree, for descriptions. */
export const treeLimits = `At most ${maxTreeDepth} levels, ${maxNodes} nodes, ${maxPoints} points in all, and ${maxBytes} bytes as JSON without the \`id\` of nodes.`;

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

export const maxSeconds = 86_400;

const seconds = z
  .number("must be a number")
  .min(0, "must not be negative")
  .max(maxSeconds, `must be at most ${maxSeconds}`)
  .optional();

const numberOfObjects = z
  .int("must be an integer")
  .min(0, "must not be negative")
  .max(maxFrameObjects, `must be at most ${maxFrameObjects}`)
  .optional();

export const isShortage = (type: string): boolean => type.startsWith("MIN_");

export const isExcess = (type: string): boolean => type.startsWith("MAX_");

const detectionNode = z
  .strictObject({
    id: nodeId,
    type: z
      .string()
      .regex(
        /^(?!GROUP$|AREA$)[A-Z][A-Z0-9_]{0,99}$/,
        "must be GROUP, AREA or a detection type such as STATIC_DELIMITATION_AREA",
      ),
    objects: z.array(printableText(100), "must be a list").max(50, "must list at most 50"),
    minCount: numberOfObjects,
    maxCount: numberOfObjects,
    minSeconds: seconds,
    minConfidence: z
      .number("must be a number")
      .min(0, "must not be negative")
      .max(1, "must be at most 1")
      .optional(),
    attributes: objectAttributes.optional(),
    children: z.array(z.never("a detection cannot have children")).optional(),
  })
  .refine(({ type, maxCount }) => !isShortage(type) || maxCount === undefined, {
    path: ["maxCount"],
    error: "must not be given for a type that begins with MIN_",
  })
  .refine(({ type, minCount }) => !isExcess(type) || minCount === undefined, {
    path: ["minCount"],
    error: "must not be given for a type that begins with MAX_",
  })
  // What could never be met.
  .refine(({ type, minCount = 2 }) => minCount >= (isShortage(type) ? 2 : 1), {
    path: ["minCount"],
    error: "must be at least 1, or 2 for a type that begins with MIN_",
  })
  .refine(({ type, minCount = 1, maxCount = minCount }) => isExcess(type) || maxCount >= minCount, {
    path: ["maxCount"],
    error: "must not be less than minCount, which is 1 by default",
  });

const groupNode = z.strictObject({
  id: nodeId,
  type: z.literal("GROUP"),
  name: nodeName.optional(),
  operator: z.enum(["AND", "OR"], { error: "must be AND or OR" }),
  children: z.array(z.unknown(), "must be a list").min(1, "must not be empty"),
});

const rootNode = groupNode.extend({ cooldownSeconds: seconds });

type Report = (path: PropertyKey[], message: string) => void;

/** Validates a tree node by node: IDs must be unique, and the numbers of levels, nodes and points are limited. */
class TreeCheck {
  readonly #ids = new Set<string>();
  readonly #report: Report;
  #nodes = 0;
  #points = 0;

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
    const points = memberIn(node, "points");
    if (Array.isArray(points)) this.#points += points.length;
    if (this.#points > maxPoints) {
      this.#report([], `must have at most ${maxPoints} points in all`);
      return;
    }
    const outcome = (depth === 1 ? rootNode : schemaOf(node)).safeParse(node);
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
  const type = memberIn(node, "type");
  if (type === "GROUP") return groupNode;
  return type === "AREA" ? areaNode : detectionNode;
}

/** The rules for a condition tree: a GROUP at the root, unique IDs, and limited sizes. */
export const ruleTree = z
  .custom<Record<string, unknown>>(isRecord, "must be an object")
  .superRefine((root, context) => {
    const report: Report = (path, message) => context.addIssue({ code: "custom", path, message });
    if (bytesOf(root) > maxBytes) report([], `must have at most ${maxBytes} bytes as JSON`);
    else if (root.type === "GROUP") new TreeCheck(report).check(root);
    else report(["type"], "the root of the tree must be a GROUP");
  });

/**
 * The bytes of a tree as JSON, without the IDs of nodes, as the gateway may have added them. Stops counting
 * soon after there are too many.
 */
function bytesOf(value: unknown, isNode = true): number {
  if (typeof value !== "object" || value === null) return bytesOfScalar(value);
  const isList = Array.isArray(value);
  // Each member ends with a comma, the last one with the bracket.
  let bytes = 1;
  for (const [name, member] of Object.entries(value)) {
    if (bytes > maxBytes) break;
    if (isList) bytes += bytesOf(member, isNode) + 1;
    else if (!isNode || name !== "id")
      bytes += bytesOfScalar(name) + bytesOf(member, name === "children") + 2;
  }
  return Math.max(bytes, 2);
}

const bytesOfScalar = (value: unknown): number =>
  typeof value === "string" && value.length > maxBytes
    ? value.length
    : Buffer.byteLength(JSON.stringify(value) ?? "");

/** Whether a stored tree, which may be older than the limits, exceeds them. */
export function exceedsTreeLimits(root: RuleNode): boolean {
  let [nodes, points] = [0, 0];
  const count = (node: RuleNode): void => {
    nodes += 1;
    points += node.points?.length ?? 0;
    for (const child of node.children ?? []) count(child);
  };
  count(root);
  return nodes > maxNodes || points > maxPoints || bytesOf(root) > maxBytes;
}

/** Completes a valid tree for storage: every node has an ID, in lower case. */
export function completeTree(node: Omit<RuleNode, "id"> & { id?: string }): RuleNode {
  const { id, children, ...others } = node;
  return {
    id: id?.toLowerCase() ?? randomUUID(),
    ...others,
    ...(children && { children: children.map(completeTree) }),
  };
}

export function areasOf(node: RuleNode): RuleArea[] {
  const own =
    node.type === "AREA"
      ? [{ id: node.id, name: node.name ?? null, color: node.color ?? null, points: node.points ?? [] }]
      : [];
  return [...own, ...(node.children ?? []).flatMap(areasOf)];
}
