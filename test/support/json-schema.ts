import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";

/** Checks a value. Lists its faults. */
export type Validate = ((value: unknown) => boolean) & { errors?: unknown };

const compiled = new Map<string, Validate>();

/** Compiles a schema of an OpenAPI document once. Rejects undescribed properties. */
export function compileSchema(schema: object, components: object): Validate {
  const text = JSON.stringify(schema);
  const validate = compiled.get(text) ?? compileStrictly({ ...schema, components });
  compiled.set(text, validate);
  return validate;
}

function compileStrictly(schema: object): Validate {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  const strict = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(strict);
    if (!node || typeof node !== "object") return node;
    const copy = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, strict(value)]));
    return "properties" in node ? { ...copy, additionalProperties: false } : copy;
  };
  return ajv.compile(strict(schema) as object);
}
