import type { ZodObject, ZodType } from "zod";
import { routeGroups } from "../../src/api/rest/routes.js";
import type { Route } from "../../src/engine/route/route.js";
import { formOf } from "./forms.js";
import { plainPng } from "./png.js";

/** A parameter of a query or a member of a body. */
export interface Argument {
  required: boolean;
  /** Whether null is a good value. */
  nullable: boolean;
  /** Whether its values are ids. */
  isId: boolean;
}

/** An endpoint, as test/rest/openapi.test.ts compares it with the interface specification. */
export interface RouteCase extends Pick<Route, "number" | "method" | "path" | "permission" | "usersOnly"> {
  /** Whether nothing but an API key by Basic authentication is accepted. */
  basicOnly: boolean;
  /**
   * Whether no credentials are needed and any are ignored: the path holds a capability.
   */
  open: boolean;
  query?: Record<string, Argument>;
  /** The members of the body, if the endpoint takes one, with a value that is taken. */
  sends?: Record<string, Argument & { good: unknown }>;
  /** Whether they are sent as the parts of a multipart form. */
  form: boolean;
  /** The kind of the answer's body. */
  body: "json" | "xlsx" | "nothing";
}

const nodeId = "a0000000-0000-4000-8000-000000000099";
const access = { actions: ["alerts:read"], userId: "a0000000-0000-4000-8000-000000000065" };

/** The good values of bodies that the examples of the documentation do not have, by the number of the endpoint. */
const goodMembers: Record<number, Record<string, unknown>> = {
  3: {
    name: "Gate",
    url: "rtmp://camera.example/gate",
    emailAddresses: ["grace@test.example"],
    imageDimensions: { width: 1920.5, height: 1080 },
    streamType: "altproxy",
    streamProtocol: "hls",
    facilityNodeId: nodeId,
  },
  6: {
    width: "1280",
    height: "720",
    codec_name: "h264",
    display_aspect_ratio: "16:9",
    pix_fmt: "yuv420p",
    avg_frame_rate: "25/1",
    duration_ts: 900_000,
    duration: "10.000000",
    bit_rate: "1500000",
    nb_frames: "250",
  },
  12: { status_detail: "LENS_DIRTY", status_detail_source: "TRACKER" },
  14: {
    name: "New camera",
    url: "rtsp://camera.example/new",
    streamType: "direct",
    facilityNodeId: nodeId,
  },
  15: { cameraImage: plainPng(), cameraName: "Client camera", metadata: { site: "north" } },
  31: { image: plainPng() },
  32: { phoneNumber: "0532 123 45 67", region: "TR" },
  33: access,
  34: access,
};

function argumentOf(rule: ZodType): Argument {
  const takes = (value: unknown) => rule.safeParse(value).success;
  const takesAny = (value: string) => takes(value) || takes([value]);
  return { required: !takes(undefined), nullable: takes(null), isId: takesAny(nodeId) && !takesAny("x") };
}

const argumentsOf = ({ shape }: ZodObject) =>
  Object.entries(shape).map(([name, rule]) => [name, argumentOf(rule as ZodType)] as const);

/** The members of a route's body, each with its good value. */
function membersOf(
  { number, example }: Pick<Route, "number" | "example">,
  body: ZodObject,
): RouteCase["sends"] & object {
  const good: Record<string, unknown> = { ...example, ...goodMembers[number] };
  return Object.fromEntries(
    argumentsOf(body).map(([name, argument]) => {
      if (!(name in good)) throw new Error(`Endpoint ${number} takes ${name}: name a good value`);
      return [name, { ...argument, good: good[name] }];
    }),
  );
}

export const routes: Route[] = routeGroups.flatMap((group) => group.routes);

export const routeCases: RouteCase[] = routes.map(({ input, ...route }) => ({
  ...route,
  basicOnly: route.accepts === "basic",
  open: route.accepts === "anonymous",
  ...(input.query && { query: Object.fromEntries(argumentsOf(input.query)) }),
  ...(input.body && { sends: membersOf(route, input.body) }),
  form: route.form !== undefined,
  body: route.download ? "xlsx" : route.response.envelope === "empty" ? "nothing" : "json",
}));

/** The case of an endpoint by its number. */
export function caseOf(number: number): RouteCase {
  const found = routeCases.find((each) => each.number === number);
  if (!found) throw new Error(`There is no case for endpoint ${number}`);
  return found;
}

/** The content type of a case's answer. */
export const contentTypeOf = ({ body }: RouteCase) =>
  body === "xlsx"
    ? "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    : "application/json; charset=utf-8";

/** The title of a case in test names. */
export const titled = (each: RouteCase) =>
  [`${each.number} ${each.method.toUpperCase()} ${each.path}`, each] as const;

/** A good value of each kind of parameter that may be required. */
const goodValues: Record<string, string> = {
  start: "1793491200",
  end: "1796083200",
  alertType: "STATIC_DELIMITATION_AREA",
  aggregate: "day",
};

/** Path parameters by name; a name without a value stays out of every good request. */
export type PathValues = Record<string, string>;

/** The names of a path's parameters. */
export const pathParameters = ({ path }: Pick<RouteCase, "path">) =>
  [...path.matchAll(/:(\w+)/g)].map((match) => match[1] as string);

/** A case's path with its parameters filled in. */
export function pathOf({ path }: Pick<RouteCase, "path">, values: PathValues): string {
  return path.replace(/:(\w+)/g, (_whole, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`No value for :${name} of ${path}`);
    return encodeURIComponent(value);
  });
}

/** The smallest query for a case, with the given changes. Undefined omits a parameter. */
export function queryOf(
  each: RouteCase,
  changes: Record<string, string | string[] | undefined> = {},
): string {
  const required = Object.entries(each.query ?? {}).filter(([, parameter]) => parameter.required);
  const values: typeof changes = {
    ...Object.fromEntries(required.map(([name]) => [name, goodValues[name]])),
    ...changes,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    for (const item of [value ?? []].flat()) query.append(name, item);
  return query.size > 0 ? `?${query}` : "";
}

/**
 * A good request of a case: its path and query. A required parameter that is an id comes
 * from the same values as the path's.
 */
export function requestOf(
  each: RouteCase,
  values: PathValues,
  changes?: Record<string, string | string[] | undefined>,
): string {
  const required = Object.entries(each.query ?? {}).filter(
    ([name, parameter]) => parameter.required && values[name] !== undefined,
  );
  return (
    pathOf(each, values) +
    queryOf(each, { ...Object.fromEntries(required.map(([name]) => [name, values[name]])), ...changes })
  );
}

/** The smallest body for a case, with the given changes. Undefined omits a member. */
export function bodyOf(each: RouteCase, changes: object = {}): Record<string, unknown> {
  const required = Object.entries(each.sends ?? {}).filter(([, member]) => member.required);
  return { ...Object.fromEntries(required.map(([name, { good }]) => [name, good])), ...changes };
}

/**
 * The method and, if the case takes one, the body of a request, as options for `fetch`.
 */
export function initOf(each: RouteCase, changes?: object): RequestInit {
  const method = each.method.toUpperCase();
  if (!each.sends) return { method };
  if (each.form) return { method, body: formOf(bodyOf(each, changes)) };
  return {
    method,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(bodyOf(each, changes)),
  };
}
