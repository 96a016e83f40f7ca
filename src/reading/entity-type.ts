import type { Prisma } from "../generated/prisma/client.js";
import type { SourceName, VisibleSources } from "./visibility.js";

/** What rows of one table look like to the read engine. */
export interface EntityType {
  /** The visible rows of the table. */
  source: SourceName;
  /** The columns that are read whatever is selected. */
  keys: readonly string[];
  /** All columns, and what has to be done to read them: rows travel as JSON. */
  columns: ReadonlyMap<string, ColumnKind>;
  /**
   * The expressions of computed columns, over the alias `item` and the visible rows of
   * other tables.
   */
  computedColumns: ComputedColumns;
}

type ComputedColumns = Readonly<Record<string, (visible: VisibleSources) => Prisma.Sql>>;

/** How a column comes out of JSON: as it is, as a date from its text, or not at all. */
export type ColumnKind = "plain" | "date" | "not JSON";

/**
 * A row of which only the columns that the operation needs were read, besides those that
 * always are.
 */
export type Selected<Row, Always extends keyof Row> = Pick<Row, Always> & {
  [Column in Exclude<keyof Row, Always>]?: Row[Column] | undefined;
};

type ColumnsOf<Row, Type> = {
  [Column in keyof Row]-?: NonNullable<Row[Column]> extends Type ? Column : never;
}[keyof Row];
/** JSON has no such values, or fewer digits than they have. */
type NotJson = Uint8Array | bigint | Prisma.Decimal;
type NotJsonColumns<Row> = ColumnsOf<Row, NotJson | readonly (NotJson | Date)[]>;

interface EntityTypeDefinition<Row> {
  source: SourceName;
  /** The model's columns as Prisma lists them. */
  columns: { readonly [Column in keyof Row]: Column };
  keys: readonly (keyof Row & string)[];
  computedColumns?: ComputedColumns;
}

/**
 * The columns that do not come out of JSON as they are. The compiler knows them, and
 * refuses a list where one is missing.
 */
type SpecialColumns<Row> = Named<"dateColumns", ColumnsOf<Row, Date>> &
  Named<"notJsonColumns", NotJsonColumns<Row>>;
type Named<Name extends string, Columns extends PropertyKey> = [Columns] extends [never]
  ? { [Each in Name]?: never }
  : { [Each in Name]: Record<Columns, true> };

/**
 * Defines an entity type. No field may require a column that JSON cannot carry: see
 * `assertReadable`.
 */
export function defineEntityType<Row>(
  definition: EntityTypeDefinition<Row> & SpecialColumns<Row>,
): EntityType {
  const { source, keys, computedColumns = {} } = definition;
  const { dateColumns = {}, notJsonColumns = {} }: { dateColumns?: object; notJsonColumns?: object } =
    definition;
  const columns = new Map<string, ColumnKind>();
  for (const column of [...Object.keys(definition.columns), ...Object.keys(computedColumns)]) {
    columns.set(column, column in dateColumns ? "date" : column in notJsonColumns ? "not JSON" : "plain");
  }
  return { source, keys, columns, computedColumns };
}
