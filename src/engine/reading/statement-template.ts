import { Prisma } from "../../generated/prisma/client.js";
import type { StatementText } from "../database/statement-text.js";

/** Stands for a value that each run of a statement has of its own. */
export class Placeholder<Run> {
  constructor(readonly value: (run: Run) => unknown) {}
}

/**
 * A statement that is composed once and run with different values. Composing a statement takes a notable part of a
 * small request's time. Looking up the name of its prepared text takes as long again, unless the text is the same
 * string object.
 */
class StatementTemplate<Run> {
  readonly #strings: string[];
  readonly #text: string;
  readonly #values: readonly unknown[];

  constructor({ strings, text, values }: Prisma.Sql) {
    this.#strings = strings;
    this.#text = text;
    this.#values = values;
  }

  with(run: Run): StatementText {
    const values = this.#values.map((value) => (value instanceof Placeholder ? value.value(run) : value));
    return { strings: this.#strings, text: this.#text, values };
  }
}

/**
 * The templates of an answer by the relation that is read, and by their variant: everything else that
 * changes their text.
 */
export class StatementTemplates<Run> {
  readonly #templates = new Map<object, Map<string, StatementTemplate<Run>>>();

  get(relation: object, variant: string, compose: () => Prisma.Sql): StatementTemplate<Run> {
    let templates = this.#templates.get(relation);
    if (!templates) {
      templates = new Map();
      this.#templates.set(relation, templates);
    }
    let template = templates.get(variant);
    if (!template) {
      template = new StatementTemplate(compose());
      templates.set(variant, template);
    }
    return template;
  }
}

/** The same statement with placeholders for its values. */
export function withPlaceholders<Run>(
  { strings, values }: Prisma.Sql,
  placeholder: (index: number) => Placeholder<Run>,
): Prisma.Sql {
  return new Prisma.Sql(
    strings,
    values.map((_value, index) => placeholder(index)),
  );
}

const shapes = new WeakMap<Prisma.Sql, number>();
const knownShapes = new Map<string, number>();

/** A number equal for statements that differ only in values. Only for texts that do not depend on clients. */
export function shapeOf(statement: Prisma.Sql): number {
  let shape = shapes.get(statement);
  if (shape === undefined) {
    shape = knownShapes.get(statement.sql) ?? knownShapes.size;
    knownShapes.set(statement.sql, shape);
    shapes.set(statement, shape);
  }
  return shape;
}
