import { byName } from "../../../platform/text/by-name.js";
import { plural, withText } from "../../../platform/text/plural.js";

const percent = new Intl.NumberFormat("en", { style: "percent" });
const count = plural("en");

const duration = (seconds: number) =>
  seconds > 0 && seconds % 60 === 0
    ? count("# minute", "# minutes")(seconds / 60)
    : count("# second", "# seconds")(seconds);

interface Noun {
  one: string;
  many: string;
}

export const english = {
  objects: byName<Noun>({
    PERSON: { one: "a person", many: "people" },
    VEHICLE: { one: "a vehicle", many: "vehicles" },
    CAR: { one: "a car", many: "cars" },
    TRUCK: { one: "a lorry", many: "lorries" },
    FORKLIFT: { one: "a forklift", many: "forklifts" },
    BICYCLE: { one: "a bicycle", many: "bicycles" },
  }),
  unknownObject: withText("“#”"),
  anything: { one: "an object", many: "objects" },
  is: "is",
  are: "are",
  detected: "detected",
  inArea: withText("in the area “#”"),
  and: "and",
  or: "or",
  fewerThan: count("fewer than #"),
  moreThan: count("more than #"),
  atLeast: count("at least #"),
  between: (least: number, most: number) =>
    least === most ? `exactly ${count("#")(most)}` : `${count("#")(least)} to ${count("#")(most)}`,
  forSeconds: (seconds: number) =>
    seconds === 0 ? "even for an instant" : `for at least ${duration(seconds)}`,
  confidence: (share: number) => `with a confidence of at least ${percent.format(share)}`,
  attribute: (name: string, value: string) => `with ${name} = ${value}`,
  cooldown: (seconds: number) =>
    seconds === 0 ? "No pause between alerts" : `At most one alert every ${duration(seconds)}`,
};

export type SentenceTexts = typeof english;
