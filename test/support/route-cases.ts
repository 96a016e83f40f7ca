import type { Permission } from "../../src/access/permissions.js";
import { formOf } from "./forms.js";
import { plainPng } from "./png.js";

/** The form of a value in a JSON answer. Objects have exactly the named members. */
export type Shape =
  | "uuid"
  | "string"
  | "link"
  | "timestamp"
  | "local timestamp"
  | "integer"
  | "number"
  | "boolean"
  | "free object"
  | "nothing"
  | "xlsx"
  | { constant: string }
  | { oneOf: readonly string[] }
  | { orNull: Shape }
  | { listOf: Shape }
  | { listOfOne: Shape }
  | { fields: Record<string, Shape> };

/** The kind of value of a query parameter. */
export type ParameterKind =
  | "uuid"
  | "uuids"
  | "text"
  | "texts"
  | "timestamp"
  | "page"
  | "count"
  | "boolean"
  | "booleans"
  | "aggregate"
  | "language";

/** The kind of value of a member of a body. */
export type MemberKind =
  | "name"
  | "part of a name"
  | "title"
  | "camera url"
  | "e-mails"
  | "dimensions"
  | "stream type"
  | "stream protocol"
  | "stream"
  | "uuid"
  | "status detail"
  | "status source"
  | "phone number"
  | "region"
  | "actions"
  | "picture"
  | "picture metadata"
  | "picture url"
  | "pixels"
  | "stream detail"
  | "duration"
  | "long text";

/** A member of a body, with a value that is taken. */
export interface Member {
  kind: MemberKind;
  good: unknown;
  required?: true;
  /** Whether null is a good value. */
  nullable?: true;
}

/**
 * An endpoint by the interface specification and the contract, written down independently
 * of the table of routes.
 */
export interface RouteCase {
  number: number;
  method: "get" | "post" | "patch" | "delete";
  path: string;
  /** The permission required at the facility, once the facility is visible. */
  permission?: Permission;
  /** Whether the endpoint refuses API keys, which are no users. */
  usersOnly?: true;
  /** Whether nothing but an API key by Basic authentication is accepted. */
  basicOnly?: true;
  /**
   * Whether no credentials are needed and any are ignored: the path holds a capability.
   */
  open?: true;
  query?: Record<string, { kind: ParameterKind; required?: true }>;
  /** The members of the body, if the endpoint takes one. */
  sends?: Record<string, Member>;
  /** Whether they are sent as the parts of a multipart form. */
  form?: true;
  /** The form of the answer. */
  body: Shape;
}

const orNull = (shape: Shape): Shape => ({ orNull: shape });
const listOf = (shape: Shape): Shape => ({ listOf: shape });
const fields = (shapes: Record<string, Shape>): Shape => ({ fields: shapes });
const ok = (data: Shape): Shape => fields({ status: { constant: "ok" }, data });
const told = (message: string): Shape =>
  fields({ status: { constant: "ok" }, message: { constant: message } });
const inserted = fields({ status: { constant: "ok" }, insertedItem: "uuid" });

const dimensions = fields({ width: "number", height: "number" });
const points = listOf(fields({ x: "number", y: "number" }));

const cameraSubset: Record<string, Shape> = {
  id: "uuid",
  name: "string",
  status: "string",
  statusDetail: "string",
  imageLink: orNull("link"),
  dataCollectionEnabled: "boolean",
  dataCollectionObjects: listOf("string"),
  dataCollectionConfig: orNull(fields({ minWidth: "number", minHeight: "number", interval: "number" })),
  customDataCollectionConfigs: listOf(fields({ type: "string", sensitivity: "number" })),
  facilityId: "uuid",
  imageDimensions: orNull(dimensions),
  streamType: orNull({ oneOf: ["direct", "proxy", "altproxy", "hostedserver", "vpn", "client"] }),
  advancedSettings: orNull("free object"),
  facilityNodeId: orNull("uuid"),
};

const camera = fields({
  ...cameraSubset,
  createdAt: "timestamp",
  updatedAt: "timestamp",
  groundTruthKey: orNull("string"),
  collectSampleVideos: "boolean",
  alertRuleIds: listOf("uuid"),
  url: orNull("link"),
  streamProtocol: orNull({ oneOf: ["rtsp", "rtmp", "rtmps", "hls"] }),
  proxyHost: orNull("string"),
});

const calibration = fields({
  id: "uuid",
  cameraId: "uuid",
  pixelLength: "number",
  width: "number",
  height: "number",
  homographyMatrix: listOf("number"),
  points,
  calibratedImage: orNull("link"),
  croppedImage: orNull("link"),
  gridImage: orNull("link"),
  updatedAt: "timestamp",
});

const analysisJob = fields({
  id: "uuid",
  cameraId: "uuid",
  configId: "uuid",
  videoId: orNull("uuid"),
  state: "string",
  isTest: "boolean",
  createdAt: "timestamp",
  updatedAt: "timestamp",
  startedAt: orNull("timestamp"),
  endedAt: orNull("timestamp"),
});

const alertRule = fields({
  id: "uuid",
  cameraId: "uuid",
  name: "string",
  severity: "string",
  status: "string",
  dayRange: listOf("integer"),
  timeRange: orNull(listOf("timestamp")),
  emails: listOf("string"),
  phoneNumbers: listOf("string"),
  observation: "boolean",
  apiNotification: orNull(fields({ url: "link", enabled: "boolean", hasSecret: "boolean" })),
  pretty: orNull("string"),
  group: "free object",
});

const lastAlert: Record<string, Shape> = {
  id: "uuid",
  cameraId: "uuid",
  name: "string",
  createdAt: "timestamp",
  alertRuleId: orNull("uuid"),
  localCreatedAt: "local timestamp",
};

const alert = fields({
  ...lastAlert,
  count: "integer",
  url: orNull("link"),
  imageDimensions: orNull(dimensions),
  canvasDimensions: orNull(dimensions),
  violatingCoordinates: orNull(points),
  area: orNull(points),
  storageClass: "string",
  info: orNull("free object"),
  bookmark: "boolean",
  falsePositive: "boolean",
});

const alertPage = ok(fields({ page: "integer", count: "integer", total: "integer", alerts: listOf(alert) }));

const facilityOfWorkspace: Record<string, Shape> = {
  id: "uuid",
  name: "string",
  address: orNull("string"),
  geographicCoordinates: orNull(fields({ lat: "number", lng: "number" })),
  workspaceId: "uuid",
  timeZoneId: "string",
};

const facility = fields({ ...facilityOfWorkspace, cameraCount: "integer" });

const user = fields({
  id: "uuid",
  email: "string",
  firstName: orNull("string"),
  lastName: orNull("string"),
  fullName: orNull("string"),
  emailVerified: "boolean",
  roles: listOf("string"),
  activeWorkspace: "uuid",
  picture: orNull("link"),
  isSso: "boolean",
  connection: orNull("string"),
  groupId: orNull("uuid"),
  phoneNumber: orNull(
    fields({ nationalNumber: "integer", region: "string", countryCode: "integer", e164Format: "string" }),
  ),
  jobTitle: orNull("string"),
  supportHash: "string",
});

const period = {
  start: { kind: "timestamp", required: true },
  end: { kind: "timestamp", required: true },
} as const;

const alertQuery = {
  ...period,
  page: { kind: "page" },
  count: { kind: "count" },
  facilityId: { kind: "uuid" },
  cameraId: { kind: "uuids" },
  type: { kind: "texts" },
  severity: { kind: "texts" },
  bookmark: { kind: "boolean" },
  areaId: { kind: "uuid" },
} as const;

const nodeId = "a0000000-0000-4000-8000-000000000099";

const access: Record<string, Member> = {
  actions: { kind: "actions", good: ["alerts:read"], required: true },
  userId: { kind: "uuid", good: "a0000000-0000-4000-8000-000000000065", nullable: true },
};

const reads: RouteCase[] = [
  { number: 1, method: "get", path: "/cameras", body: ok(listOf(camera)) },
  { number: 2, method: "get", path: "/cameras/:cameraId", body: ok({ listOfOne: fields(cameraSubset) }) },
  { number: 8, method: "get", path: "/cameras/:cameraId/calibration", body: calibration },
  { number: 9, method: "get", path: "/cameras/:cameraId/analysis_jobs", body: ok(listOf(analysisJob)) },
  { number: 10, method: "get", path: "/cameras/:cameraId/analysis_jobs/:jobId", body: ok(analysisJob) },
  { number: 11, method: "get", path: "/cameras/:cameraId/alert_rules", body: ok(listOf(alertRule)) },
  {
    number: 13,
    method: "get",
    path: "/facilities/:facilityId/cameras",
    permission: "facilities:read",
    body: ok(listOf(camera)),
  },
  { number: 16, method: "get", path: "/alerts", query: alertQuery, body: alertPage },
  { number: 17, method: "get", path: "/cameras/:cameraId/alerts", query: alertQuery, body: alertPage },
  {
    number: 18,
    method: "get",
    path: "/cameras/:cameraId/alerts/last",
    query: { alertType: { kind: "text", required: true } },
    body: ok(orNull(fields(lastAlert))),
  },
  {
    number: 19,
    method: "get",
    path: "/cameras/:cameraId/alerts/count",
    query: { ...period, aggregate: { kind: "aggregate", required: true } },
    body: ok(listOf(fields({ key: "string", count: "integer" }))),
  },
  {
    number: 22,
    method: "get",
    path: "/alerts/export",
    permission: "alerts:read",
    query: {
      ...period,
      facilityId: { kind: "uuid" },
      cameraId: { kind: "uuid" },
      type: { kind: "texts" },
      severity: { kind: "texts" },
      bookmark: { kind: "boolean" },
      observation: { kind: "boolean" },
      areaId: { kind: "uuid" },
      falsePositive: { kind: "booleans" },
      lang: { kind: "language" },
    },
    body: "xlsx",
  },
  { number: 23, method: "get", path: "/facilities", body: ok(listOf(facility)) },
  {
    number: 24,
    method: "get",
    path: "/facilities/:facilityId",
    permission: "facilities:read",
    body: ok(facility),
  },
  {
    number: 26,
    method: "get",
    path: "/workspaces/facilities/:facilityId",
    body: ok(fields(facilityOfWorkspace)),
  },
  { number: 27, method: "get", path: "/workspaces/facilities", body: ok(listOf(facility)) },
  { number: 29, method: "get", path: "/user", usersOnly: true, body: ok(user) },
];

const writes: RouteCase[] = [
  {
    number: 3,
    method: "patch",
    path: "/cameras/:cameraId",
    permission: "cameras:write",
    sends: {
      name: { kind: "name", good: "Gate" },
      url: { kind: "camera url", good: "rtmp://camera.example/gate" },
      emailAddresses: { kind: "e-mails", good: ["grace@test.example"] },
      imageDimensions: { kind: "dimensions", good: { width: 1920.5, height: 1080 } },
      streamType: { kind: "stream type", good: "altproxy" },
      streamProtocol: { kind: "stream protocol", good: "hls" },
      facilityNodeId: { kind: "uuid", good: nodeId, nullable: true },
    },
    body: told("The camera was updated"),
  },
  {
    number: 4,
    method: "delete",
    path: "/cameras/:cameraId",
    permission: "cameras:write",
    body: told("The camera was deleted"),
  },
  {
    number: 5,
    method: "post",
    path: "/cameras/thumbnail/:requestId",
    open: true,
    sends: { url: { kind: "picture url", good: "https://feeds.example/yard.jpg", required: true } },
    body: told("The thumbnail was recorded"),
  },
  {
    number: 6,
    method: "post",
    path: "/cameras/metadata/:requestId",
    open: true,
    sends: {
      width: { kind: "pixels", good: "1280", required: true },
      height: { kind: "pixels", good: "720", required: true },
      codec_name: { kind: "stream detail", good: "h264", nullable: true },
      display_aspect_ratio: { kind: "stream detail", good: "16:9", nullable: true },
      pix_fmt: { kind: "stream detail", good: "yuv420p", nullable: true },
      avg_frame_rate: { kind: "stream detail", good: "25/1", nullable: true },
      duration_ts: { kind: "duration", good: 900_000, nullable: true },
      duration: { kind: "stream detail", good: "10.000000", nullable: true },
      bit_rate: { kind: "stream detail", good: "1500000", nullable: true },
      nb_frames: { kind: "stream detail", good: "250", nullable: true },
    },
    body: told("The metadata was recorded"),
  },
  {
    number: 7,
    method: "post",
    path: "/cameras/feedserver/error/:requestId",
    open: true,
    sends: {
      operation: { kind: "name", good: "open stream", required: true },
      error: { kind: "long text", good: "Connection refused", required: true },
    },
    body: told("The error was recorded"),
  },
  {
    number: 12,
    method: "patch",
    path: "/cameras/:cameraId/status_detail",
    permission: "cameras:write",
    basicOnly: true,
    sends: {
      status_detail: { kind: "status detail", good: "LENS_DIRTY", required: true },
      status_detail_source: { kind: "status source", good: "TRACKER", required: true },
    },
    body: told("The status detail was updated"),
  },
  {
    number: 14,
    method: "post",
    path: "/facilities/:facilityId/cameras",
    sends: {
      name: { kind: "name", good: "New camera", required: true },
      url: { kind: "camera url", good: "rtsp://camera.example/new", required: true },
      streamType: { kind: "stream", good: "direct", required: true },
      facilityNodeId: { kind: "uuid", good: nodeId, nullable: true },
    },
    body: inserted,
  },
  {
    number: 15,
    method: "post",
    path: "/facilities/:facilityId/client_cameras",
    sends: {
      cameraImage: { kind: "picture", good: plainPng(), required: true },
      cameraName: { kind: "name", good: "Client camera", required: true },
      metadata: { kind: "picture metadata", good: { site: "north" }, required: true },
    },
    form: true,
    body: fields({
      status: { constant: "ok" },
      message: { constant: "The camera was added" },
      insertedItem: "uuid",
    }),
  },
  {
    number: 20,
    method: "delete",
    path: "/alerts/:alertId",
    permission: "alerts:delete",
    body: told("The alert was deleted"),
  },
  {
    number: 21,
    method: "delete",
    path: "/alerts",
    permission: "alerts:delete",
    query: { alertId: { kind: "uuids", required: true } },
    body: told("The alerts were deleted"),
  },
  {
    number: 25,
    method: "patch",
    path: "/facilities/:facilityId",
    permission: "facilities:read",
    sends: { name: { kind: "name", good: "New name", required: true } },
    body: told("The facility was renamed"),
  },
  {
    number: 28,
    method: "post",
    path: "/facilities/:facilityId/heartbeat",
    basicOnly: true,
    body: told("The heartbeat was recorded"),
  },
  {
    number: 30,
    method: "patch",
    path: "/user",
    usersOnly: true,
    sends: {
      firstName: { kind: "part of a name", good: "Grace", required: true },
      lastName: { kind: "part of a name", good: "Hopper", required: true },
      jobTitle: { kind: "title", good: "Admiral", required: true },
    },
    body: "nothing",
  },
  {
    number: 31,
    method: "patch",
    path: "/user/picture",
    usersOnly: true,
    sends: { image: { kind: "picture", good: plainPng(), required: true } },
    form: true,
    body: "nothing",
  },
  {
    number: 32,
    method: "patch",
    path: "/user/phone_number",
    usersOnly: true,
    sends: {
      phoneNumber: { kind: "phone number", good: "0532 123 45 67", required: true },
      region: { kind: "region", good: "TR", required: true },
    },
    body: told("The phone number was updated"),
  },
  {
    number: 33,
    method: "post",
    path: "/facilities/:facilityId/give_access",
    permission: "users:write",
    sends: access,
    body: told("Access was granted"),
  },
  {
    number: 34,
    method: "post",
    path: "/facilities/:facilityId/remove_access",
    permission: "users:write",
    sends: access,
    body: told("Access was removed"),
  },
];

export const routeCases: RouteCase[] = [...reads, ...writes];

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
