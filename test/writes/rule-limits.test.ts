// Runs once: both kinds of databases run the same statements.

import { Detector, personsInLeftHalf } from "../detection/detector.js";
import { type Call, refusal, run, sharedGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";

let detector: Detector;
const gateway = await sharedGateway();
beforeEach(async () => {
  detector = await Detector.open(gateway);
});

const create = (input: object = {}): Call => [
  "mutation ($id: UUID!, $input: CreateAlertRuleInput!) { createAlertRule(cameraId: $id, input: $input) { id } }",
  { id: detector.cameraId, input: { name: "A", severity: "LOW", group: personsInLeftHalf(), ...input } },
];
const update = (id: string, input: object): Call => [
  "mutation ($id: UUID!, $input: UpdateAlertRuleInput!) { updateAlertRule(id: $id, input: $input) { id } }",
  { id, input },
];
const newRules = async (count: number, values: Parameters<Detector["newRule"]>[0] = {}) => {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await detector.newRule(values));
  return ids;
};
const call = (each: Call) => run(gateway, detector.admin, each);
const refused = (each: Call) => refusal(gateway, detector.admin, each);
const rulesOf = (where: object = {}) =>
  gateway.prisma.alertRule.count({ where: { cameraId: detector.cameraId, ...where } });

it("a camera has at most 100 rules, also if several are added at once", async () => {
  const [id] = await newRules(98, { evaluated: false });
  const outcomes = await Promise.allSettled(listOf(4, () => call(create())));
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
  expect(await rulesOf()).toBe(100);
  expect(await refused(create())).toMatchObject({
    code: "CONFLICT",
    message: "The camera has 100 rules already: at most 100 allowed",
  });
  await call(["mutation ($id: UUID!) { deleteAlertRule(id: $id) { id } }", { id }]);
  await call(create());
});

it("the gateway evaluates at most 30 rules of a camera, whatever their status, also if several are turned on at once", async () => {
  const [, first] = await newRules(28, { status: "PAUSED" });
  const others = await newRules(4, { evaluated: false });
  const outcomes = await Promise.allSettled([
    ...others.map((id) => call(update(id, { evaluated: true }))),
    call(create({ evaluated: true })),
  ]);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
  expect(await rulesOf({ evaluated: true })).toBe(30);
  const conflict = {
    code: "CONFLICT",
    message: "The gateway evaluates 30 rules of the camera already: at most 30 allowed",
    paths: ["input.evaluated"],
  };
  expect(await refused(create({ evaluated: true }))).toMatchObject(conflict);
  await call(create());
  await call(update(first as string, { evaluated: false }));
  await call(create({ evaluated: true }));
  expect(await refused(update(first as string, { evaluated: true }))).toMatchObject(conflict);
});

it("rules of a camera that exceeds the limits can be changed, unless their tree does", async () => {
  const children = listOf(101, () => ({ type: "PERSON", objects: [] }));
  const group = { ...personsInLeftHalf(), children };
  const [id] = await newRules(101, { group });
  await call(update(id as string, { name: "B", evaluated: true, status: "PAUSED" }));
  await call(update(id as string, { status: "ACTIVE", group: personsInLeftHalf() }));
  expect(await refused(update(id as string, { group }))).toMatchObject({
    code: "BAD_REQUEST",
    paths: ["input.group"],
  });
});

it("a change of a rule has a later time than the one before, also if the clock does not", async () => {
  const updatedAt = new Date(Date.now() + 60_000);
  const [id] = await newRules(1, { updatedAt });
  await call(update(id as string, { name: "B" }));
  const rule = await gateway.prisma.alertRule.findFirstOrThrow({ where: { id } });
  expect(rule.updatedAt.getTime()).toBe(updatedAt.getTime() + 1);
});
