import { plural } from "../../language/plural.js";
import type { SentenceTexts } from "./english.js";

const number = new Intl.NumberFormat("de");
const percent = new Intl.NumberFormat("de", { style: "percent" });
const count = plural("de", number);

const duration = (seconds: number): string =>
  seconds > 0 && seconds % 60 === 0
    ? count(seconds / 60, { one: "# Minute", other: "# Minuten" })
    : count(seconds, { one: "# Sekunde", other: "# Sekunden" });

/** The parts of sentences about rules in German. */
export const german: SentenceTexts = {
  objects: {
    PERSON: { one: "eine Person", many: "Personen" },
    VEHICLE: { one: "ein Fahrzeug", many: "Fahrzeuge" },
    CAR: { one: "ein Auto", many: "Autos" },
    TRUCK: { one: "ein Lkw", many: "Lkw" },
    FORKLIFT: { one: "ein Gabelstapler", many: "Gabelstapler" },
    BICYCLE: { one: "ein Fahrrad", many: "Fahrräder" },
  },
  unknownObject: (label) => `„${label}“`,
  anything: { one: "ein Objekt", many: "Objekte" },
  is: "ist",
  are: "sind",
  detected: "zu sehen",
  inArea: (name) => `im Bereich „${name}“`,
  and: "und",
  or: "oder",
  fewerThan: (value) => `weniger als ${number.format(value)}`,
  moreThan: (value) => `mehr als ${number.format(value)}`,
  atLeast: (value) => `mindestens ${number.format(value)}`,
  between: (least, most) =>
    least === most ? `genau ${number.format(most)}` : `${number.format(least)} bis ${number.format(most)}`,
  forSeconds: (seconds) => `mindestens ${duration(seconds)} lang`,
  confidence: (share) => `mit einer Sicherheit von mindestens ${percent.format(share)}`,
  attribute: (name, value) => `mit ${name} = ${value}`,
  cooldown: (seconds) => `Höchstens ein Alarm in ${duration(seconds)}`,
};
