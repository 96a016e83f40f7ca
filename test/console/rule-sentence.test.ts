// Needs no gateway.
import { de } from "../../src/console/language/de.js";
import { en } from "../../src/console/language/en.js";
import { Words } from "../../src/console/language/words.js";
import type { RuleNode } from "../../src/console/rules/rule-node.js";
import { english } from "../../src/features/alert-rule/sentence/english.js";
import { german } from "../../src/features/alert-rule/sentence/german.js";
import { ruleSentence } from "../../src/features/alert-rule/sentence/rule-sentence.js";

const inEnglish = { texts: english, words: new Words(en) };
const inGerman = { texts: german, words: new Words(de) };

const area = (name: string): RuleNode => ({ type: "AREA", name });
const all = (...children: RuleNode[]): RuleNode => ({ type: "GROUP", operator: "AND", children });
const any = (...children: RuleNode[]): RuleNode => ({ type: "GROUP", operator: "OR", children });
const detection = (type: string, objects = ["PERSON"], parameters = {}): RuleNode => ({
  type,
  objects,
  ...parameters,
});
const person = (parameters = {}) => detection("STATIC_DELIMITATION_AREA", ["PERSON"], parameters);
const vehicle = detection("VEHICLE_IN_PEDESTRIAN_AREA", ["vehicle"]);
const shortage = (parameters = {}) => detection("MIN_WORKER_IN_CONFINED_SPACE", ["PERSON"], parameters);
const queue = detection("QUEUE_LENGTH", ["PERSON", "CAR"]);

it.each<[RuleNode, string, string]>([
  [all(area("Dock"), person()), "A person is in the area “Dock”", "Eine Person ist im Bereich „Dock“"],
  [all(vehicle), "A vehicle is detected", "Ein Fahrzeug ist zu sehen"],
  [
    all(shortage(), area("Cell")),
    "Fewer than 2 people are in the area “Cell”",
    "Weniger als 2 Personen sind im Bereich „Cell“",
  ],
  [
    all(area("Dock"), queue),
    "Queue length (people or cars) in the area “Dock”",
    "Queue length (Personen oder Autos) im Bereich „Dock“",
  ],
  [
    all(detection("STATIC_DELIMITATION_AREA", ["hi-vis vest", "constructor"]), any(area("A"), area("B"))),
    "“hi-vis vest” or “constructor” is in the area “A” or in the area “B”",
    "„hi-vis vest“ oder „constructor“ ist im Bereich „A“ oder im Bereich „B“",
  ],
  [
    any(all(person(), area("Dock")), vehicle),
    "(a person is in the area “Dock”) or a vehicle is detected",
    "(eine Person ist im Bereich „Dock“) oder ein Fahrzeug ist zu sehen",
  ],
  [
    all(person(), vehicle, area("A"), any(area("B"), area("C"))),
    "A person is detected and a vehicle is detected, in the area “A” and (in the area “B” or in the area “C”)",
    "Eine Person ist zu sehen und ein Fahrzeug ist zu sehen, im Bereich „A“ und (im Bereich „B“ oder im Bereich „C“)",
  ],
  [all(area("Dock")), "In the area “Dock”", "Im Bereich „Dock“"],
])("what a rule looks for is said in the reader's language: %#", (tree, englishSentence, germanSentence) => {
  expect(ruleSentence(tree, inEnglish)).toBe(englishSentence);
  expect(ruleSentence(tree, inGerman)).toBe(germanSentence);
});

it("the parameters of a condition are said in words", () => {
  const dock = area("Dock");
  const parameters = { minSeconds: 90, minConfidence: 0.75, attributes: { helmet: false } };
  expect(ruleSentence({ ...all(dock, person(parameters)), cooldownSeconds: 120 }, inEnglish)).toBe(
    "A person is in the area “Dock”, for at least 90 seconds, with a confidence of at least 75%, with helmet = false. At most one alert every 2 minutes",
  );
  const sentences = [
    person({ minCount: 3 }),
    person({ maxCount: 4 }),
    person({ minCount: 2, maxCount: 2 }),
    shortage({ minCount: 3 }),
    detection("MAX_OCCUPANCY", ["PERSON"], { maxCount: 10 }),
    detection("STATIC_DELIMITATION_AREA", [], { minSeconds: 60 }),
    person({ minSeconds: 0 }),
  ].map((each) => ruleSentence(all(each), inEnglish));
  expect(sentences).toEqual([
    "At least 3 people are detected",
    "1 to 4 people are detected",
    "Exactly 2 people are detected",
    "Fewer than 3 people are detected",
    "Max occupancy (people, more than 10)",
    "An object is detected, for at least 1 minute",
    "A person is detected, even for an instant",
  ]);
  expect(ruleSentence({ ...all(person()), cooldownSeconds: 0 }, inEnglish)).toBe(
    "A person is detected. No pause between alerts",
  );
});
