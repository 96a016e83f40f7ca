import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { CheckedArgs } from "../../../platform/input/input-type.js";
import { Costs, type ReadAhead, RequiresColumns, ReturnsLoaded } from "../annotations.js";
import { computedColumn } from "../computed-column.js";
import { loadReferenced } from "../load-referenced.js";
import type { ReadingContext } from "../loader.js";
import { Selected } from "./selected-fields.js";
import type { RelationLoader, Selection } from "./selection.js";

interface FieldOptions {
  type: Parameters<typeof FieldResolver>[0];
  description: string;
  nullable?: boolean;
  /** The columns of the row that the field needs, besides its keys. */
  columns?: readonly string[];
  args?: Parameters<typeof CheckedArgs>[0];
  cost?: number;
}

/** A field that is worked out from a row. */
interface WorkedOutField<Row> extends FieldOptions {
  resolve(row: Row, context: ReadingContext, fieldArguments: unknown): unknown;
}

/** A field that returns the rows of a relation, without looking at them. */
interface LoadedField<Row> extends FieldOptions {
  /** By default, {@link ReturnsLoaded}. */
  readAhead?: ReturnType<typeof ReadAhead>;
  load(row: Row, context: ReadingContext, selection: Selection, fieldArguments: unknown): unknown;
}

/** The fields of a type, as the resolver class that type-graphql wants for them. */
export function fieldsOf<Row extends object>(
  type: new () => object,
  fields: Readonly<Record<string, WorkedOutField<Row> | LoadedField<Row>>>,
): new () => object {
  class Fields {}
  Resolver(() => type)(Fields);
  for (const [name, field] of Object.entries(fields)) addField(Fields.prototype, name, field);
  return Fields;
}

function addField<Row>(prototype: object, name: string, field: WorkedOutField<Row> | LoadedField<Row>): void {
  const { type, description, nullable = false, columns = [], args, cost } = field;
  const loads = "load" in field;
  const value = loads ? field.load : field.resolve;
  const parameters = [Root(), Ctx(), ...(loads ? [Selected()] : []), ...(args ? [CheckedArgs(args)] : [])];
  for (const [index, parameter] of parameters.entries()) parameter(prototype, name, index);
  const decorators = [
    FieldResolver(type, { description, nullable }),
    RequiresColumns(...columns),
    ...(loads ? [field.readAhead ?? ReturnsLoaded()] : []),
    ...(cost === undefined ? [] : [Costs(cost)]),
  ];
  const property = { value };
  Object.defineProperty(prototype, name, property);
  for (const decorate of decorators) decorate(prototype, name, property);
}

/** The row that another one refers to by the ID in a column. */
export const reference = <Column extends string, Row>(
  column: Column,
  byId: RelationLoader<Row | null, void>,
) => ({
  columns: [column],
  load: (
    row: { [Name in Column]?: string | null | undefined },
    context: ReadingContext,
    selection: Selection,
  ) => loadReferenced(context, byId, selection, row[column] as string),
});

/** A computed column, which rows that writes returned lack. */
export const computed = <Column extends string, Row extends { id: string } & { [Name in Column]?: unknown }>(
  column: Column & keyof Row,
  byId: RelationLoader<Row | null, void>,
) => ({
  columns: [column],
  resolve: (row: Row, context: ReadingContext) => computedColumn(context, byId, row, column),
});
