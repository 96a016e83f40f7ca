import { plural, withText } from "../../../platform/text/plural.js";
import type { SentenceTexts } from "./english.js";

const percent = new Intl.NumberFormat("de", { style: "percent" });
const count = plural("de");

const duration = (seconds: number) =>
  seconds > 0 && seconds % 60 === 0
    ? count("# Minute", "# Minuten")(seconds / 60)
    : count("# Sekunde", "# Sekunden")(seconds);

export const german: SentenceTexts = {
  objects: {
    PERSON: { one: "eine Person", many: "Personen" },
    VEHICLE: { one: "ein Fahrzeug", many: "Fahrzeuge" },
    CAR: { one: "ein Auto", many: "Autos" },
    TRUCK: { one: "ein Lkw", many: "Lkw" },
    FORKLIFT: { one: "ein Gabelstapler", many: "Gabelstapler" },
    BICYCLE: { one: "ein Fahrrad", many: "Fahrräder" },
  },
  unknownObject: withText("„#“"),
  anything: { one: "ein Objekt", many: "Objekte" },
  is: "ist",
  are: "sind",
  detected: "zu sehen",
  inArea: withText("im Bereich „#“"),
  and: "und",
  or: "oder",
  fewerThan: count("weniger als #"),
  moreThan: count("mehr als #"),
  atLeast: count("mindestens #"),
  between: (least, most) =>
    least === most ? `genau ${count("#")(most)}` : `${count("#")(least)} bis ${count("#")(most)}`,
  forSeconds: (seconds) => (seconds === 0 ? "auch nur kurz" : `mindestens ${duration(seconds)} lang`),
  confidence: (share) => `mit einer Sicherheit von mindestens ${percent.format(share)}`,
  attribute: (name, value) => `mit ${name} = ${value}`,
  cooldown: (seconds) =>
    seconds === 0 ? "Keine Pause zwischen Alarmen" : `Höchstens ein Alarm in ${duration(seconds)}`,
};
