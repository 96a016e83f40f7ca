import { isEnumType } from "graphql";
import type { Route } from "../../engine/route/route.js";
import { notFound } from "../../platform/errors/errors.js";
import { JsonText } from "../../platform/json/json-text.js";
import { endOfValue } from "../../platform/json/value-end.js";
import type { Shape } from "./operation-shape.js";

/** Converts GraphQL data of a shape into REST data, with enum values in lower case as the specification wants. */
type Serializer = (value: unknown) => unknown;

const identity: Serializer = (value) => value;

/** A value whose members can be read, even if it arrived as text. */
const readable = (value: unknown): unknown => (value instanceof JsonText ? value.toJSON() : value);

const lowerCase: Serializer = (value) => {
  const name = readable(value);
  return typeof name === "string" ? name.toLowerCase() : name;
};

/** Creates the serializer of a shape. Data without an enum is returned unchanged, without traversing it. */
export function serializerOf(shape: Shape): Serializer {
  if (shape.kind === "list") {
    const item = serializerOf(shape.items);
    return item === identity
      ? identity
      : (value) => {
          const items = readable(value);
          return Array.isArray(items) ? items.map(item) : items;
        };
  }
  if (shape.kind === "leaf") return isEnumType(shape.type) ? lowerCase : identity;
  const serializers = Object.entries(shape.fields)
    .map(([name, field]) => [name, serializerOf(field)] as const)
    .filter(([, serialize]) => serialize !== identity);
  if (serializers.length === 0) return identity;
  return (value) => {
    const members = readable(value);
    if (!members || typeof members !== "object") return members;
    const written: Record<string, unknown> = { ...members };
    for (const [name, serialize] of serializers) written[name] = serialize(written[name]);
    return written;
  };
}

const startOfMember = /\s*[{,]\s*"((?:[^"\\]|\\.)*)"\s*:\s*/y;

/**
 * A member of data. A member of a text stays a text, because parsing and writing it again takes longer. The end of a
 * member that is known to be the last need not be searched.
 */
export function memberOf(value: unknown, name: string, isLast = false): unknown {
  if (!(value instanceof JsonText)) return (value as Record<string, unknown> | null)?.[name];
  const { text } = value;
  for (let position = 0; ; ) {
    startOfMember.lastIndex = position;
    const start = startOfMember.exec(text);
    if (!start) return undefined;
    const valueStart = startOfMember.lastIndex;
    const isFound = start[1] === name;
    position = isFound && isLast ? text.lastIndexOf("}") : (endOfValue(text, valueStart) as number);
    if (!isFound) continue;
    const member = text.slice(valueStart, position).trimEnd();
    return member === "null" ? null : new JsonText(member);
  }
}

/** The body of a response: the data that the route returns, in the route's envelope. */
export function responseBody(
  route: Route,
  data: unknown,
  serialize: Serializer,
  query: Record<string, unknown>,
): unknown {
  const { envelope, from, nullable = false, message } = route.response;
  const value = from.reduce<unknown>((current, name, depth) => {
    const next = memberOf(current, name);
    if (next === null && !(nullable && depth === from.length - 1)) throw notFound();
    return next;
  }, data);
  if (envelope === "empty") return undefined;
  if (envelope === "message") return { status: "ok", message };
  const written = serialize(value);
  if (envelope === "inserted") return { status: "ok", ...(message && { message }), insertedItem: written };
  if (envelope === "bare") return written;
  if (envelope === "file") return readable(written);
  if (envelope === "single") return { status: "ok", data: [written] };
  if (envelope === "data") return { status: "ok", data: written };
  const page = {
    page: query.page,
    count: query.count,
    total: memberOf(written, "totalCount"),
    alerts: memberOf(written, "nodes", true),
  };
  return { status: "ok", data: page };
}
