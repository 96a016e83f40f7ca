import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { permissions } from "../../src/access/permissions.js";
import { createAlertRule, createCamera, createFacility, createWorkspace } from "../support/factories.js";
import { type Gateway, startGateway } from "../support/harness.js";
import { type Call, newWriter, refusal, run, type Writer } from "./writer.js";

let gateway: Gateway;
let cameraId: string;
let ruleId: string;
let admin: Writer;
beforeAll(async () => {
  gateway = await startGateway({ seed: "none" });
  const { prisma } = gateway;
  const workspaceId = await createWorkspace(prisma, {});
  cameraId = await createCamera(prisma, { workspaceId, facilityId: await createFacility(prisma, { workspaceId }) });
  ruleId = await createAlertRule(prisma, { cameraId });
  admin = await newWriter(prisma, { workspaceId, roles: permissions });
});
afterAll(() => gateway.close());

const create = (tree: unknown): Call => [
  "mutation ($id: UUID!, $input: CreateAlertRuleInput!) { rule: createAlertRule(cameraId: $id, input: $input) { pretty group } }",
  { id: cameraId, input: { name: "RULE", severity: "LOW", group: tree } },
];
const update = (tree: unknown): Call => [
  "mutation ($id: UUID!, $input: UpdateAlertRuleInput!) { rule: updateAlertRule(id: $id, input: $input) { pretty group } }",
  { id: ruleId, input: { group: tree } },
];

const id = "11111111-1111-4111-8111-111111111111";
const point = (x: unknown, y: unknown = 0) => ({ x, y });
const triangle = [point(0), point(10), point(0, 10)];
const area = (values: object = {}) => ({ type: "AREA", name: "Dock", points: triangle, ...values });
const seen = (values: object = {}) => ({ type: "PERSON_DETECTION", objects: ["person"], ...values });
const all = (...children: unknown[]) => ({ type: "GROUP", operator: "AND", children });
const any = (...children: unknown[]) => ({ type: "GROUP", operator: "OR", children });
/** A tree of so many levels, the last of which is a detection. */
const levels = (count: number): object => (count === 1 ? seen() : all(levels(count - 1)));
const nodes = (count: number) => all(...Array.from({ length: count - 1 }, () => seen()));
/** Keys that an object literal would not make. */
const parsed = (text: string) => JSON.parse(text) as object;

describe("a bad tree is refused with the path of the fault:", () => {
  it.each<[string, unknown, string]>([
    ["an empty object", {}, "input.group.type"],
    ["a list", [seen()], "input.group"],
    ["a text", "GROUP", "input.group"],
    ["null", null, "input.group"],
    ["an area at the root", area(), "input.group.type"],
    ["a detection at the root", seen(), "input.group.type"],
    ["a group in small letters", { ...all(seen()), type: "group" }, "input.group.type"],
    ["an unknown key at the root", { ...all(seen()), note: 1 }, "input.group"],
    ["an unknown key in a group", all({ ...all(seen()), note: 1 }), "input.group.children.0"],
    ["an unknown key in an area", all(seen(), area({ note: 1 })), "input.group.children.1"],
    ["an unknown key in a detection", all(seen({ name: "x" })), "input.group.children.0"],
    ["an unknown key in a point", all(area({ points: [point(1), point(2), { ...point(3), z: 1 }] })), "input.group.children.0.points.2"],
    ["an area with 2 points", all(area({ points: triangle.slice(1) })), "input.group.children.0.points"],
    ["an area with 101 points", all(area({ points: Array(101).fill(point(1)) })), "input.group.children.0.points"],
    ["an area without points", all({ type: "AREA", name: "Dock" }), "input.group.children.0.points"],
    ["a point without y", all(area({ points: [point(1), point(2), { x: 3 }] })), "input.group.children.0.points.2.y"],
    ["a text as x", all(area({ points: [point(1), point("2"), point(3)] })), "input.group.children.0.points.1.x"],
    ["a coordinate that is too large", all(area({ points: [point(100_001), point(2), point(3)] })), "input.group.children.0.points.0.x"],
    ["an area without a name", all({ type: "AREA", points: triangle }), "input.group.children.0.name"],
    ["an area with a blank name", all(area({ name: " " })), "input.group.children.0.name"],
    ["a colour by its name", all(area({ color: "red" })), "input.group.children.0.color"],
    ["a colour of three digits", all(area({ color: "#f80" })), "input.group.children.0.color"],
    ["a colour with something behind it", all(area({ color: "#ff8800;" })), "input.group.children.0.color"],
    ["an area with children", all(area({ children: [seen()] })), "input.group.children.0.children.0"],
    ["a detection with children", all(seen({ children: [area()] })), "input.group.children.0.children.0"],
    ["a detection without objects", all({ type: "PERSON_DETECTION" }), "input.group.children.0.objects"],
    ["a detection with no object", all(seen({ objects: [] })), "input.group.children.0.objects"],
    ["a detection with an empty object", all(seen({ objects: ["person", ""] })), "input.group.children.0.objects.1"],
    ["a detection of 51 objects", all(seen({ objects: Array(51).fill("person") })), "input.group.children.0.objects"],
    ["a type in small letters", all(seen({ type: "person" })), "input.group.children.0.type"],
    ["a node without a type", all({ objects: ["person"] }), "input.group.children.0.type"],
    ["null as a node", all(seen(), null), "input.group.children.1"],
    ["a text as a node", all("AREA"), "input.group.children.0"],
    ["a group without children", { type: "GROUP", operator: "AND" }, "input.group.children"],
    ["an empty group", all(), "input.group.children"],
    ["an empty group below", all(seen(), any()), "input.group.children.1.children"],
    ["an object as children", { ...all(), children: { 0: seen() } }, "input.group.children"],
    ["a group without an operator", { type: "GROUP", children: [seen()] }, "input.group.operator"],
    ["the operator NOT", { ...all(seen()), operator: "NOT" }, "input.group.operator"],
    ["the operator and", all({ ...all(seen()), operator: "and" }), "input.group.children.0.operator"],
    ["an id that is no UUID", all(seen({ id: "1" })), "input.group.children.0.id"],
    ["an id that occurs twice", all(seen({ id }), area({ id })), "input.group.children.1.id"],
    [
      "an id that occurs twice, in other case and deeper",
      { ...all(seen(), any(area({ id: id.replaceAll("1", "A") }), seen({ id: id.replaceAll("1", "a") }))) },
      "input.group.children.1.children.1.id",
    ],
    ["9 levels", levels(9), `input.group${".children.0".repeat(8)}`],
    ["201 nodes", nodes(201), "input.group"],
    ["__proto__ at the root", parsed(`{"type":"GROUP","operator":"AND","children":[${JSON.stringify(seen())}],"__proto__":{"a":1}}`), "input.group"],
    ["__proto__ in a node", all(parsed('{"type":"PERSON_DETECTION","objects":["person"],"__proto__":{"a":1}}')), "input.group.children.0"],
    ["__proto__ instead of a type", all(parsed('{"__proto__":{"type":"GROUP","operator":"AND","children":[]}}')), "input.group.children.0"],
    ["constructor in a node", all(seen({ constructor: { prototype: {} } })), "input.group.children.0"],
    ["a NUL in a name", all(area({ name: "a\0b" })), "input.group.children.0.name"],
    ["a NUL in an object", all(seen({ objects: ["a\0"] })), "input.group.children.0.objects.0"],
    ["half a surrogate pair in a name", all(area({ name: "a\ud800" })), "input.group.children.0.name"],
    ["half a surrogate pair in an object", all(seen({ objects: ["\udc00"] })), "input.group.children.0.objects.0"],
    ["a line feed in a name", all(area({ name: "a\nb" })), "input.group.children.0.name"],
  ])("%s", async (_what, tree, path) => {
    const before = await gateway.prisma.alertRule.findMany();
    for (const call of [create(tree), update(tree)]) {
      const { code, paths } = await refusal(gateway, admin, call);
      expect(code).toBe("BAD_REQUEST");
      // What is no node at all lacks more than one thing.
      expect(paths).toContain(path);
      expect(paths?.every((each) => each.startsWith(path))).toBe(true);
    }
    expect(await gateway.prisma.alertRule.findMany()).toEqual(before);
    expect(({} as Record<string, unknown>).a).toBeUndefined();
  });

  it("names every fault of a tree", async () => {
    const { paths } = await refusal(gateway, admin, create(all(area({ points: [], color: "red" }), seen({ objects: [] }))));
    expect(paths).toEqual(["input.group.children.0.points", "input.group.children.0.color", "input.group.children.1.objects"]);
  });
});

describe("a tree at the bounds is taken:", () => {
  it.each<[string, object]>([
    ["8 levels", levels(8)],
    ["200 nodes", nodes(200)],
    ["an area of 100 points", all(area({ points: Array(100).fill(point(1.5, -2)) }))],
    ["an area with a colour in capitals", all(area({ color: "#FF8800" }))],
    ["coordinates at the edge", all(area({ points: [point(-100_000, 100_000), point(0), point(1e-7)] }))],
    ["leaves with empty children", all(seen({ children: [] }), area({ children: [] }))],
    ["a group with a name", { ...all(seen()), name: "Everything" }],
    ["a name in another script", all(area({ name: "Güney kapısı 南門 🚪" }))],
  ])("%s", async (_what, tree) => {
    for (const call of [create(tree), update(tree)]) {
      const { rule } = await run<{ rule: { group: object } }>(gateway, admin, call);
      expect(rule.group).toMatchObject(tree);
    }
  });
});

describe("pretty says a tree in plain English:", () => {
  const queue = seen({ type: "QUEUE_LENGTH", objects: ["PERSON", "Car"] });
  it.each<[string, object]>([
    ["Person detection (person)", all(seen())],
    ["Queue length (person or car)", all(queue)],
    ["Person detection (person) in the area “Dock”", all(seen(), area())],
    ["Person detection (person) in the area “Dock”", all(area(), seen())],
    ["In the area “Dock”", all(area())],
    ["Person detection (person) and queue length (person or car)", all(seen(), queue)],
    ["Person detection (person) or queue length (person or car)", any(seen(), queue)],
    ["Person detection (person) and queue length (person or car) in the area “Dock”", all(seen(), area(), queue)],
    ["Person detection (person) or in the area “Dock”", any(seen(), area())],
    ["In the area “Dock” or in the area “Gate”", any(area(), area({ name: "Gate" }))],
    ["(person detection (person) or queue length (person or car)) in the area “Dock”", all(any(seen(), queue), area())],
    ["(person detection (person) in the area “Dock”) or queue length (person or car)", any(all(seen(), area()), queue)],
    ["Person detection (person)", all(all(any(seen())))],
    // Two areas cannot both be meant by "in the area … in the area …".
    ["Person detection (person) in the area “Dock” and in the area “Gate”", all(seen(), area(), area({ name: "Gate" }))],
    ["Person detection (person) and (in the area “Dock” or in the area “Gate”)", all(seen(), any(area(), area({ name: "Gate" })))],
  ])("%s", async (sentence, tree) => {
    for (const call of [create(tree), update(tree)]) {
      expect(await run(gateway, admin, call)).toMatchObject({ rule: { pretty: sentence } });
    }
  });
});
