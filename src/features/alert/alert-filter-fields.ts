import type { ReadingContext } from "../../engine/reading/loader.js";
import type { Selection } from "../../engine/reading/selection/selection.js";
import { type Alert, Prisma } from "../../generated/prisma/client.js";
import { alertRuleById } from "../alert-rule/alert-rule.loader.js";
import { cameraById } from "../camera/camera.loader.js";
import { facilityById } from "../facility/facility.loader.js";
import type { AlertFilter } from "./alert.input.js";
import { hasAttributes, hasClip, hasObject, hasPointIn, hasText } from "./content-conditions.js";
import type { Translated } from "./export/alert-export.type.js";
import { type LocalDayField, runOverMidnight } from "./local-time.input.js";

/** A column that tells the alerts of a filter, a parent or a group from others. */
export type AlertColumn = keyof Alert;

export interface DayRange {
  first: Prisma.Sql;
  last: Prisma.Sql;
}

/** When an alert was raised, by the clock of its facility. */
interface LocalMoment {
  time: Prisma.Sql;
  /** The day according to the filter: times after midnight may belong to the day before. */
  day: Prisma.Sql;
}

/** A bound of the period. Kept counts answer for the whole days between the two. */
interface PeriodCondition<Value> {
  period: (createdAt: Prisma.Sql, value: Value) => Prisma.Sql;
}

/** Days by the clock of the facility. Kept counts can answer. */
interface DayCondition<Value> {
  days: (value: Value, today: Prisma.Sql) => DayRange;
}

/** A column of the alert. Kept counts that have this column can answer, too. */
interface ColumnCondition<Value> {
  column: AlertColumn;
  is: (column: Prisma.Sql, value: Value) => Prisma.Sql;
}

/** Several columns of the alert. Kept counts that have all of them can answer, too. */
interface ColumnsCondition<Value> {
  columns: readonly AlertColumn[];
  are: (columns: readonly Prisma.Sql[], value: Value) => Prisma.Sql;
}

/** The local time. The database must look at each alert. */
interface LocalTimeCondition<Value> {
  localTime: (moment: LocalMoment, value: Value) => Prisma.Sql;
}

/** The condition of a field. Its kind decides which tables can answer it. */
type Condition<Field, Value> = Field extends "start" | "end"
  ? PeriodCondition<Value>
  : Field extends LocalDayField
    ? DayCondition<Value>
    : ColumnCondition<Value> | ColumnsCondition<Value> | LocalTimeCondition<Value>;

export type NamedEntities = (
  context: ReadingContext,
  selection: Selection,
) => { loadMany(ids: readonly string[]): Promise<readonly (Error | { name?: string | undefined } | null)[]> };

/** What the gateway needs to know about a field of {@link AlertFilter}. */
type FilterField<Field, Value> = Condition<Field, Value> & {
  label: Translated;
  /** What the values are IDs of. An export shows the names instead. */
  entities?: [Value] extends [string | readonly string[]] ? NamedEntities : never;
  /** The value in words, if it is an object. */
  words?: (value: Value) => string;
};

/**
 * Compares a single value with `=`. For a list, the index does not return the rows in the order of the
 * query, so PostgreSQL would read all of them for the first page.
 */
const isAmong = (type: "uuid" | "text") => (column: Prisma.Sql, values: readonly string[]) =>
  values.length === 1
    ? Prisma.sql`${column} = ${values[0]}::${Prisma.raw(type)}`
    : Prisma.sql`${column} = ANY(${values}::${Prisma.raw(type)}[])`;

/**
 * The condition that a mark is or is not set. Avoids a parameter, so that generic plans may use the index of
 * marked alerts.
 */
const is = (mark: Prisma.Sql, value: boolean) => (value ? mark : Prisma.sql`NOT (${mark})`);

const alertFilterFields = {
  start: {
    label: { en: "From (UTC)", de: "Von (UTC)" },
    period: (at, start) => Prisma.sql`${at} >= ${start}::timestamptz`,
  },
  end: {
    label: { en: "Before (UTC)", de: "Vor (UTC)" },
    period: (at, end) => Prisma.sql`${at} < ${end}::timestamptz`,
  },
  facilityId: {
    label: { en: "Facility", de: "Standort" },
    entities: facilityById,
    column: "facilityId",
    is: (column, id) => Prisma.sql`${column} = ${id}::uuid`,
  },
  facilityIds: {
    label: { en: "One of the facilities", de: "Einer der Standorte" },
    entities: facilityById,
    column: "facilityId",
    is: isAmong("uuid"),
  },
  cameraIds: {
    label: { en: "Camera", de: "Kamera" },
    entities: cameraById,
    column: "cameraId",
    is: isAmong("uuid"),
  },
  alertRuleIds: {
    label: { en: "Rule", de: "Regel" },
    entities: alertRuleById,
    column: "alertRuleId",
    is: isAmong("uuid"),
  },
  types: { label: { en: "Type", de: "Art" }, column: "name", is: isAmong("text") },
  severities: { label: { en: "Severity", de: "Schwere" }, column: "severity", is: isAmong("text") },
  hasSeverity: {
    label: { en: "With a severity", de: "Mit Schwere" },
    column: "severity",
    is: (column, value) => is(Prisma.sql`${column} IS NOT NULL`, value),
  },
  bookmark: { label: { en: "Bookmark", de: "Gemerkt" }, column: "bookmark", is },
  falsePositive: {
    label: { en: "False positive", de: "Fehlalarm" },
    column: "falsePositive",
    is: (column, values) => {
      const [value, ...others] = values;
      return value !== undefined && others.length === 0
        ? is(column, value)
        : Prisma.sql`${column} = ANY(${values}::boolean[])`;
    },
  },
  observation: {
    label: { en: "Observation", de: "Beobachtung" },
    column: "observation",
    is: (column, value) => Prisma.sql`${column} = ${value}::boolean`,
  },
  acknowledged: {
    label: { en: "Acknowledged", de: "Quittiert" },
    column: "acknowledgedAt",
    is: (column, value) => is(Prisma.sql`${column} IS NOT NULL`, value),
  },
  open: {
    label: { en: "Open", de: "Offen" },
    columns: ["acknowledgedAt", "falsePositive", "observation"],
    // The condition of the index of open alerts.
    are: ([acknowledgedAt, falsePositive, observation], value) =>
      is(Prisma.sql`(${acknowledgedAt} IS NULL AND NOT ${falsePositive} AND NOT ${observation})`, value),
  },
  hasClip: {
    label: { en: "With a clip", de: "Mit Clip" },
    columns: ["workspaceId", "id"],
    are: hasClip,
  },
  areaId: {
    label: { en: "Area id", de: "Bereichs-ID" },
    column: "areaIds",
    is: (column, id) => Prisma.sql`${id}::uuid = ANY(${column})`,
  },
  areaIds: {
    label: { en: "One of the area ids", de: "Eine der Bereichs-IDs" },
    column: "areaIds",
    is: (column, ids) => Prisma.sql`${column} && ${ids}::uuid[]`,
  },
  objectLabels: { label: { en: "Object", de: "Objekt" }, column: "info", is: hasObject },
  objectAttributes: {
    label: { en: "Attributes of an object", de: "Merkmale eines Objekts" },
    words: (attributes) => attributes.map(({ name, value }) => `${name}: ${value}`).join(", "),
    column: "info",
    is: hasAttributes,
  },
  text: {
    label: { en: "Text", de: "Text" },
    columns: ["workspaceId", "id", "name", "alertRuleName", "info"],
    are: hasText,
  },
  box: {
    label: { en: "Box in the picture (%)", de: "Ausschnitt des Bildes (%)" },
    words: ({ x1, y1, x2, y2 }) => [x1, y1, x2, y2].map((share) => Math.round(share * 100)).join(", "),
    columns: ["violatingCoordinates", "canvasDimensions", "imageDimensions"],
    are: hasPointIn,
  },
  localDays: {
    label: { en: "Local days", de: "Tage vor Ort" },
    days: ({ from, to }) => ({ first: Prisma.sql`${from}::date`, last: Prisma.sql`${to}::date` }),
  },
  relativeDays: {
    label: { en: "Relative days", de: "Relative Tage" },
    days: ({ from, to }, today) => ({
      first: Prisma.sql`${today} + ${from}::int`,
      last: Prisma.sql`${today} + ${to}::int`,
    }),
  },
  relativeWeeks: {
    label: { en: "Relative weeks", de: "Relative Wochen" },
    days: ({ from, to }, today) => {
      const monday = Prisma.sql`date_trunc('week', ${today}::timestamp)::date`;
      return {
        first: Prisma.sql`${monday} + 7 * ${from}::int`,
        last: Prisma.sql`${monday} + 7 * ${to}::int + 6`,
      };
    },
  },
  localTimes: {
    label: { en: "Local times", de: "Zeiten vor Ort" },
    localTime: ({ time }, times) => {
      const from = Prisma.sql`${time}::time >= ${times.from}::time`;
      const until = Prisma.sql`${time}::time < ${times.to}::time`;
      return runOverMidnight(times) ? Prisma.sql`(${from} OR ${until})` : Prisma.sql`${from} AND ${until}`;
    },
  },
  hoursOfDay: {
    label: { en: "Hour of the day", de: "Stunde des Tages" },
    localTime: ({ time }, hours) => Prisma.sql`extract(hour FROM ${time})::int = ANY(${hours}::int[])`,
  },
  daysOfWeek: {
    label: { en: "Day of the week (0 is Sunday)", de: "Wochentag (0 ist Sonntag)" },
    localTime: ({ day }, days) => Prisma.sql`extract(dow FROM ${day})::int = ANY(${days}::int[])`,
  },
} satisfies { [Field in keyof AlertFilter]-?: FilterField<Field, NonNullable<AlertFilter[Field]>> };

type AnyField = FilterField<keyof AlertFilter, never>;

export const namedFields = Object.entries(alertFilterFields) as [keyof AlertFilter, AnyField][];

export const givenFields = (filter: Partial<Record<keyof AlertFilter, unknown>>): [AnyField, never][] =>
  namedFields.flatMap(([name, field]) => (filter[name] == null ? [] : [[field, filter[name] as never]]));
