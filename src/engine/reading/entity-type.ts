import type { Prisma } from "../../generated/prisma/client.js";
import type { SourceName } from "../access/visible-tables.js";
import type { VisibleSources } from "./visibility.js";

/** Describes the rows of one table to the code that reads them. */
export interface EntityType {
  /** The visible rows of the table. */
  source: SourceName;
  /** The columns that every selection reads. */
  keys: readonly string[];
  /** All columns, and how to read each from JSON, since rows travel as JSON. */
  columns: ReadonlyMap<string, ColumnKind>;
  /** The expressions of computed columns, over the alias `item` and the visible rows of other tables. */
  computedColumns: ComputedColumns;
}

type ComputedColumns = Readonly<Record<string, (visible: VisibleSources) => Prisma.Sql>>;

/** How to read a column from JSON: unchanged, as a date from its text, or not at all. */
type ColumnKind = "plain" | "date" | "not JSON";

/** A row with the columns that are always read, and the others that the operation needs. */
export type Selected<Row, Always extends keyof Row> = Pick<Row, Always> & {
  [Column in Exclude<keyof Row, Always>]?: Row[Column] | undefined;
};

type ColumnsOf<Row, Type> = {
  [Column in keyof Row]-?: NonNullable<Row[Column]> extends Type ? Column : never;
}[keyof Row];
/** JSON cannot represent these values, or not all of their digits. */
type NotJson = Uint8Array | bigint | Prisma.Decimal;
type NotJsonColumns<Row> = ColumnsOf<Row, NotJson | readonly (NotJson | Date)[]>;

interface EntityTypeDefinition<Row> {
  source: SourceName;
  /** The model's columns as Prisma lists them. */
  columns: { readonly [Column in keyof Row]: Column };
  keys: readonly (keyof Row & string)[];
  computedColumns?: ComputedColumns;
  /** The computed columns that are dates. */
  computedDateColumns?: ComputedColumns;
}

/**
 * The columns that JSON cannot represent unchanged. The compiler knows them, and rejects a list without one of them.
 */
type SpecialColumns<Row> = Named<"dateColumns", ColumnsOf<Row, Date>> &
  Named<"notJsonColumns", NotJsonColumns<Row>>;
type Named<Name extends string, Columns extends PropertyKey> = [Columns] extends [never]
  ? { [Each in Name]?: never }
  : { [Each in Name]: Record<Columns, true> };

/** Defines an entity type. No field may require a column that JSON cannot represent: see `assertReadable`. */
export function defineEntityType<Row>(
  definition: EntityTypeDefinition<Row> & SpecialColumns<Row>,
): EntityType {
  const { source, keys, computedDateColumns = {} } = definition;
  const computedColumns = { ...definition.computedColumns, ...computedDateColumns };
  const { notJsonColumns = {} }: { notJsonColumns?: object } = definition;
  const dateColumns = { ...definition.dateColumns, ...computedDateColumns };
  const columns = new Map<string, ColumnKind>();
  for (const column of [...Object.keys(definition.columns), ...Object.keys(computedColumns)]) {
    columns.set(column, column in dateColumns ? "date" : column in notJsonColumns ? "not JSON" : "plain");
  }
  return { source, keys, columns, computedColumns };
}
