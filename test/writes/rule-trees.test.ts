// Needs no gateway.

import { argumentRulesOf } from "../../src/api/graphql/argument-rules.js";
import { schema } from "../../src/api/graphql/schema.js";
import { completeTree, type RuleNode, ruleTree } from "../../src/features/alert-rule/rule-tree.js";
import { listOf } from "../support/list-of.js";

const pathsOf = (issues: readonly { path: PropertyKey[] }[] = []) => issues.map(({ path }) => path.join("."));
/** The paths of the faults of a tree. */
const faultsOf = (tree: unknown) => pathsOf(ruleTree.safeParse(tree).error?.issues);

it.each(["createAlertRule", "updateAlertRule"])("%s checks the tree of its rule", (mutation) => {
  const field = schema.getMutationType()?.getFields()[mutation] as Parameters<typeof argumentRulesOf>[0];
  const { error } = argumentRulesOf(field)?.safeParse({ input: { group: { type: "AND" } } }) ?? {};
  expect(pathsOf(error?.issues)).toContain("input.group.type");
});

const id = "11111111-1111-4111-8111-111111111111";
const point = (x: unknown, y: unknown = 0) => ({ x, y });
const triangle = [point(0), point(10), point(0, 10)];
const area = (values: object = {}) => ({ type: "AREA", name: "Dock", points: triangle, ...values });
const detection = (values: object = {}) => ({ type: "PERSON_DETECTION", objects: ["person"], ...values });
const all = (...children: unknown[]) => ({ type: "GROUP", operator: "AND", children });
const any = (...children: unknown[]) => ({ type: "GROUP", operator: "OR", children });
/** A tree with the given number of levels, ending in a detection. */
const levels = (count: number): object => (count === 1 ? detection() : all(levels(count - 1)));
const nodes = (count: number) => all(...listOf(count - 1, () => detection()));
const points = (count: number) =>
  all(
    ...listOf(Math.ceil(count / 100), (n) =>
      area({ points: Array(Math.min(100, count - 100 * n)).fill(point(1)) }),
    ),
  );
/** A tree that takes a number of bytes in UTF-8, without the ID of its root. */
const ofBytes = (bytes: number): object => {
  const sizeOf = (tree: object | string) => Buffer.byteLength(JSON.stringify(tree));
  const label = "ü".repeat(50);
  const leaves = listOf(12, () => detection({ objects: Array(50).fill(label) }));
  const tree = (count: number, name: string) => ({
    ...all(...leaves, detection({ objects: Array(count).fill(label) })),
    name,
  });
  const missing = bytes - sizeOf(tree(1, "x"));
  const more = Math.floor(missing / (sizeOf(label) + 1));
  const filled = tree(1 + more, "x".repeat(1 + (missing % (sizeOf(label) + 1))));
  expect(sizeOf(filled)).toBe(bytes);
  return { id: "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa", ...filled };
};
/** Allows keys that an object literal cannot create. */
const parsed = (text: string) => JSON.parse(text) as object;

describe("rejects an invalid tree and reports the path of the error:", () => {
  it.each<[string, unknown, string]>([
    ["an empty object", {}, "type"],
    ["null", null, ""],
    ["a detection at the root", detection(), "type"],
    ["an unknown key at the root", { ...all(detection()), note: 1 }, ""],
    ["an unknown key in a group", all({ ...all(detection()), note: 1 }), "children.0"],
    [
      "an unknown key in a point",
      all(area({ points: [point(1), point(2), { ...point(3), z: 1 }] })),
      "children.0.points.2",
    ],
    ["an area with 2 points", all(area({ points: triangle.slice(1) })), "children.0.points"],
    ["an area with 101 points", all(area({ points: Array(101).fill(point(1)) })), "children.0.points"],
    ["a point without y", all(area({ points: [point(1), point(2), { x: 3 }] })), "children.0.points.2.y"],
    ["a string as x", all(area({ points: [point(1), point("2"), point(3)] })), "children.0.points.1.x"],
    [
      "a coordinate that is too large",
      all(area({ points: [point(100_001), point(2), point(3)] })),
      "children.0.points.0.x",
    ],
    ["an area without a name", all({ type: "AREA", points: triangle }), "children.0.name"],
    ["a color of three digits", all(area({ color: "#f80" })), "children.0.color"],
    ["an area with children", all(area({ children: [detection()] })), "children.0.children.0"],
    ["a detection without objects", all({ type: "PERSON_DETECTION" }), "children.0.objects"],
    [
      "a detection of 51 objects",
      all(detection({ objects: Array(51).fill("person") })),
      "children.0.objects",
    ],
    ["maxCount of a shortage", all(detection({ type: "MIN_WORKERS", maxCount: 3 })), "children.0.maxCount"],
    ["minCount of an excess", all(detection({ type: "MAX_WORKERS", minCount: 3 })), "children.0.minCount"],
    ["a shortage below one", all(detection({ type: "MIN_WORKERS", minCount: 1 })), "children.0.minCount"],
    ["minCount of zero", all(detection({ minCount: 0 })), "children.0.minCount"],
    ["minCount over maxCount", all(detection({ minCount: 3, maxCount: 2 })), "children.0.maxCount"],
    ["a fraction as minCount", all(detection({ minCount: 1.5 })), "children.0.minCount"],
    ["maxCount over 200", all(detection({ maxCount: 201 })), "children.0.maxCount"],
    ["negative minSeconds", all(detection({ minSeconds: -1 })), "children.0.minSeconds"],
    ["minSeconds over a day", all(detection({ minSeconds: 86_401 })), "children.0.minSeconds"],
    ["minConfidence over 1", all(detection({ minConfidence: 1.1 })), "children.0.minConfidence"],
    ["a list as attributes", all(detection({ attributes: [] })), "children.0.attributes"],
    [
      "a nested attribute",
      all(detection({ attributes: { helmet: { color: "red" } } })),
      "children.0.attributes.helmet",
    ],
    [
      "a nested attribute named __proto__",
      all(parsed('{"type":"PERSON_DETECTION","objects":[],"attributes":{"__proto__":{"a":1}}}')),
      "children.0.attributes.__proto__",
    ],
    [
      "a long attribute",
      all(detection({ attributes: { color: "x".repeat(201) } })),
      "children.0.attributes.color",
    ],
    [
      "21 attributes",
      all(detection({ attributes: Object.fromEntries(listOf(21, (n) => [n, n])) })),
      "children.0.attributes",
    ],
    ["a negative cool-down", { ...all(detection()), cooldownSeconds: -1 }, "cooldownSeconds"],
    ["a cool-down over a day", { ...all(detection()), cooldownSeconds: 86_401 }, "cooldownSeconds"],
    ["a cool-down below the root", all({ ...all(detection()), cooldownSeconds: 1 }), "children.0"],
    ["a node without a type", all({ objects: ["person"] }), "children.0.type"],
    ["a group without children", { type: "GROUP", operator: "AND" }, "children"],
    ["an empty group", all(), "children"],
    ["a group without an operator", { type: "GROUP", children: [detection()] }, "operator"],
    ["the operator NOT", { ...all(detection()), operator: "NOT" }, "operator"],
    ["an id that is not a UUID", all(detection({ id: "1" })), "children.0.id"],
    ["a duplicate id", all(detection({ id }), area({ id })), "children.1.id"],
    [
      "a duplicate id in another case on a deeper level",
      {
        ...all(
          detection(),
          any(area({ id: id.replaceAll("1", "A") }), detection({ id: id.replaceAll("1", "a") })),
        ),
      },
      "children.1.children.1.id",
    ],
    ["9 levels", levels(9), `children.0${".children.0".repeat(7)}`],
    ["101 nodes", nodes(101), ""],
    ["1001 points in all", points(1001), ""],
    ["65537 bytes without the IDs of nodes", ofBytes(65_537), ""],
    [
      "__proto__ at the root",
      parsed(
        `{"type":"GROUP","operator":"AND","children":[${JSON.stringify(detection())}],"__proto__":{"a":1}}`,
      ),
      "",
    ],
    [
      "__proto__ in a node",
      all(parsed('{"type":"PERSON_DETECTION","objects":["person"],"__proto__":{"a":1}}')),
      "children.0",
    ],
    [
      "__proto__ instead of a type",
      all(parsed('{"__proto__":{"type":"GROUP","operator":"AND","children":[]}}')),
      "children.0",
    ],
    ["constructor in a node", all(detection({ constructor: { prototype: {} } })), "children.0"],
  ])("%s", (_what, tree, path) => {
    const faults = faultsOf(tree);
    // A value that is not a node at all has several errors.
    expect(faults).toContain(path);
    expect(faults.every((each) => each.startsWith(path))).toBe(true);
    expect(({} as Record<string, unknown>).a).toBeUndefined();
  });

  it("reports every error of a tree", () => {
    expect(faultsOf(all(area({ points: [], color: "red" }), detection({ objects: [""] })))).toEqual([
      "children.0.points",
      "children.0.color",
      "children.1.objects.0",
    ]);
  });
});

it.each<[string, object]>([
  ["8 levels", levels(8)],
  ["100 nodes", nodes(100)],
  ["1000 points", points(1000)],
  ["65536 bytes without the IDs of nodes", ofBytes(65_536)],
  ["an area of 100 points", all(area({ points: Array(100).fill(point(1.5, -2)) }))],
  ["coordinates at the limits", all(area({ points: [point(-100_000, 100_000), point(0), point(1e-7)] }))],
  ["a detection of any object", all(detection({ objects: [] }))],
  [
    "the least values of a detection",
    { ...all(detection({ minCount: 1, minSeconds: 0, minConfidence: 0 })), cooldownSeconds: 0 },
  ],
  [
    "the greatest values of a detection",
    {
      ...all(detection({ minCount: 200, maxCount: 200, minSeconds: 86_400, minConfidence: 1 })),
      cooldownSeconds: 86_400,
    },
  ],
  [
    "a shortage and an excess",
    all(detection({ type: "MIN_A", minCount: 2 }), detection({ type: "MAX_A", maxCount: 0 })),
  ],
  ["attributes", all(detection({ attributes: { helmet: false, color: "", speed: -1.5, constructor: 1 } }))],
])("accepts a tree at the limits: %s", (_what, tree) => {
  expect(faultsOf(tree)).toEqual([]);
  expect(completeTree(tree as RuleNode)).toMatchObject(tree);
});
