import { isDeepStrictEqual } from "node:util";
import { isEnumType } from "graphql";
import type { Shape } from "./operation-shape.js";

type Json = { [name: string]: unknown };

/** A JSON Schema for objects whose properties are all required. */
export const object = (properties: Record<string, unknown>): Json => ({
  type: "object",
  required: Object.keys(properties),
  properties,
});

const scalarSchemas: Record<string, Json> = {
  UUID: { type: "string", format: "uuid" },
  DateTimeISO: { type: "string", format: "date-time" },
  JSONObject: { type: "object" },
  SafeInt: { type: "integer", format: "int64" },
  String: { type: "string" },
  Int: { type: "integer", format: "int32" },
  Float: { type: "number", format: "double" },
  Boolean: { type: "boolean" },
};

/** The schemas of objects and enums in an OpenAPI description, under the names of their GraphQL types. */
export class SchemaComponents {
  readonly schemas: Record<string, Json> = {};

  /**
   * The JSON Schema of data with a shape. `name` names objects (or lists of them) that differ from their GraphQL type.
   */
  schemaOf(shape: Shape, name?: string): Json {
    const schema = this.#withoutNull(shape, name);
    const description = shape.description && { description: shape.description };
    if (!shape.nullable) return { ...schema, ...description };
    return "$ref" in schema
      ? { anyOf: [schema, { type: "null" }], ...description }
      : { ...schema, type: [schema.type, "null"], ...description };
  }

  #withoutNull(shape: Shape, name?: string): Json {
    if (shape.kind === "list") return { type: "array", items: this.schemaOf(shape.items, name) };
    if (shape.kind === "object") {
      const fields = Object.entries(shape.fields).map(([key, field]) => [key, this.schemaOf(field)]);
      return this.#reference(name ?? shape.type.name, {
        ...object(Object.fromEntries(fields)),
        description: shape.type.description,
      });
    }
    const { type } = shape;
    if (!isEnumType(type)) return scalarSchemas[type.name] ?? {};
    const values = type.getValues().map(({ name }) => name.toLowerCase());
    return this.#reference(type.name, { type: "string", enum: values, description: type.description });
  }

  #reference(name: string, schema: Json): Json {
    const known = this.schemas[name];
    if (known && !isDeepStrictEqual(known, schema))
      throw new Error(`Two schemas are named ${name}: the response of one needs a name of its own`);
    this.schemas[name] = schema;
    return { $ref: `#/components/schemas/${name}` };
  }
}
