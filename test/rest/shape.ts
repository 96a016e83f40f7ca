import type { Shape } from "../support/route-cases.js";

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const localTimestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/;

const leaves: Record<Extract<Shape, string>, (value: unknown) => boolean> = {
  uuid: (value) => typeof value === "string" && uuid.test(value),
  string: (value) => typeof value === "string",
  link: (value) => typeof value === "string" && URL.canParse(value),
  timestamp: (value) => typeof value === "string" && timestamp.test(value),
  "local timestamp": (value) => typeof value === "string" && localTimestamp.test(value),
  integer: Number.isInteger,
  number: Number.isFinite,
  boolean: (value) => typeof value === "boolean",
  "free object": isObject,
  nothing: (value) => value === undefined,
  xlsx: (value) => Buffer.isBuffer(value) && value.subarray(0, 4).toString("latin1") === "PK\x03\x04",
};

/**
 * Compares responses with a shape and tracks which alternatives occurred at each path.
 */
export class ShapeCheck {
  readonly mismatches: string[] = [];
  readonly #seen = new Set<string>();

  constructor(private readonly shape: Shape) {}

  add(value: unknown): void {
    this.#check(value, this.shape, "body");
  }

  /**
   * Alternatives that no response had: a value or null where null is allowed, an empty or
   * a filled list.
   */
  get missing(): string[] {
    return [...this.#expected(this.shape, "body")].filter((alternative) => !this.#seen.has(alternative));
  }

  #check(value: unknown, shape: Shape, path: string): void {
    if (typeof shape === "string") this.#expect(leaves[shape](value), path, shape, value);
    else if ("constant" in shape) this.#expect(value === shape.constant, path, shape.constant, value);
    else if ("oneOf" in shape)
      this.#expect(shape.oneOf.includes(value as string), path, shape.oneOf.join("|"), value);
    else if ("fields" in shape) this.#checkFields(value, shape.fields, path);
    else if ("orNull" in shape) {
      this.#seen.add(`${path} ${value === null ? "without" : "with"} a value`);
      if (value !== null) this.#check(value, shape.orNull, path);
    } else if ("listOf" in shape) this.#checkList(value, shape.listOf, path);
    else {
      this.#checkList(value, shape.listOfOne, path);
      this.#expect(Array.isArray(value) && value.length === 1, path, "a list of one", value);
    }
  }

  #checkList(value: unknown, item: Shape, path: string): void {
    if (!Array.isArray(value)) {
      this.#expect(false, path, "a list", value);
      return;
    }
    this.#seen.add(`${path} ${value.length === 0 ? "empty" : "filled"}`);
    for (const each of value) this.#check(each, item, `${path}[]`);
  }

  #checkFields(value: unknown, fields: Record<string, Shape>, path: string): void {
    if (!isObject(value)) {
      this.#expect(false, path, "an object", value);
      return;
    }
    const wanted = Object.keys(fields).sort().join(" ");
    this.#expect(
      Object.keys(value).sort().join(" ") === wanted,
      path,
      `exactly ${wanted}`,
      Object.keys(value),
    );
    for (const [name, field] of Object.entries(fields))
      if (name in value) this.#check(value[name], field, `${path}.${name}`);
  }

  #expect(isValid: boolean, path: string, wanted: string, value: unknown): void {
    if (!isValid) this.mismatches.push(`${path} must be ${wanted}, not ${JSON.stringify(value)}`);
  }

  *#expected(shape: Shape, path: string): Generator<string> {
    if (typeof shape === "string") return;
    if ("orNull" in shape) {
      yield `${path} without a value`;
      yield `${path} with a value`;
      // Within a nullable value, null stands for an empty list.
      if (!(typeof shape.orNull === "object" && "listOf" in shape.orNull))
        yield* this.#expected(shape.orNull, path);
    } else if ("listOf" in shape) {
      yield `${path} empty`;
      yield `${path} filled`;
      yield* this.#expected(shape.listOf, `${path}[]`);
    } else if ("listOfOne" in shape) yield* this.#expected(shape.listOfOne, `${path}[]`);
    else if ("fields" in shape)
      for (const [name, field] of Object.entries(shape.fields))
        yield* this.#expected(field, `${path}.${name}`);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
