import { defined } from "../../platform/defined.js";
import type { Point, Size } from "../../platform/geometry.js";
import { memberIn } from "../../platform/record.js";
import { nodesOf, type RuleNode, withFields } from "./rule-node.js";

/** The limits of the gateway for areas. */
export const minCorners = 3;
export const maxCorners = 100;

export const defaultColor = "#38bdf8";

/** An area of a rule while it is drawn. */
export interface DrawnArea {
  /** Absent if it is new. */
  id?: string | undefined;
  name: string;
  color?: string | undefined;
  points: readonly Point[];
  /** False while the viewer still adds corners. */
  isClosed: boolean;
  /** The number of the corner that the viewer touched last. */
  corner?: number | undefined;
}

export type AreaChange = Partial<DrawnArea>;

/** Areas as the text of a field, with which a form keeps them. */
export const areasText = (areas: readonly DrawnArea[]): string =>
  JSON.stringify(areas.map(({ corner: _, ...area }) => area));

export function areasIn(text = "[]"): DrawnArea[] {
  const areas: unknown = JSON.parse(text);
  return Array.isArray(areas) ? areas.filter(isArea) : [];
}

const isArea = (value: unknown): value is DrawnArea => Array.isArray(memberIn(value, "points"));

/** The areas of a tree. */
export const areasOf = (tree: RuleNode): DrawnArea[] =>
  nodesOf(tree)
    .filter(({ type }) => type === "AREA")
    .map(({ id, name = "", color, points = [] }) => ({ id, name, color, points, isClosed: true }));

/** A tree whose areas are those that are drawn; without those that are gone. */
export function withAreas(tree: RuleNode, drawn: readonly DrawnArea[]): RuleNode {
  const gone = areasOf(tree).filter(({ id }) => drawn.every((area) => area.id !== id));
  const left = gone.reduce((rest, { id }) => withoutArea(rest, defined(id)) ?? rest, tree);
  return drawn.reduce(withArea, left);
}

function withArea(tree: RuleNode, { id, name, color, points }: DrawnArea): RuleNode {
  if (id !== undefined) return withFields(tree, id, { name, color, points });
  const area = { type: "AREA", name, color: color ?? defaultColor, points };
  const present = limitsOf(tree);
  if (present) return withAnother(tree, present, area);
  // The new area limits all conditions of the rule, whatever operator joins them.
  if (tree.operator === "AND") return { ...tree, children: [area, ...(tree.children ?? [])] };
  const { name: ruleName, cooldownSeconds, ...inner } = tree;
  return {
    type: "GROUP",
    operator: "AND",
    children: [area, inner],
    ...(ruleName !== undefined && { name: ruleName }),
    ...(cooldownSeconds !== undefined && { cooldownSeconds }),
  };
}

/** Whether another area can be added to a rule: as the first one, or as an alternative to the others. */
export const mayAddArea = (tree: RuleNode): boolean =>
  areasOf(tree).length === 0 || limitsOf(tree) !== undefined;

const limitsOf = ({ operator, children = [] }: RuleNode) =>
  operator === "AND" ? children.find((child) => child.type === "AREA" || isOneOfAreas(child)) : undefined;

const isOneOfAreas = ({ operator, children = [] }: RuleNode) =>
  operator === "OR" && children.every(({ type }) => type === "AREA");

/** A tree whose conditions hold in another area, too. */
function withAnother(tree: RuleNode, present: RuleNode, area: RuleNode): RuleNode {
  const areas =
    present.type === "AREA"
      ? { type: "GROUP", operator: "OR", children: [present, area] }
      : { ...present, children: [...(present.children ?? []), area] };
  return { ...tree, children: (tree.children ?? []).map((child) => (child === present ? areas : child)) };
}

/**
 * The condition tree of a rule without an area, and without groups that are empty then; undefined if nothing
 * would be left.
 */
function withoutArea(node: RuleNode, id: string): RuleNode | undefined {
  if (node.id === id) return undefined;
  if (node.type !== "GROUP" || !node.children) return node;
  const children = node.children.flatMap((child) => withoutArea(child, id) ?? []);
  return children.length === 0 ? undefined : { ...node, children };
}

/** A point in whole pixels, moved into the picture if outside. */
export const within = ({ width, height }: Size, { x, y }: Point): Point => ({
  x: clamp(x, width),
  y: clamp(y, height),
});

const clamp = (value: number, most: number) => Math.round(Math.min(Math.max(value, 0), most));

export const middleOf = (one: Point, other: Point): Point => ({
  x: Math.round((one.x + other.x) / 2),
  y: Math.round((one.y + other.y) / 2),
});

/** The number of the edge that is nearest to a point; edge 0 starts at the first corner. */
export function nearestEdge(points: readonly Point[], point: Point): number {
  const distances = points.map((start, index) => {
    const end = defined(points[(index + 1) % points.length]);
    return distanceTo(start, end, point);
  });
  return distances.indexOf(Math.min(...distances));
}

function distanceTo(start: Point, end: Point, { x, y }: Point) {
  const [dx, dy] = [end.x - start.x, end.y - start.y];
  const along = ((x - start.x) * dx + (y - start.y) * dy) / (dx * dx + dy * dy || 1);
  const share = Math.min(Math.max(along, 0), 1);
  return Math.hypot(x - start.x - share * dx, y - start.y - share * dy);
}

/** The step of an arrow key, in pixels of the picture; undefined for other keys. */
export function stepOf({ key, shiftKey }: { key: string; shiftKey: boolean }): Point | undefined {
  const step = shiftKey ? 40 : 8;
  const steps: Record<string, Point> = {
    ArrowLeft: { x: -step, y: 0 },
    ArrowRight: { x: step, y: 0 },
    ArrowUp: { x: 0, y: -step },
    ArrowDown: { x: 0, y: step },
  };
  return steps[key];
}

export const outlineOf = (points: readonly Point[]): string =>
  points.map(({ x, y }) => `${x},${y}`).join(" ");
