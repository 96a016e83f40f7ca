import type { RuleArea } from "./alert-rule.type.js";

/** A node of a rule's tree of conditions, as it is stored. */
export interface RuleNode {
  id: string;
  /** GROUP, AREA, or a type of detection. */
  type: string;
  name?: string;
  operator?: string;
  children?: RuleNode[];
  points?: { x: number; y: number }[];
  color?: string;
  objects?: string[];
}

/** The areas of a tree, in its order. */
export function areasOf(node: RuleNode): RuleArea[] {
  const own = node.type === "AREA" ? [{ id: node.id, name: node.name ?? null, color: node.color ?? null, points: node.points ?? [] }] : [];
  return [...own, ...(node.children ?? []).flatMap(areasOf)];
}
