import type { Point } from "../../platform/geometry.js";

/** A node of a rule's condition tree, as the API has it. Fields that the console does not know stay as they are. */
export interface RuleNode extends Record<string, unknown> {
  /** Every stored node has one. */
  id?: string;
  /** GROUP, AREA, or what is detected. */
  type: string;
  name?: string;
  operator?: string;
  children?: readonly RuleNode[];
  points?: readonly Point[];
  color?: string;
  objects?: readonly string[];
  minConfidence?: number;
  attributes?: Readonly<Record<string, unknown>>;
}

/** The tree of a rule as nodes. The gateway accepts no node without a type. */
export function ruleNode(node: object): RuleNode {
  if (!isNode(node)) throw new Error("A node of a rule has no type");
  return node;
}

const isNode = (node: object): node is RuleNode => "type" in node && typeof node.type === "string";

/** All nodes of a tree, parents before their children. */
export const nodesOf = (node: RuleNode): RuleNode[] => [node, ...(node.children ?? []).flatMap(nodesOf)];

export const detectionsOf = (tree: RuleNode): RuleNode[] =>
  nodesOf(tree).filter(({ type }) => type !== "GROUP" && type !== "AREA");

/** Other fields for a node; undefined removes one. */
type Changes = { [Name in keyof RuleNode]?: RuleNode[Name] | undefined };

/** A node with other fields. */
export const withChanges = (node: RuleNode, changes: Changes): RuleNode =>
  ruleNode(
    Object.fromEntries(Object.entries({ ...node, ...changes }).filter(([, value]) => value !== undefined)),
  );

/** A tree with other fields in the node with an ID. */
export function withFields(node: RuleNode, id: string, changes: Changes): RuleNode {
  if (node.id === id) return withChanges(node, changes);
  const { children } = node;
  return children ? { ...node, children: children.map((child) => withFields(child, id, changes)) } : node;
}
