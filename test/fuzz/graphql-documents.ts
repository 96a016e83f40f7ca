import {
  type GraphQLAbstractType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  parse,
  specifiedRules,
  validate,
} from "graphql";
import type { SeededRandom } from "../../src/programs/demo/seeded-random.js";
import type { RawResponse } from "../http/raw-request.js";
import { listOf } from "../support/list-of.js";
import type { FuzzGenerator } from "./fuzz-case.js";
import { mutateText } from "./mutation.js";
import { sentRequest } from "./sent-request.js";
import { authorizationOf, brokenValue, idFor, representationFor, textFor, type World } from "./world.js";

/** A generated operation. */
export interface GeneratedOperation {
  query: string;
  variables: Record<string, unknown>;
  operationName?: string;
  /** Draws other values for some of the variables, or leaves them out. */
  redraw(): Record<string, unknown>;
}

/** The style of generated documents. */
export interface DocumentStyle {
  /** Whether values may break rules. */
  breaks: boolean;
  maxFields: number;
  maxDepth: number;
  /** The largest requested page. */
  maxPage: number;
  /**
   * The probability that a selection has a directive, and a field without arguments an
   * alias.
   */
  directives: number;
  aliases: number;
  /**
   * Whether the document has no texts and no default values. Variables replace such
   * literals.
   */
  isPlain: boolean;
  /** The probability that the document has another operation. */
  others: number;
  /** Whether a field of an object type may be selected. */
  isSuitable(parent: GraphQLObjectType, field: GraphQLField<unknown, unknown>): boolean;
}

/** Mostly small documents, some that reach the limits. */
const anyStyle = (random: SeededRandom): DocumentStyle => ({
  breaks: random.chance(0.3),
  maxFields: random.chance(0.1) ? 600 : 40,
  maxDepth: random.chance(0.1) ? 14 : 6,
  maxPage: random.chance(0.1) ? 1000 : 30,
  directives: 0.08,
  aliases: 0.05,
  isPlain: false,
  others: 0.02,
  isSuitable: () => true,
});

/** An enum value in a literal, which is written without quotation marks. */
class EnumValue {
  constructor(readonly name: string) {}

  toJSON(): string {
    return this.name;
  }
}

/** Generates one document, which is valid for the schema unless a value is broken. */
export class DocumentGenerator {
  readonly #fragments: { name: string; type: string; text: string }[] = [];
  #definitions: string[] = [];
  readonly #variables: Record<string, unknown> = {};
  readonly #redraws = new Map<string, () => unknown>();
  #names = 0;
  #fieldsLeft: number;

  constructor(
    private readonly random: SeededRandom,
    private readonly world: World,
    private readonly schema: GraphQLSchema,
    private readonly style: DocumentStyle = anyStyle(random),
  ) {
    this.#fieldsLeft = style.maxFields;
  }

  operation(type: GraphQLObjectType, kind: "query" | "mutation" | "subscription"): GeneratedOperation {
    const { random, style } = this;
    const depth = random.integer(Math.min(2, style.maxDepth), style.maxDepth);
    const hasOther = random.chance(style.others);
    const name = hasOther || random.chance(0.5) ? random.pick(["Q", "Cameras", "query", "_0"]) : "";
    const selection =
      kind === "subscription"
        ? `{ ${this.#field(type, random.pick(Object.values(type.getFields())), depth, false)} }`
        : this.#selectionSet(type, depth, kind === "mutation" ? 2 : 4);
    const parts = [`${kind} ${name}${this.#takeDefinitions()} ${selection}`];
    if (hasOther) {
      const other = this.#selectionSet(type, 2, 2);
      parts.push(`${kind} Other${this.#takeDefinitions()} ${other}`);
    }
    return this.#generated(parts, hasOther ? name : undefined);
  }

  /**
   * Operations with the same selection of one object. The variable `id` chooses the
   * object, in operations that name one.
   */
  operationsOn(
    type: GraphQLObjectType,
    operations: (selection: string) => (readonly [kind: string, selection: string])[],
  ): GeneratedOperation[] {
    const text = this.#selectionSet(type, this.random.integer(1, this.style.maxDepth));
    const ofSelection = this.#definitions;
    return operations(text).map(([kind, selection]) => {
      this.#definitions = [...(selection.includes("$id") ? ["$id: UUID!"] : []), ...ofSelection];
      return this.#generated([`${kind} ${this.#takeDefinitions()} ${selection}`]);
    });
  }

  #generated(operations: string[], operationName?: string): GeneratedOperation {
    const fragments = this.#fragments.map(({ name, type, text }) => `fragment ${name} on ${type} ${text}`);
    return {
      query: this.random.shuffled([...operations, ...fragments]).join("\n"),
      variables: this.#variables,
      ...(operationName !== undefined && { operationName }),
      redraw: () => this.#redraw(),
    };
  }

  #redraw(): Record<string, unknown> {
    const drawn = Object.entries(this.#variables).map(([name, value]) => {
      const redraw = this.#redraws.get(name);
      return [name, redraw && this.random.chance(0.6) ? redraw() : value];
    });
    return Object.fromEntries(drawn);
  }

  #takeDefinitions(): string {
    const definitions = this.#definitions.length > 0 ? `(${this.#definitions.join(", ")})` : "";
    this.#definitions = [];
    return definitions;
  }

  #selectionSet(type: GraphQLObjectType, depth: number, most = this.random.chance(0.05) ? 40 : 6): string {
    const { random } = this;
    const fields = Object.values(type.getFields())
      .filter((field) => depth > 1 || isLeafType(getNamedType(field.type)))
      .filter((field) => this.style.isSuitable(type, field));
    const selections: string[] =
      fields.length === 0 || random.chance(0.1)
        ? [random.chance(0.2) ? `${this.#name("a")}: __typename` : "__typename"]
        : [];
    for (let count = fields.length > 0 ? random.integer(1, most) : 0; count > 0; count -= 1) {
      if (this.#fieldsLeft <= 0 && selections.length > 0) break;
      selections.push(this.#selection(type, fields, depth));
    }
    return `{ ${selections.join(" ")} }`;
  }

  #selection(type: GraphQLObjectType, fields: GraphQLField<unknown, unknown>[], depth: number): string {
    const { random } = this;
    const interfaces = type.getInterfaces();
    if (interfaces.length > 0 && random.chance(0.04)) return this.#onInterface(random.pick(interfaces));
    const known = this.#fragments.filter((fragment) => fragment.type === type.name && fragment.text);
    if (known.length > 0 && random.chance(0.1)) return `...${random.pick(known).name}${this.#directive()}`;
    if (depth > 1 && random.chance(0.07))
      return `...${random.chance(0.7) ? ` on ${type.name}` : ""}${this.#directive()} ${this.#selectionSet(type, depth - 1)}`;
    if (depth > 1 && random.chance(0.07)) {
      return this.#spread(type.name, this.#selectionSet(type, depth - 1));
    }
    return this.#field(type, random.pick(fields), depth);
  }

  /** A fragment on an interface, which has a name or not. */
  #onInterface(type: GraphQLInterfaceType): string {
    const { random } = this;
    const selections = Object.keys(type.getFields()).map((name) =>
      random.chance(0.4) ? `${this.#name("a")}: ${name}` : name,
    );
    const text = `{ ${random.shuffled([...selections, ...(random.chance(0.5) ? ["__typename"] : [])]).join(" ")} }`;
    return random.chance(0.5)
      ? `... on ${type.name}${this.#directive()} ${text}`
      : this.#spread(type.name, text);
  }

  /** Spreads a new fragment, which has a name. */
  #spread(type: string, text: string): string {
    const name = this.#name("F");
    this.#fragments.push({ name, type, text });
    return `...${name}${this.#directive()}`;
  }

  #field(
    parent: GraphQLObjectType,
    field: GraphQLField<unknown, unknown>,
    depth: number,
    mayHaveDirective = true,
  ): string {
    this.#fieldsLeft -= 1;
    const values = this.#taken(field).map(
      (argument) => `${argument.name}: ${this.#argument(argument, field.name)}`,
    );
    const alias = this.#alias(parent, field);
    const inner = getNamedType(field.type);
    const below = isLeafType(inner) ? "" : ` ${this.#selectionBelow(inner, depth - 1)}`;
    return `${alias}${field.name}${values.length > 0 ? `(${values.join(", ")})` : ""}${mayHaveDirective ? this.#directive() : ""}${below}`;
  }

  /** The arguments that a field is given. */
  #taken(field: GraphQLField<unknown, unknown>): GraphQLArgument[] {
    const { random, world } = this;
    const taken = field.args.filter((argument) => isRequiredArgument(argument) || random.chance(0.4));
    if (this.style.breaks) return taken;
    // Pages are read from one end.
    const names = new Set(taken.map(({ name }) => name));
    if (names.has("last")) for (const name of ["first", "offset"]) names.delete(name);
    if (names.has("before")) names.delete("offset");
    return taken.filter(
      ({ name }) =>
        names.has(name) && (!isCursor(name) || !world.cursors || world.cursors[field.name]?.length),
    );
  }

  /** Two fields of one name with different arguments would be in conflict. */
  #alias(parent: GraphQLObjectType, field: GraphQLField<unknown, unknown>): string {
    const { random } = this;
    if (field.args.length > 0) return `${this.#name("a")}: `;
    if (!random.chance(this.style.aliases)) return "";
    // Some have the name of another field.
    return random.chance(0.4) ? `${random.pick(Object.keys(parent.getFields()))}: ` : `${this.#name("a")}: `;
  }

  /** A selection on a type; on an abstract one, fragments on some of its types. */
  #selectionBelow(type: GraphQLNamedType, depth: number): string {
    if (isObjectType(type)) return this.#selectionSet(type, depth);
    const types = this.random
      .shuffled(this.schema.getPossibleTypes(type as GraphQLAbstractType))
      .slice(0, this.random.integer(1, 3));
    return `{ __typename ${types.map((each) => `... on ${each.name} ${this.#selectionSet(each, depth)}`).join(" ")} }`;
  }

  /**
   * The name of the id for the argument `id` of a field such as `deleteCamera`:
   * `cameraId`.
   */
  #idNameFor(field: string): string {
    const names = Object.keys(this.world.ids).filter((name) =>
      field.toLowerCase().includes(name.replace(/Id$/, "").toLowerCase()),
    );
    return names.sort((one, other) => other.length - one.length)[0] ?? "id";
  }

  #directive(): string {
    const { random } = this;
    if (!random.chance(this.style.directives)) return "";
    const name = random.pick(["include", "skip"]);
    return ` @${name}(if: ${random.chance(0.5) ? random.chance(0.5) : this.#variable("Boolean!", () => random.chance(0.5))})`;
  }

  #argument({ name, type }: GraphQLArgument, field: string): string {
    const { random, world } = this;
    const isNullable = !isNonNullType(type);
    const draw = (): unknown => {
      if (isCursor(name) && world.cursors) return random.pick(world.cursors[field] as readonly string[]);
      return this.#value(type, /^ids?$/.test(name) ? this.#idNameFor(field) : name);
    };
    return this.#expression(type, draw, isNullable);
  }

  /** A variable, a literal, or an input object with variables in it. */
  #expression(type: GraphQLInputType, draw: () => unknown, isNullable: boolean): string {
    const { random, style } = this;
    const mayBeNull = isNullable && !style.breaks;
    if (random.chance(0.4)) return this.#variable(String(type), draw, mayBeNull);
    const value = draw();
    if (!style.isPlain || !hasText(value)) return literal(value);
    const inner = getNullableType(type);
    if (!isInputObjectType(inner) || localPeriods[inner.name] || typeof value !== "object" || value === null)
      return this.#variable(String(type), draw, mayBeNull);
    const fields = Object.entries(value).map(([name, each]) => {
      const { type: fieldType } = inner.getFields()[name] as GraphQLInputField;
      if (!hasText(each)) return `${name}: ${literal(each)}`;
      // Without a period, no alerts are listed.
      const mayBeLeftOut =
        mayBeNull &&
        !isNonNullType(fieldType) &&
        !/^(?:start|end|localDays|relativeDays|relativeWeeks)$/.test(name);
      return `${name}: ${this.#variable(String(fieldType), () => this.#value(fieldType, name), mayBeLeftOut)}`;
    });
    return `{ ${fields.join(", ")} }`;
  }

  #variable(type: string, draw: () => unknown, isNullable = false): string {
    const { random, style } = this;
    const name = this.#name("v");
    const value = draw();
    const hasDefault = isNullable && !style.isPlain && random.chance(0.2);
    this.#definitions.push(`$${name}: ${type}${hasDefault ? ` = ${literal(value)}` : ""}`);
    // Null and nothing at all are not the same, and both occur.
    const drawOrOmit = (drawn: unknown) =>
      isNullable && random.chance(0.15) ? random.pick([null, undefined]) : drawn;
    this.#variables[name] = drawOrOmit(value);
    this.#redraws.set(name, () => drawOrOmit(draw()));
    return `$${name}`;
  }

  #value(type: GraphQLInputType, name: string): unknown {
    const { random, world, style } = this;
    if (style.breaks && random.chance(0.15)) return brokenValue(random);
    if (isNonNullType(type)) return this.#value(type.ofType, name);
    if (isListType(type)) return listOf(random.integer(0, 3), () => this.#value(type.ofType, name));
    if (isEnumType(type)) return new EnumValue(random.pick(type.getValues()).name);
    if (isInputObjectType(type)) {
      const taken = (field: GraphQLInputField) =>
        isRequiredInputField(field) || random.chance(isPeriod(field) ? 0.95 : 0.15);
      const fields = Object.values(type.getFields()).filter(taken);
      const periods = style.breaks ? undefined : localPeriods[type.name]?.(world.now);
      if (periods) return random.pick(periods);
      return Object.fromEntries(fields.map((field) => [field.name, this.#value(field.type, field.name)]));
    }
    if (type.name === "Int" && !style.breaks) return integerFor(name, random, style.maxPage);
    return scalarOf(type, name, random, world);
  }

  #name(prefix: string): string {
    this.#names += 1;
    return `${prefix}${this.#names}`;
  }
}

const isCursor = (argument: string) => argument === "after" || argument === "before";

/** Lists of alerts need a period. */
const isPeriod = ({ name }: GraphQLInputField) => name === "start" || name === "end";

const dayBefore = (now: Date, days: number) =>
  new Date(now.getTime() - days * 86_400_000).toISOString().slice(0, 10);

/** Periods by the clocks of facilities, by the name of their input type. */
const localPeriods: Record<string, (now: Date) => readonly object[]> = {
  LocalDaysInput: (now) => [
    { from: "2020-01-01", to: "2099-12-31" },
    { from: dayBefore(now, 7), to: dayBefore(now, 5) },
  ],
  LocalTimesInput: () => [
    { from: "18:00", to: "06:00" },
    { from: "08:30", to: "17:00" },
  ],
  RelativeDaysInput: () => [
    { from: -20, to: 0 },
    { from: -60, to: -3 },
  ],
};

/** A number that suits an argument or field of this name. */
function integerFor(name: string, random: SeededRandom, maxPage: number): number {
  if (name === "offset") return random.integer(0, 4);
  if (name === "daysOfWeek") return random.integer(0, 6);
  if (name === "hoursOfDay") return random.integer(0, 23);
  return random.integer(1, maxPage);
}

/** Whether a value is written with quotation marks. */
function hasText(value: unknown): boolean {
  if (value instanceof EnumValue) return false;
  return (
    typeof value === "string" ||
    (typeof value === "object" && value !== null && Object.values(value).some(hasText))
  );
}

function scalarOf(type: GraphQLNamedType, name: string, random: SeededRandom, world: World): unknown {
  const now = world.now.getTime();
  switch (type.name) {
    case "UUID":
    case "ID":
      return idFor(name, random, world);
    case "_Any":
      return representationFor(random, world);
    case "DateTimeISO":
      return new Date(
        name === "start" ? random.pick([0, now - 30 * 86_400_000]) : now - random.integer(0, 86_400_000),
      ).toISOString();
    case "Int":
    case "SafeInt":
      return random.chance(0.1) ? 1000 : random.integer(0, 30);
    case "Float":
      return random.between(-100, 2_000);
    case "Boolean":
      return random.chance(0.5);
    case "JSONObject":
      return { a: 1, b: [true, null, "x"] };
    default:
      return textFor(name, random);
  }
}

/** A value in the syntax of GraphQL. */
function literal(value: unknown): string {
  if (value instanceof EnumValue) return value.name;
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (value && typeof value === "object")
    return `{ ${Object.entries(value)
      .map(([name, each]) => `${name}: ${literal(each)}`)
      .join(", ")} }`;
  return JSON.stringify(value) ?? "null";
}

/** Generates requests to /graphql, whose documents are valid or mutated. */
export function graphqlRequests(schema: GraphQLSchema): FuzzGenerator {
  return (random, world) => {
    const kind = random.chance(0.75) ? "query" : "mutation";
    const root = (kind === "query" ? schema.getQueryType() : schema.getMutationType()) as GraphQLObjectType;
    const generated = new DocumentGenerator(random, world, schema).operation(root, kind);
    const query = random.chance(0.25) ? mutateText(generated.query, random) : generated.query;
    const request = { method: "POST", path: "/graphql", headers: headersOf(random, world) };
    const body = bodyOf({ ...generated, query }, random);
    if (random.chance(0.05)) return sentRequest({ ...request, body: mutateText(body, random) });
    return sentRequest({ ...request, body }, (response) => checkVerdict(schema, query, response));
  };
}

function headersOf(random: SeededRandom, world: World): Record<string, string> {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    ...authorizationOf(random, world),
  };
  if (random.chance(0.2))
    headers.accept = random.pick([
      "application/graphql-response+json",
      "application/json",
      "*/*",
      "text/html",
      "multipart/mixed",
    ]);
  if (random.chance(0.1)) headers["graphql-cost"] = "1";
  return headers;
}

const bodyOf = ({ query, variables }: GeneratedOperation, random: SeededRandom): string =>
  JSON.stringify({
    query,
    variables: random.chance(0.05) ? brokenValue(random) : variables,
    ...(random.chance(0.1) && { operationName: random.pick(["Q", "", null, "R", 1]) }),
    ...(random.chance(0.03) && { extensions: brokenValue(random) }),
  });

/** Compares the gateway's verdict on a document with the reference implementation's. */
function checkVerdict(
  schema: GraphQLSchema,
  query: string,
  { text, status }: RawResponse,
): string | undefined {
  const saysInvalid = /"code":"GRAPHQL_(?:PARSE|VALIDATION)_FAILED"/.test(text);
  const errors = errorsOf(schema, query);
  if (saysInvalid && errors.length === 0)
    return `says that a valid document is invalid: ${text.slice(0, 500)}`;
  if (errors.length > 0 && /"data":\{/.test(text))
    return `runs an invalid document (${errors[0]}), ${status}: ${text.slice(0, 300)}`;
  return undefined;
}

const maxTokens = 5_000;

function errorsOf(schema: GraphQLSchema, query: string): string[] {
  try {
    return validate(schema, parse(query, { maxTokens }), specifiedRules, { maxErrors: 1 }).map(
      ({ message }) => message,
    );
  } catch (error) {
    return [(error as Error).message];
  }
}
