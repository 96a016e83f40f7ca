/**
 * A node of a rule's condition tree, as the API has it. Fields that the console does not
 * know stay as they are.
 */
export interface RuleNode extends Record<string, unknown> {
  /** Every stored node has one. */
  id?: string;
  /** GROUP, AREA, or what is detected. */
  type: string;
  name?: string;
  operator?: string;
  children?: readonly RuleNode[];
  points?: readonly { x: number; y: number }[];
  color?: string;
  objects?: readonly string[];
}

/** All nodes of a tree, parents before their children. */
export const nodesOf = (node: RuleNode): RuleNode[] => [node, ...(node.children ?? []).flatMap(nodesOf)];

/** The conditions of a tree that are neither groups nor areas. */
export const detectionsOf = (tree: RuleNode): RuleNode[] =>
  nodesOf(tree).filter(({ type }) => type !== "GROUP" && type !== "AREA");

/** A tree with other fields in the node with an ID. An undefined field is removed. */
export function withFields(node: RuleNode, id: string, fields: Partial<RuleNode>): RuleNode {
  if (node.id === id) {
    const entries = Object.entries({ ...node, ...fields }).filter(([, value]) => value !== undefined);
    return Object.fromEntries(entries) as RuleNode;
  }
  return node.children
    ? { ...node, children: node.children.map((child) => withFields(child, id, fields)) }
    : node;
}
