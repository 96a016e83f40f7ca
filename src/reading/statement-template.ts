import type { StatementText } from "../database/statement-text.js";
import { Prisma } from "../generated/prisma/client.js";

/** Stands for a value that each run of a statement has of its own. */
export class Placeholder<Run> {
  constructor(readonly value: (run: Run) => unknown) {}
}

/**
 * A statement that is composed once, and run with other values each time. To compose one
 * takes as long as much else of a small request, and to find the name of its text takes
 * as long again unless that is the same string.
 */
export class StatementTemplate<Run> {
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
 * Templates by what they are kept for, and by their variant: what else decides their
 * text.
 */
export class StatementTemplates<Run> {
  readonly #templates = new WeakMap<object, Map<string, StatementTemplate<Run>>>();

  get(keptBy: object, variant: string, compose: () => Prisma.Sql): StatementTemplate<Run> {
    let templates = this.#templates.get(keptBy);
    if (!templates) {
      templates = new Map();
      this.#templates.set(keptBy, templates);
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

/**
 * A number that statements have in common which differ by nothing but values. For those
 * whose text the gateway alone decides.
 */
export function shapeOf(statement: Prisma.Sql): number {
  let shape = shapes.get(statement);
  if (shape === undefined) {
    shape = knownShapes.get(statement.sql) ?? knownShapes.size;
    knownShapes.set(statement.sql, shape);
    shapes.set(statement, shape);
  }
  return shape;
}
