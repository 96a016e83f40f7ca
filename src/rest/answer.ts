import { isEnumType } from "graphql";
import type { Route } from "../http/route.js";
import { notFound } from "../platform/errors.js";
import type { Shape } from "./operation-shape.js";

/** GraphQL enums that REST writes in small letters, as the interface specification has them. */
const smallEnums = new Set(["StreamType", "StreamProtocol"]);

/** Whether values of this shape are written in small letters. */
export function isSmallEnum(shape: Shape): boolean {
  return shape.kind === "leaf" && isEnumType(shape.type) && smallEnums.has(shape.type.name);
}

/** How GraphQL data of a shape is written by REST: as it is, but for those enums. */
export type Writer = (value: unknown) => unknown;

const asItIs: Writer = (value) => value;

/** Makes the writer of a shape once, so that answers without such an enum are not walked through. */
export function writerOf(shape: Shape): Writer {
  if (isSmallEnum(shape)) return (value) => (typeof value === "string" ? value.toLowerCase() : value);
  if (shape.kind === "list") {
    const item = writerOf(shape.items);
    return item === asItIs ? asItIs : (value) => (Array.isArray(value) ? value.map(item) : value);
  }
  if (shape.kind === "leaf") return asItIs;
  const writers = Object.entries(shape.fields)
    .map(([name, field]) => [name, writerOf(field)] as const)
    .filter(([, writer]) => writer !== asItIs);
  if (writers.length === 0) return asItIs;
  return (value) => {
    if (!value || typeof value !== "object") return value;
    const written: Record<string, unknown> = { ...value };
    for (const [name, writer] of writers) written[name] = writer(written[name]);
    return written;
  };
}

/** The body that answers a request: the operation's data at the route's place, in the route's envelope. */
export function writeAnswer(route: Route, data: unknown, writer: Writer, query: Record<string, unknown>): unknown {
  const { envelope, from, nullable = false, message } = route.answer;
  const value = from.reduce<unknown>((current, name, depth) => {
    const next = (current as Record<string, unknown>)[name];
    if (next === null && !(nullable && depth === from.length - 1)) throw notFound();
    return next;
  }, data);
  if (envelope === "empty") return undefined;
  if (envelope === "message") return { status: "ok", message };
  const written = writer(value);
  if (envelope === "inserted") return { status: "ok", ...(message && { message }), insertedItem: written };
  if (envelope === "bare" || envelope === "file") return written;
  if (envelope === "single") return { status: "ok", data: [written] };
  if (envelope === "data") return { status: "ok", data: written };
  const { totalCount, nodes } = written as { totalCount: number; nodes: unknown[] };
  return { status: "ok", data: { page: query.page, count: query.count, total: totalCount, alerts: nodes } };
}
