import { plural } from "../../language/plural.js";
import type { SentenceTexts } from "./english.js";

const percent = new Intl.NumberFormat("de", { style: "percent" });
const count = plural("de");

const duration = (seconds: number) =>
  seconds > 0 && seconds % 60 === 0
    ? count(seconds / 60, "# Minute", "# Minuten")
    : count(seconds, "# Sekunde", "# Sekunden");

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
  fewerThan: (value) => `weniger als ${count(value, "#")}`,
  moreThan: (value) => `mehr als ${count(value, "#")}`,
  atLeast: (value) => `mindestens ${count(value, "#")}`,
  between: (least, most) =>
    least === most ? `genau ${count(most, "#")}` : `${count(least, "#")} bis ${count(most, "#")}`,
  forSeconds: (seconds) => `mindestens ${duration(seconds)} lang`,
  confidence: (share) => `mit einer Sicherheit von mindestens ${percent.format(share)}`,
  attribute: (name, value) => `mit ${name} = ${value}`,
  cooldown: (seconds) => `Höchstens ein Alarm in ${duration(seconds)}`,
};
