import {
  type GraphQLAbstractType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
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
import type { SeededRandom } from "../../src/demo/seeded-random.js";
import type { RawResponse } from "../http/raw-request.js";
import type { FuzzGenerator } from "./fuzz-case.js";
import { mutateText } from "./mutation.js";
import { sentRequest } from "./sent-request.js";
import { brokenValue, callerOf, idFor, textFor, type World } from "./world.js";

/** A generated operation. */
export interface GeneratedOperation {
  query: string;
  variables: Record<string, unknown>;
}

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
  readonly #definitions: string[] = [];
  readonly #variables: Record<string, unknown> = {};
  readonly #breaks: boolean;
  #names = 0;
  #fieldsLeft: number;

  constructor(
    private readonly random: SeededRandom,
    private readonly world: World,
    private readonly schema: GraphQLSchema,
  ) {
    this.#breaks = random.chance(0.3);
    // Mostly small documents, some that reach the limits.
    this.#fieldsLeft = random.chance(0.1) ? 600 : 40;
  }

  operation(type: GraphQLObjectType, kind: "query" | "mutation" | "subscription"): GeneratedOperation {
    const { random } = this;
    const depth = random.integer(1, random.chance(0.1) ? 14 : 6);
    const selection =
      kind === "subscription"
        ? `{ ${this.#field(random.pick(Object.values(type.getFields())), depth, false)} }`
        : this.#selectionSet(type, depth, kind === "mutation" ? 2 : 4);
    const definitions = this.#definitions.length > 0 ? `(${this.#definitions.join(", ")})` : "";
    const fragments = this.#fragments.map(({ name, type, text }) => `fragment ${name} on ${type} ${text}`);
    const parts = [`${kind} ${random.chance(0.5) ? "Q" : ""}${definitions} ${selection}`, ...fragments];
    return { query: random.shuffled(parts).join("\n"), variables: this.#variables };
  }

  #selectionSet(type: GraphQLObjectType, depth: number, most = this.random.chance(0.05) ? 40 : 6): string {
    const { random } = this;
    const fields = Object.values(type.getFields()).filter((field) => depth > 1 || isLeafType(getNamedType(field.type)));
    const selections: string[] = fields.length === 0 || random.chance(0.1) ? ["__typename"] : [];
    for (let count = fields.length > 0 ? random.integer(1, most) : 0; count > 0; count -= 1) {
      if (this.#fieldsLeft <= 0 && selections.length > 0) break;
      selections.push(this.#selection(type, fields, depth));
    }
    return `{ ${selections.join(" ")} }`;
  }

  #selection(type: GraphQLObjectType, fields: GraphQLField<unknown, unknown>[], depth: number): string {
    const { random } = this;
    const known = this.#fragments.filter((fragment) => fragment.type === type.name && fragment.text);
    if (known.length > 0 && random.chance(0.1)) return `...${random.pick(known).name}${this.#directive()}`;
    if (depth > 1 && random.chance(0.07))
      return `...${random.chance(0.7) ? ` on ${type.name}` : ""}${this.#directive()} ${this.#selectionSet(type, depth - 1)}`;
    if (depth > 1 && random.chance(0.07)) {
      const text = this.#selectionSet(type, depth - 1);
      this.#fragments.push({ name: this.#name("F"), type: type.name, text });
      return `...${this.#fragments.at(-1)?.name}${this.#directive()}`;
    }
    return this.#field(random.pick(fields), depth);
  }

  #field(field: GraphQLField<unknown, unknown>, depth: number, mayHaveDirective = true): string {
    const { random } = this;
    this.#fieldsLeft -= 1;
    const taken = field.args.filter((argument) => isRequiredArgument(argument) || random.chance(0.4));
    const values = taken.map((argument) => `${argument.name}: ${this.#argument(argument, field.name)}`);
    // Two fields of one name with different arguments would be in conflict.
    const alias = field.args.length > 0 ? `${this.#name("a")}: ` : "";
    const inner = getNamedType(field.type);
    const below = isLeafType(inner) ? "" : ` ${this.#selectionBelow(inner, depth - 1)}`;
    return `${alias}${field.name}${values.length > 0 ? `(${values.join(", ")})` : ""}${mayHaveDirective ? this.#directive() : ""}${below}`;
  }

  /** A selection on a type; on an abstract one, a fragment on one of its types. */
  #selectionBelow(type: GraphQLNamedType, depth: number): string {
    if (isObjectType(type)) return this.#selectionSet(type, depth);
    const each = this.random.pick(this.schema.getPossibleTypes(type as GraphQLAbstractType));
    return `{ __typename ... on ${each.name} ${this.#selectionSet(each, depth)} }`;
  }

  /** What the argument `id` of a field such as `deleteCamera` names: `cameraId`. */
  #idNameFor(field: string): string {
    const names = Object.keys(this.world.ids).filter((name) => field.toLowerCase().includes(name.replace(/Id$/, "").toLowerCase()));
    return names.sort((one, other) => other.length - one.length)[0] ?? "id";
  }

  #directive(): string {
    const { random } = this;
    if (!random.chance(0.08)) return "";
    const name = random.pick(["include", "skip"]);
    return ` @${name}(if: ${random.chance(0.5) ? random.chance(0.5) : this.#variable("Boolean!", random.chance(0.5))})`;
  }

  #argument({ name, type }: GraphQLArgument, field: string): string {
    const value = this.#value(type, /^ids?$/.test(name) ? this.#idNameFor(field) : name);
    return this.random.chance(0.4) ? this.#variable(String(type), value) : literal(value);
  }

  #variable(type: string, value: unknown): string {
    const name = this.#name("v");
    this.#definitions.push(`$${name}: ${type}`);
    this.#variables[name] = value;
    return `$${name}`;
  }

  #value(type: GraphQLInputType, name: string): unknown {
    const { random, world } = this;
    if (this.#breaks && random.chance(0.15)) return brokenValue(random);
    if (isNonNullType(type)) return this.#value(type.ofType, name);
    if (isListType(type)) return Array.from({ length: random.integer(0, 3) }, () => this.#value(type.ofType, name));
    if (isEnumType(type)) return new EnumValue(random.pick(type.getValues()).name);
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter((field) => isRequiredInputField(field) || random.chance(0.3));
      return Object.fromEntries(fields.map((field) => [field.name, this.#value(field.type, field.name)]));
    }
    return scalarOf(type, name, random, world);
  }

  #name(prefix: string): string {
    this.#names += 1;
    return `${prefix}${this.#names}`;
  }
}

function scalarOf(type: GraphQLNamedType, name: string, random: SeededRandom, world: World): unknown {
  switch (type.name) {
    case "UUID":
    case "ID":
      return idFor(name, random, world);
    case "DateTimeISO":
      return new Date(name === "start" ? random.pick([0, Date.now() - 30 * 86_400_000]) : Date.now() - random.integer(0, 86_400_000)).toISOString();
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
  const headers: Record<string, string> = { "content-type": "application/json" };
  const caller = callerOf(random, world);
  if (caller !== undefined) headers.authorization = caller;
  if (random.chance(0.2))
    headers.accept = random.pick(["application/graphql-response+json", "application/json", "*/*", "text/html", "multipart/mixed"]);
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

/** Compares what the gateway says of a document with what the reference implementation says. */
function checkVerdict(schema: GraphQLSchema, query: string, { text, status }: RawResponse): string | undefined {
  const saysInvalid = /"code":"GRAPHQL_(?:PARSE|VALIDATION)_FAILED"/.test(text);
  const errors = errorsOf(schema, query);
  if (saysInvalid && errors.length === 0) return `says that a valid document is invalid: ${text.slice(0, 500)}`;
  if (errors.length > 0 && /"data":\{/.test(text)) return `runs an invalid document (${errors[0]}), ${status}: ${text.slice(0, 300)}`;
  return undefined;
}

const maxTokens = 5_000;

function errorsOf(schema: GraphQLSchema, query: string): string[] {
  try {
    return validate(schema, parse(query, { maxTokens }), specifiedRules, { maxErrors: 1 }).map(({ message }) => message);
  } catch (error) {
    return [(error as Error).message];
  }
}
