import { contains, type Point, polygonOf, type Size } from "../../../platform/geometry.js";
import type { AttributeValue } from "../../alert-rule/object-attributes.js";
import { areasOf, isExcess, isShortage, type RuleNode } from "../../alert-rule/rule-tree.js";
import type { DetectedObject, DetectionFrame } from "./detection.js";

/** Whether the number of objects that a detection finds satisfies it. */
type CountCondition = (count: number) => boolean;

/** The condition of a detection on the number of objects. No objects satisfy none. */
function countCondition({ type, minCount, maxCount }: RuleNode): CountCondition {
  if (isShortage(type)) {
    const enough = minCount ?? 2;
    return (count) => count > 0 && count < enough;
  }
  if (isExcess(type)) {
    const permitted = maxCount ?? 0;
    return (count) => count > permitted;
  }
  const [least, most] = [minCount ?? 1, maxCount ?? Number.POSITIVE_INFINITY];
  return (count) => least <= count && count <= most;
}

/** Whether a detection is about a number of objects rather than about each of them. */
const isAboutNumber = ({ type }: RuleNode): boolean => isShortage(type) || isExcess(type);

/** A frame as condition trees see it. Objects are known by their positions in the frame. */
export interface SeenFrame {
  objects: readonly DetectedObject[];
  /** The positions of all objects. */
  positions: readonly number[];
  /** In upper case. */
  labels: readonly string[];
  /** Where each object stands, in pixels of the picture in which areas are drawn. */
  points: readonly Point[];
  /** The attributes of each object that conditions ask for, by their numbers. */
  attributes: readonly ReadonlySet<number>[];
}

/** The attributes that conditions ask for, numbered: an object is compared with many leaves. */
export type AskedAttributes = Map<string, number>;

const attributeKey = (name: string, value: AttributeValue) =>
  `${name.length} ${name} ${typeof value} ${value}`;

interface Source {
  /** How long an object must match, in milliseconds. */
  minMs: number;
  /** Whether all objects share the rule's timer, as those of shortages and excesses do. */
  isShared: boolean;
  areaIds: readonly string[];
}

/** Objects that match a tree, at least one, and what in the tree they match. */
export interface Match {
  objects: readonly number[];
  source: Source;
}

/** Finds objects of a frame among those in a region. */
export type Condition = (frame: SeenFrame, region: readonly number[]) => Match[];

/** Whether an object of a frame is in a region. */
type Region = (frame: SeenFrame, object: number) => boolean;

const defaultMinSeconds = 1;
const defaultMinConfidence = 0.5;

/** Where an object of a frame stands: at the bottom centre of its box. No rounding brings it out of the frame. */
export const standingPoint = ({ box }: DetectedObject, { width, height }: Size): Point => ({
  x: Math.min(box.x + box.width / 2, width),
  y: Math.min(box.y + box.height, height),
});

/** A point of a picture in a picture of another size. */
export const scaled = ({ x, y }: Point, from: Size, to: Size): Point => ({
  // Divide last, so that whole numbers stay exact.
  x: (x * to.width) / from.width,
  y: (y * to.height) / from.height,
});

/** A frame as condition trees see it, scaled to the picture in which areas are drawn. */
export const seenFrame = (frame: DetectionFrame, picture: Size, asked: AskedAttributes): SeenFrame => ({
  objects: frame.objects,
  positions: frame.objects.map((_, object) => object),
  labels: frame.objects.map(({ label }) => label.toUpperCase()),
  points: frame.objects.map((object) => scaled(standingPoint(object, frame), frame, picture)),
  attributes: frame.objects.map((object) => numbersOf(object, asked)),
});

const noNumbers: ReadonlySet<number> = new Set();

function numbersOf({ attributes }: DetectedObject, asked: AskedAttributes): ReadonlySet<number> {
  if (!attributes || asked.size === 0) return noNumbers;
  return new Set(
    Object.entries(attributes).flatMap(([name, value]) => asked.get(attributeKey(name, value)) ?? []),
  );
}

interface Compilation {
  asked: AskedAttributes;
  areaIds: readonly string[];
}

/** Compiles a condition tree. Adds the attributes that it asks for. */
export const compileTree = (root: RuleNode, asked: AskedAttributes): Condition =>
  compileCondition(root, { asked, areaIds: [] });

function compileCondition(node: RuleNode, compilation: Compilation): Condition {
  if (node.type === "AREA") return matchAll(isInArea(node), [...compilation.areaIds, node.id]);
  if (node.type !== "GROUP") return compileDetection(node, compilation);
  return node.operator === "OR" ? compileUnion(node, compilation) : compileIntersection(node, compilation);
}

function compileUnion({ children = [] }: RuleNode, compilation: Compilation): Condition {
  const conditions = children.map((child) => compileCondition(child, compilation));
  return (frame, region) => conditions.flatMap((condition) => condition(frame, region));
}

function compileIntersection({ children = [] }: RuleNode, { asked, areaIds }: Compilation): Condition {
  const narrowing = children.filter((child) => !hasDetection(child));
  const isIn = compileRegion({ type: "GROUP", operator: "AND", children: narrowing });
  const narrowingIds = [...areaIds, ...narrowing.flatMap(areasOf).map(({ id }) => id)];
  const conditions = children
    .filter(hasDetection)
    .map((child) => compileCondition(child, { asked, areaIds: narrowingIds }));
  if (conditions.length === 0) return matchAll(isIn, narrowingIds);
  return (frame, region) => {
    const narrowed = region.filter((object) => isIn(frame, object));
    const matches: Match[] = [];
    for (const condition of conditions) {
      const found = condition(frame, narrowed);
      if (found.length === 0) return [];
      matches.push(...found);
    }
    return matches;
  };
}

/** All objects in a region, of any confidence. */
function matchAll(isIn: Region, areaIds: readonly string[]): Condition {
  const source: Source = { minMs: defaultMinSeconds * 1000, isShared: false, areaIds };
  return (frame, region) => {
    const objects = region.filter((object) => isIn(frame, object));
    return objects.length > 0 ? [{ objects, source }] : [];
  };
}

function compileDetection(node: RuleNode, { asked, areaIds }: Compilation): Condition {
  const { objects = [], minConfidence = defaultMinConfidence, minSeconds = defaultMinSeconds } = node;
  const labels = new Set(objects.map((label) => label.toUpperCase()));
  const attributes = Object.entries(node.attributes ?? {}).map(([name, value]) => {
    const key = attributeKey(name, value);
    const number = asked.get(key) ?? asked.size;
    asked.set(key, number);
    return number;
  });
  const isSatisfiedBy = countCondition(node);
  const source: Source = { minMs: Math.round(minSeconds * 1000), isShared: isAboutNumber(node), areaIds };
  const matches = (frame: SeenFrame, position: number) => {
    const held = frame.attributes[position] as ReadonlySet<number>;
    return (
      (frame.objects[position] as DetectedObject).confidence >= minConfidence &&
      (labels.size === 0 || labels.has(frame.labels[position] as string)) &&
      attributes.every((number) => held.has(number))
    );
  };
  return (frame, region) => {
    const objects = region.filter((object) => matches(frame, object));
    return isSatisfiedBy(objects.length) ? [{ objects, source }] : [];
  };
}

function compileRegion(node: Omit<RuleNode, "id">): Region {
  if (node.type === "AREA") return isInArea(node);
  const regions = (node.children ?? []).map(compileRegion);
  return node.operator === "OR"
    ? (frame, object) => regions.some((isIn) => isIn(frame, object))
    : (frame, object) => regions.every((isIn) => isIn(frame, object));
}

function isInArea({ points = [] }: Pick<RuleNode, "points">): Region {
  const polygon = polygonOf(points);
  return (frame, object) => {
    const { x, y } = frame.points[object] as Point;
    return contains(polygon, x, y);
  };
}

const hasDetection = (node: RuleNode): boolean =>
  node.type === "GROUP" ? (node.children ?? []).some(hasDetection) : node.type !== "AREA";
