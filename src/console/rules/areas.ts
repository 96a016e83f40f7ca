import type { CameraRuleFragment } from "../../generated/console.js";

/** A point in a camera's picture, in pixels. */
export interface Point {
  x: number;
  y: number;
}

/** The size of a picture, in pixels. */
export interface Size {
  width: number;
  height: number;
}

/** The limits of the gateway for areas. */
export const minCorners = 3;
export const maxCorners = 100;

/** The colour of areas without their own colour. */
export const defaultColor = "#38bdf8";

interface RuleNode extends Record<string, unknown> {
  id?: string;
  type: string;
  operator?: string;
  children?: RuleNode[];
}

/**
 * The condition tree of a rule with another outline for its first area. If the rule has
 * no area, adds one.
 */
export function withArea(
  { group, areas }: CameraRuleFragment,
  points: readonly Point[],
  name: string,
): RuleNode {
  const tree = group as RuleNode;
  const [first] = areas;
  if (first) return withOutline(tree, first.id, points);
  const area = { type: "AREA", name, color: defaultColor, points };
  // The new area limits all conditions of the rule, whatever operator joins them.
  if (tree.operator === "AND") return { ...tree, children: [area, ...(tree.children ?? [])] };
  return { type: "GROUP", operator: "AND", children: [area, tree] };
}

function withOutline(node: RuleNode, areaId: string, points: readonly Point[]): RuleNode {
  if (node.id === areaId) return { ...node, points };
  return node.children
    ? { ...node, children: node.children.map((child) => withOutline(child, areaId, points)) }
    : node;
}

/** A point in whole pixels, moved into the picture if outside. */
export const within = ({ width, height }: Size, { x, y }: Point): Point => ({
  x: clamp(x, width),
  y: clamp(y, height),
});

const clamp = (value: number, most: number) => Math.round(Math.min(Math.max(value, 0), most));

/** The midpoint of two points. */
export const middleOf = (one: Point, other: Point): Point => ({
  x: Math.round((one.x + other.x) / 2),
  y: Math.round((one.y + other.y) / 2),
});

/** The step of an arrow key, in pixels of the picture; undefined for other keys. */
export function stepOf({ key, shiftKey }: { key: string; shiftKey: boolean }): Point | undefined {
  const step = shiftKey ? 40 : 8;
  switch (key) {
    case "ArrowLeft":
      return { x: -step, y: 0 };
    case "ArrowRight":
      return { x: step, y: 0 };
    case "ArrowUp":
      return { x: 0, y: -step };
    case "ArrowDown":
      return { x: 0, y: step };
    default:
      return undefined;
  }
}

/** The points of a polygon in the syntax of SVG. */
export const outlineOf = (points: readonly Point[]): string =>
  points.map(({ x, y }) => `${x},${y}`).join(" ");
