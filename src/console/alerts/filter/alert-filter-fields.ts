import type { AlertFilter, ObjectAttributeInput, PictureBoxInput } from "../../../generated/console.js";
import { isDay } from "../../language/calendar-days.js";
import type { Messages } from "../../language/en.js";
import type { Formats } from "../../language/formats.js";
import type { AlertTexts } from "../english.js";

interface Parameter<Selected, Wanted> {
  name: string;
  /** Texts that are wrong, and no texts, select nothing. */
  read: (texts: string[]) => Selected;
  write: (selected: NonNullable<Selected>) => readonly string[];
  /** What the API is asked for. The period has none, as it depends on what else is selected. */
  ask?: (selected: NonNullable<Selected>) => Wanted;
}

const texts = (name: string): Parameter<readonly string[], string[]> => ({
  name,
  read: (selected) => selected,
  write: (selected) => selected,
  ask: (selected) => [...selected],
});

const numbers = (name: string, most: number): Parameter<readonly number[], number[]> => ({
  name,
  read: (found) =>
    [...new Set(found)].filter((text) => /^\d\d?$/.test(text) && Number(text) <= most).map(Number),
  write: (selected) => selected.map(String),
  ask: (selected) => [...selected],
});

export interface Range<Value = string> {
  from: Value;
  to: Value;
}

/** A first and a last value, such as 2026-11-19..2026-11-25, or one for both. */
const range = <Value extends number | string = string>(
  name: string,
  rangeOf: (from: string, to: string) => Range<Value> | undefined,
): Parameter<Range<Value> | undefined, Range<Value>> => ({
  name,
  read: ([text]) => {
    const [from = "", to = from] = text?.split("..") ?? [];
    return rangeOf(from, to);
  },
  write: ({ from, to }) => [from === to ? `${from}` : `${from}..${to}`],
  ask: (selected) => selected,
});

/** A function that makes a range of two texts, if they are valid. */
const validRange =
  (isValid: (from: string, to: string) => boolean) =>
  (from: string, to: string): Range | undefined =>
    isValid(from, to) ? { from, to } : undefined;

/** The earliest days and weeks that the API counts from the present one. */
export const earliestRelativeDay = -3650;
export const earliestRelativeWeek = -521;

/** A function that makes a range of the numbers of days or weeks, if they are valid. */
const relativeRange =
  (earliest: number) =>
  (...texts: [string, string]): Range<number> | undefined => {
    const [from, to] = [Number(texts[0]), Number(texts[1])];
    const isValid = texts.every((text) => /^(?:0|-[1-9]\d*)$/.test(text)) && from <= to;
    return isValid && from >= earliest ? { from, to } : undefined;
  };

const flag = <Wanted>(
  name: string,
  ask: (selected: boolean) => Wanted,
): Parameter<boolean | undefined, Wanted> => ({
  name,
  read: ([text]) => (text === "true" || text === "false" ? text === "true" : undefined),
  write: (selected) => [String(selected)],
  ask,
});

const instant = (name: string): Parameter<string | undefined, never> => ({
  name,
  read: ([text = ""]) => {
    const time = Date.parse(text);
    return Number.isNaN(time) ? undefined : new Date(time).toISOString();
  },
  write: (selected) => [selected],
});

/** A box in shares of a picture, such as 0.1,0.2,0.5,0.6. */
const box: Parameter<PictureBoxInput | undefined, PictureBoxInput> = {
  name: "box",
  read: ([text = ""]) => {
    const [x1 = -1, y1 = -1, x2 = -1, y2 = -1, ...others] = text.split(",").map(Number);
    const isValid = x1 >= 0 && y1 >= 0 && x1 <= x2 && y1 <= y2 && x2 <= 1 && y2 <= 1 && others.length === 0;
    return isValid ? { x1, y1, x2, y2 } : undefined;
  },
  write: ({ x1, y1, x2, y2 }) => [[x1, y1, x2, y2].map((share) => +share.toFixed(3)).join(",")],
  ask: (selected) => selected,
};

/** Attributes in texts such as `helmet:false`; other texts are left out. */
export const attributesIn = (texts: readonly string[]): ObjectAttributeInput[] =>
  texts.flatMap((text) => {
    const [name = "", ...value] = text.split(":").map((part) => part.trim());
    return name !== "" && value.length > 0 ? [{ name, value: value.join(":") }] : [];
  });

export const attributeTexts = (attributes: readonly ObjectAttributeInput[]): string[] =>
  attributes.map(({ name, value }) => `${name}: ${value}`);

const attributes: Parameter<readonly ObjectAttributeInput[], ObjectAttributeInput[]> = {
  name: "attribute",
  read: attributesIn,
  write: attributeTexts,
  ask: (selected) => [...selected],
};

const searched = (name: string): Parameter<string | undefined, string> => ({
  name,
  read: ([text = ""]) => text.trim().slice(0, maxSearched) || undefined,
  write: (selected) => [selected],
  ask: (selected) => selected,
});

export const maxSearched = 100;

export type FieldMenu = "period" | "facility" | "camera" | "type" | "severity" | "search";

/** Where the toolbar shows what is selected. */
type Shown<Selected> =
  | { menu: FieldMenu }
  /** A choice in the menu of marks: its name, and what alerts have and have not. */
  | ([Selected] extends [boolean | undefined]
      ? { choice: (texts: AlertTexts) => { label: string; true: string; false: string } }
      : never)
  /** A button that says it and takes it away, with other fields of the same button. */
  | {
      button: "times" | "rule";
      words: (
        selected: NonNullable<Selected>,
        language: { messages: Messages; formats: Formats; alertTexts: AlertTexts },
      ) => string[];
    };

/** A field of which the reader selects something by a parameter. */
const selectedBy = <Selected, Wanted>(parameter: Parameter<Selected, Wanted>, shown: Shown<Selected>) => ({
  parameter,
  shown,
});

interface Selectable<Wanted> {
  parameter: Omit<Parameter<never, Wanted>, "read"> & { read: (texts: string[]) => unknown };
  shown: Shown<never>;
}

const mark = (name: keyof AlertTexts["marks"]) => ({
  choice: ({ marks }: AlertTexts) => {
    const { is, isNot } = marks[name];
    return { label: is, true: is, false: isNot };
  },
});

const rule: Shown<readonly string[]> = {
  button: "rule",
  words: (_, { alertTexts }) => [alertTexts.filters.rule],
};

const same = (selected: boolean) => selected;

/** The fields, in the order in which addresses and the toolbar name them. */
const alertFilterFields = {
  facilityIds: selectedBy(texts("facility"), { menu: "facility" }),
  cameraIds: selectedBy(texts("camera"), { menu: "camera" }),
  alertRuleIds: selectedBy(texts("rule"), rule),
  areaIds: selectedBy(texts("area"), rule),
  types: selectedBy(texts("type"), { menu: "type" }),
  severities: selectedBy(texts("severity"), { menu: "severity" }),
  hasSeverity: selectedBy(flag("hasSeverity", same), {
    choice: ({ filters }) => ({ label: filters.severity, ...filters.hasSeverity }),
  }),
  text: selectedBy(searched("text"), { menu: "search" }),
  objectLabels: selectedBy(texts("object"), { menu: "search" }),
  objectAttributes: selectedBy(attributes, { menu: "search" }),
  box: selectedBy(box, { menu: "search" }),
  /** From 0, Sunday, to 6, by the calendar of each facility. */
  daysOfWeek: selectedBy(numbers("weekday", 6), {
    button: "times",
    words: (days, { formats }) => days.map((day) => formats.dayOfWeek(day, "long")),
  }),
  /** From 0 to 23, by the clock of each facility. */
  hoursOfDay: selectedBy(numbers("hour", 23), {
    button: "times",
    words: (hours, { formats }) =>
      hours.map((hour) => `${formats.hourOfDay(hour)} – ${formats.hourOfDay((hour + 1) % 24)}`),
  }),
  /** Days by the calendar of each facility, the last one included. */
  localDays: selectedBy(
    range(
      "days",
      validRange((from, to) => isDay(from) && isDay(to) && from <= to),
    ),
    { menu: "period" },
  ),
  /** The time of the day by the clock of each facility, such as 18:00 and 06:00, the end excluded. */
  localTimes: selectedBy(
    range(
      "times",
      validRange((...times) => times.every((time) => /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(time))),
    ),
    {
      button: "times",
      words: ({ from, to }, { formats }) => [`${formats.clockTime(from)} – ${formats.clockTime(to)}`],
    },
  ),
  open: selectedBy(flag("open", same), {
    choice: ({ filters }) => ({ label: filters.open, ...filters.openness }),
  }),
  acknowledged: selectedBy(flag("acknowledged", same), mark("acknowledged")),
  bookmark: selectedBy(flag("bookmark", same), mark("bookmark")),
  falsePositive: selectedBy(
    flag("falsePositive", (selected) => [selected]),
    mark("falsePositive"),
  ),
  observation: selectedBy(flag("observation", same), {
    choice: ({ filters }) => ({ label: filters.observation, ...filters.observations }),
  }),
  hasClip: selectedBy(flag("clip", same), {
    choice: ({ filters }) => ({ label: filters.clip, ...filters.clips }),
  }),
  /** The first instant of the period, in ISO 8601. */
  start: selectedBy(instant("from"), { menu: "period" }),
  /** The first instant after the period, in ISO 8601. */
  end: selectedBy(instant("to"), { menu: "period" }),
  /** Days counted from each facility's today, 0, back to -3650. */
  relativeDays: selectedBy(range("relative", relativeRange(earliestRelativeDay)), { menu: "period" }),
  /** Weeks from Monday, counted from each facility's present one, 0, back to -521. */
  relativeWeeks: selectedBy(range("weeks", relativeRange(earliestRelativeWeek)), { menu: "period" }),
} satisfies {
  // The console asks for lists of the others.
  [Field in Exclude<keyof AlertFilter, "facilityId" | "areaId">]-?: Selectable<
    NonNullable<AlertFilter[Field]>
  >;
};

type Fields = typeof alertFilterFields;

/** What the parameters of the fields select. */
type Selected = { [Field in keyof Fields]: ReturnType<Fields[Field]["parameter"]["read"]> };

type OptionalField = {
  [Field in keyof Fields]: undefined extends Selected[Field] ? Field : never;
}[keyof Fields];

/** What fields select. An empty list and undefined do not matter. */
export type FieldSelection = Omit<Selected, OptionalField> & Partial<Pick<Selected, OptionalField>>;

/** The fields that can be selected by, by name. */
export const selectableFields = Object.entries(alertFilterFields) as [
  keyof FieldSelection,
  Selectable<unknown>,
][];

/** The fields by which a selection leaves anything out, each with what it selects. */
export const selectingFields = (
  selection: Partial<FieldSelection>,
): [keyof FieldSelection, Selectable<unknown>, never][] =>
  selectableFields.flatMap(([name, field]) =>
    [selection[name] ?? []].flat().length > 0 ? [[name, field, selection[name] as never]] : [],
  );
