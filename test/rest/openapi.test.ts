// Runs once: no database can influence what is tested here.
import { Validator } from "@seriousme/openapi-schema-validator";
import { print } from "graphql";
import packageJson from "../../package.json" with { type: "json" };
import {
  admin,
  empty,
  full,
  lacking,
  nobodys,
  plain,
  sharedFixedFleet,
  sparse,
  unknown,
} from "../support/fixed-fleet.js";
import type { Sender } from "../support/harness.js";
import { compileSchema } from "../support/json-schema.js";
import {
  bodyOf,
  contentTypeOf,
  initOf,
  pathParameters,
  type RouteCase,
  requestOf,
  routeCases,
  routes,
  titled,
} from "../support/route-cases.js";
import { createTestWorkspace, senderFor } from "../support/test-workspace.js";

type Json = { [name: string]: Json } & { [index: number]: Json };

const gateway = await sharedFixedFleet();

/** A workspace that nothing changes. */
const kept = await createTestWorkspace(gateway.prisma);
const document = (await (await gateway.fetch("/openapi.json")).json()) as Json;

const documentedPath = ({ path }: Pick<RouteCase, "path">) => path.replaceAll(/:(\w+)/g, "{$1}");
const documented = (each: Pick<RouteCase, "path" | "method">) =>
  document.paths?.[documentedPath(each)]?.[each.method] as Json;
const compile = (schema: object) => compileSchema(schema, document.components as object);

it("is public, valid OpenAPI 3.1 of the version of the gateway", async () => {
  const response = await gateway.fetch("/openapi.json");
  expect([response.status, response.headers.get("content-type")]).toEqual([
    200,
    "application/json; charset=utf-8",
  ]);
  const validator = new Validator();
  expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
  expect(validator.version).toBe("3.1");
  const { version, license } = packageJson;
  expect(document.info).toMatchObject({ version, license: { identifier: license } });
});

/** A schema as a type, with everything but its words. */
function typeOf(schema: Json): string {
  const { type, format, properties, items, required = [], $ref, anyOf, enum: values, ...rest } = schema;
  const { description, example, const: constant, additionalProperties, pattern, ...rules } = rest;
  const suffix = Object.keys(rules).length > 0 ? JSON.stringify(rules).replaceAll('"', "") : "";
  const types = [type ?? []]
    .flat()
    .map((each) => ((each as unknown) === "array" ? `[${typeOf(items as Json)}]` : each));
  if ($ref) return String($ref).replace("#/components/schemas/", "");
  if (anyOf) return Object.values(anyOf).map(typeOf).join(" | ");
  if (constant) return JSON.stringify(constant);
  if (values) return Object.values(values).join(" | ") + suffix;
  if (!properties) return types.join(" | ") + (format ? ` ${format}` : "") + suffix;
  const members = Object.entries(properties).map(
    ([name, member]) =>
      `${name}${Object.values(required).includes(name as never) ? "" : "?"}: ${typeOf(member)}`,
  );
  return [`{ ${members.join(", ")} }`, ...types.filter((each) => (each as unknown) !== "object")].join(" | ");
}

const contentOf = (part: Json | undefined) =>
  Object.entries(part?.content ?? {}).map(
    ([type, { schema }]) => `${type.replace("application/json", "")} ${typeOf(schema as Json)}`,
  );

it("describes the endpoints as the interface specification does", () => {
  const described = Object.entries(document.paths as Json).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { parameters, requestBody, security = document.security, responses } = operation;
      const { name, field } = operation["x-graphql-operation"] as Json;
      const given = Object.values(parameters as Json).map(
        ({ name, in: place, required, schema }) =>
          `  ${place} ${name}${required ? "" : "?"}: ${typeOf(schema as Json)}`,
      );
      const body = contentOf(requestBody).map(
        (content) => `  body${requestBody?.required ? "" : "?"}:${content}`,
      );
      return [
        `${operation["x-specification-endpoint"]} ${method} ${path}: ${operation.operationId} runs ${name} (${field})`,
        `  for ${
          Object.values(security as Json)
            .flatMap((scheme) => Object.keys(scheme))
            .join(" or ") || "all"
        }${operation["x-permission"] ? ` with ${operation["x-permission"]}` : ""}`,
        ...given,
        ...body,
        `  → ${Object.keys(responses as Json).join()}${contentOf(responses?.[200])}`,
      ].join("\n");
    }),
  );
  const schemas = Object.entries(document.components?.schemas as Json).map(
    ([name, schema]) => `${name} = ${typeOf(schema)}`,
  );
  expect([...described, ...schemas].join("\n")).toMatchInlineSnapshot(`
    "1 get /cameras: listCameras runs ListCameras (cameras)
      for bearer or apiKey
      → 200,304,401,429,500,503 { status: "ok", data: [Camera] }
    2 get /cameras/{cameraId}: getCamera runs GetCamera (camera)
      for bearer or apiKey
      path cameraId: string uuid
      → 200,304,400,401,404,429,500,503 { status: "ok", data: [CameraSubset]{minItems:1,maxItems:1} }
    3 patch /cameras/{cameraId}: updateCamera runs UpdateCamera (updateCamera)
      for bearer or apiKey with cameras:write
      path cameraId: string uuid
      header Idempotency-Key?: string{minLength:1,maxLength:200}
      body?: { name?: string{minLength:1,maxLength:200,allOf:[{pattern:\\\\S},{pattern:^[^\\\\u0000-\\\\u001f\\\\u007f-\\\\u009f\\\\u202a-\\\\u202e\\\\u2066-\\\\u2069]*$}]}, url?: string uri{maxLength:2048}, emailAddresses?: [string email{maxLength:320}]{maxItems:50}, imageDimensions?: { width: number{exclusiveMinimum:0,maximum:1000000}, height: number{exclusiveMinimum:0,maximum:1000000} }, streamType?: direct | proxy | altproxy | hostedserver | vpn | client, streamProtocol?: rtsp | rtmp | rtmps | hls, facilityNodeId?: string uuid | null }
      → 200,400,401,403,404,409,413,415,429,500,503 { status: "ok", message: "The camera was updated" }
    4 delete /cameras/{cameraId}: deleteCamera runs DeleteCamera (deleteCamera)
      for bearer or apiKey with cameras:write
      path cameraId: string uuid
      header Idempotency-Key?: string{minLength:1,maxLength:200}
      → 200,400,401,403,404,409,429,500,503 { status: "ok", message: "The camera was deleted" }
    8 get /cameras/{cameraId}/calibration: getCalibration runs GetCalibration (camera.calibration)
      for bearer or apiKey
      path cameraId: string uuid
      → 200,304,400,401,404,429,500,503 Calibration
    9 get /cameras/{cameraId}/analysis_jobs: listAnalysisJobs runs ListAnalysisJobs (camera.analysisJobs)
      for bearer or apiKey
      path cameraId: string uuid
      → 200,304,400,401,404,429,500,503 { status: "ok", data: [AnalysisJob] }
    10 get /cameras/{cameraId}/analysis_jobs/{jobId}: getAnalysisJob runs GetAnalysisJob (camera.analysisJob)
      for bearer or apiKey
      path cameraId: string uuid
      path jobId: string uuid
      → 200,304,400,401,404,429,500,503 { status: "ok", data: AnalysisJob }
    13 get /facilities/{facilityId}/cameras: listFacilityCameras runs ListFacilityCameras (facility.cameras)
      for bearer or apiKey with facilities:read
      path facilityId: string uuid
      → 200,304,400,401,403,404,429,500,503 { status: "ok", data: [Camera] }
    14 post /facilities/{facilityId}/cameras: createCamera runs CreateCamera (createCamera)
      for bearer or apiKey
      path facilityId: string uuid
      header Idempotency-Key?: string{minLength:1,maxLength:200}
      body: { name: string{minLength:1,maxLength:200,allOf:[{pattern:\\\\S},{pattern:^[^\\\\u0000-\\\\u001f\\\\u007f-\\\\u009f\\\\u202a-\\\\u202e\\\\u2066-\\\\u2069]*$}]}, url: string uri{maxLength:2048}, streamType: direct | proxy | altproxy | hostedserver | vpn | client | { type: direct | proxy | altproxy | hostedserver | vpn | client, protocol?: rtsp | rtmp | rtmps | hls | null }, facilityNodeId?: string uuid | null }
      → 200,400,401,403,404,409,413,415,429,500,503 { status: "ok", insertedItem: string uuid }
    12 patch /cameras/{cameraId}/status_detail: setCameraStatusDetail runs SetCameraStatusDetail (setCameraStatusDetail)
      for apiKey with cameras:write
      path cameraId: string uuid
      header Idempotency-Key?: string{minLength:1,maxLength:200}
      body: { status_detail: string{minLength:1,maxLength:100,allOf:[{pattern:\\\\S},{pattern:^[^\\\\u0000-\\\\u001f\\\\u007f-\\\\u009f\\\\u202a-\\\\u202e\\\\u2066-\\\\u2069]*$}]}, status_detail_source: TRACKER | DASHBOARD | CLIENT | ON_PREMISE_FACILITY }
      → 200,400,401,403,404,409,413,415,429,500,503 { status: "ok", message: "The status detail was updated" }
    15 post /facilities/{facilityId}/client_cameras: createClientCamera runs CreateClientCamera (createClientCamera)
      for bearer or apiKey
      path facilityId: string uuid
      header Idempotency-Key?: string{minLength:1,maxLength:200}
      body:multipart/form-data { cameraImage: string binary, cameraName: string{minLength:1,maxLength:200,allOf:[{pattern:\\\\S},{pattern:^[^\\\\u0000-\\\\u001f\\\\u007f-\\\\u009f\\\\u202a-\\\\u202e\\\\u2066-\\\\u2069]*$}]}, metadata: string{contentMediaType:application/json} }
      → 200,400,401,403,404,409,413,415,429,500,503 { status: "ok", message: "The camera was added", insertedItem: string uuid }
    11 get /cameras/{cameraId}/alert_rules: listAlertRules runs ListAlertRules (camera.alertRules)
      for bearer or apiKey
      path cameraId: string uuid
      → 200,304,400,401,404,429,500,503 { status: "ok", data: [AlertRule] }
    16 get /alerts: listAlerts runs ListAlerts (alerts)
      for bearer or apiKey
      query start: integer int64{minimum:0,maximum:253402300799999}
      query end: integer int64{minimum:0,maximum:253402300799999}
      query page?: integer{minimum:1,default:1}
      query count?: integer{minimum:1,maximum:1000,default:20}
      query facilityId?: string uuid
      query cameraId?: [string uuid]
      query type?: [string]
      query severity?: [string]
      query bookmark?: boolean
      query areaId?: string uuid
      → 200,304,400,401,429,500,503 { status: "ok", data: { page: integer, count: integer, total: integer, alerts: [Alert] } }
    21 delete /alerts: deleteAlerts runs DeleteAlerts (deleteAlerts)
      for bearer or apiKey with alerts:delete
      query alertId: [string uuid]{maxItems:1000}
      header Idempotency-Key?: string{minLength:1,maxLength:200}
      → 200,400,401,403,404,409,429,500,503 { status: "ok", message: "The alerts were deleted" }
    17 get /cameras/{cameraId}/alerts: listCameraAlerts runs ListCameraAlerts (camera.alerts)
      for bearer or apiKey
      path cameraId: string uuid
      query start: integer int64{minimum:0,maximum:253402300799999}
      query end: integer int64{minimum:0,maximum:253402300799999}
      query page?: integer{minimum:1,default:1}
      query count?: integer{minimum:1,maximum:1000,default:20}
      query facilityId?: string uuid
      query cameraId?: [string uuid]
      query type?: [string]
      query severity?: [string]
      query bookmark?: boolean
      query areaId?: string uuid
      → 200,304,400,401,404,429,500,503 { status: "ok", data: { page: integer, count: integer, total: integer, alerts: [Alert] } }
    18 get /cameras/{cameraId}/alerts/last: getLastAlert runs GetLastAlert (camera.lastAlert)
      for bearer or apiKey
      path cameraId: string uuid
      query alertType: string{minLength:1,maxLength:200}
      → 200,304,400,401,404,429,500,503 { status: "ok", data: SimplifiedAlert | null }
    19 get /cameras/{cameraId}/alerts/count: countCameraAlerts runs CountCameraAlerts (camera.alertCounts)
      for bearer or apiKey
      path cameraId: string uuid
      query start: integer int64{minimum:0,maximum:253402300799999}
      query end: integer int64{minimum:0,maximum:253402300799999}
      query aggregate: day | week | month
      → 200,304,400,401,404,429,500,503 { status: "ok", data: [AlertCount] }
    20 delete /alerts/{alertId}: deleteAlert runs DeleteAlerts (deleteAlerts)
      for bearer or apiKey with alerts:delete
      path alertId: string uuid
      header Idempotency-Key?: string{minLength:1,maxLength:200}
      → 200,400,401,403,404,409,429,500,503 { status: "ok", message: "The alert was deleted" }
    22 get /alerts/export: exportAlerts runs ExportAlerts (exportAlerts)
      for bearer or apiKey with alerts:read
      query start: integer int64{minimum:0,maximum:253402300799999}
      query end: integer int64{minimum:0,maximum:253402300799999}
      query facilityId?: string uuid
      query cameraId?: string uuid
      query type?: [string]
      query severity?: [string]
      query bookmark?: boolean
      query observation?: boolean
      query areaId?: string uuid
      query falsePositive?: [boolean]
      query lang?: en | de
      → 200,400,401,403,429,500,503application/vnd.openxmlformats-officedocument.spreadsheetml.sheet string binary
    23 get /facilities: listFacilities runs ListFacilities (facilities)
      for bearer or apiKey
      → 200,304,401,429,500,503 { status: "ok", data: [Facility] }
    24 get /facilities/{facilityId}: getFacility runs GetFacility (facility)
      for bearer or apiKey with facilities:read
      path facilityId: string uuid
      → 200,304,400,401,403,404,429,500,503 { status: "ok", data: Facility }
    25 patch /facilities/{facilityId}: renameFacility runs RenameFacility (renameFacility)
      for bearer or apiKey with facilities:read
      path facilityId: string uuid
      header Idempotency-Key?: string{minLength:1,maxLength:200}
      body: { name: string{minLength:1,maxLength:200,allOf:[{pattern:\\\\S},{pattern:^[^\\\\u0000-\\\\u001f\\\\u007f-\\\\u009f\\\\u202a-\\\\u202e\\\\u2066-\\\\u2069]*$}]} }
      → 200,400,401,403,404,409,413,415,429,500,503 { status: "ok", message: "The facility was renamed" }
    26 get /workspaces/facilities/{facilityId}: getWorkspaceFacility runs GetWorkspaceFacility (facility)
      for bearer or apiKey
      path facilityId: string uuid
      → 200,304,400,401,404,429,500,503 { status: "ok", data: WorkspaceFacility }
    27 get /workspaces/facilities: listWorkspaceFacilities runs ListFacilities (facilities)
      for bearer or apiKey
      → 200,304,401,429,500,503 { status: "ok", data: [Facility] }
    28 post /facilities/{facilityId}/heartbeat: recordHeartbeat runs RecordHeartbeat (recordHeartbeat)
      for apiKey
      path facilityId: string uuid
      header Idempotency-Key?: string{minLength:1,maxLength:200}
      → 200,400,401,403,404,409,429,500,503 { status: "ok", message: "The heartbeat was recorded" }
    29 get /user: getMe runs GetMe (me)
      for bearer
      → 200,304,401,403,429,500,503 { status: "ok", data: User }
    30 patch /user: updateMe runs UpdateMe (updateMe)
      for bearer
      header Idempotency-Key?: string{minLength:1,maxLength:200}
      body: { firstName: string{minLength:1,maxLength:100,allOf:[{pattern:\\\\S},{pattern:^[^\\\\u202a-\\\\u202e\\\\u2066-\\\\u2069]*$}]}, lastName: string{minLength:1,maxLength:100,allOf:[{pattern:\\\\S},{pattern:^[^\\\\u202a-\\\\u202e\\\\u2066-\\\\u2069]*$}]}, jobTitle: string{maxLength:200} }
      → 200,400,401,403,409,413,415,429,500,503
    31 patch /user/picture: updateMyPicture runs UpdateMyPicture (updateMyPicture)
      for bearer
      header Idempotency-Key?: string{minLength:1,maxLength:200}
      body:multipart/form-data { image: string binary }
      → 200,400,401,403,409,413,415,429,500,503
    32 patch /user/phone_number: updateMyPhoneNumber runs UpdateMyPhoneNumber (updateMyPhoneNumber)
      for bearer
      header Idempotency-Key?: string{minLength:1,maxLength:200}
      body: { phoneNumber: string{minLength:1,maxLength:50}, region: string }
      → 200,400,401,403,409,413,415,429,500,503 { status: "ok", message: "The phone number was updated" }
    33 post /facilities/{facilityId}/give_access: grantFacilityAccess runs GrantFacilityAccess (grantFacilityAccess)
      for bearer or apiKey with users:write
      path facilityId: string uuid
      header Idempotency-Key?: string{minLength:1,maxLength:200}
      body: { actions: [facilities:read | facilities:write | cameras:read | cameras:write | alerts:read | alerts:write | alerts:delete | alert-rules:write | users:read | users:write | api-keys:write]{maxItems:100}, userId?: string uuid | null }
      → 200,400,401,403,404,409,413,415,429,500,503 { status: "ok", message: "Access was granted" }
    34 post /facilities/{facilityId}/remove_access: removeFacilityAccess runs RemoveFacilityAccess (removeFacilityAccess)
      for bearer or apiKey with users:write
      path facilityId: string uuid
      header Idempotency-Key?: string{minLength:1,maxLength:200}
      body: { actions: [facilities:read | facilities:write | cameras:read | cameras:write | alerts:read | alerts:write | alerts:delete | alert-rules:write | users:read | users:write | api-keys:write]{maxItems:100}, userId?: string uuid | null }
      → 200,400,401,403,404,409,413,415,429,500,503 { status: "ok", message: "Access was removed" }
    5 post /cameras/thumbnail/{requestId}: recordStreamThumbnail runs RecordStreamThumbnail (recordStreamThumbnail)
      for all
      path requestId: string uuid
      body: { url: string uri{maxLength:2048} }
      → 200,400,404,413,415,429,500,503 { status: "ok", message: "The thumbnail was recorded" }
    6 post /cameras/metadata/{requestId}: recordStreamMetadata runs RecordStreamMetadata (recordStreamMetadata)
      for all
      path requestId: string uuid
      body: { width: string, height: string, codec_name?: string{maxLength:200} | null, display_aspect_ratio?: string{maxLength:200} | null, pix_fmt?: string{maxLength:200} | null, avg_frame_rate?: string{maxLength:200} | null, duration_ts?: integer{minimum:-9007199254740991,maximum:9007199254740991} | null, duration?: string{maxLength:200} | null, bit_rate?: string{maxLength:200} | null, nb_frames?: string{maxLength:200} | null }
      → 200,400,404,413,415,429,500,503 { status: "ok", message: "The metadata was recorded" }
    7 post /cameras/feedserver/error/{requestId}: recordStreamError runs RecordStreamError (recordStreamError)
      for all
      path requestId: string uuid
      body: { operation: string{minLength:1,maxLength:200,allOf:[{pattern:\\\\S},{pattern:^[^\\\\u202a-\\\\u202e\\\\u2066-\\\\u2069]*$}]}, error: string{minLength:1,maxLength:10000} }
      → 200,400,404,413,415,429,500,503 { status: "ok", message: "The error was recorded" }
    DataCollectionConfig = { minWidth: number | null double, minHeight: number | null double, interval: number | null double }
    CustomDataCollectionConfig = { type: string, sensitivity: number double }
    ImageDimensions = { width: number double, height: number double }
    StreamType = direct | proxy | altproxy | hostedserver | vpn | client
    StreamProtocol = rtsp | rtmp | rtmps | hls
    Camera = { id: string uuid, name: string, status: string, statusDetail: string, imageLink: string | null, createdAt: string date-time, updatedAt: string date-time, dataCollectionEnabled: boolean, dataCollectionObjects: [string], dataCollectionConfig: DataCollectionConfig | null, customDataCollectionConfigs: [CustomDataCollectionConfig], groundTruthKey: string | null, facilityId: string uuid, collectSampleVideos: boolean, imageDimensions: ImageDimensions | null, alertRuleIds: [string uuid], url: string | null, streamType: StreamType | null, streamProtocol: StreamProtocol | null, advancedSettings: object | null, proxyHost: string | null, facilityNodeId: string | null uuid }
    CameraSubset = { id: string uuid, name: string, status: string, statusDetail: string, imageLink: string | null, dataCollectionEnabled: boolean, dataCollectionObjects: [string], dataCollectionConfig: DataCollectionConfig | null, customDataCollectionConfigs: [CustomDataCollectionConfig], facilityId: string uuid, imageDimensions: ImageDimensions | null, streamType: StreamType | null, advancedSettings: object | null, facilityNodeId: string | null uuid }
    Point = { x: number double, y: number double }
    Calibration = { id: string uuid, cameraId: string uuid, pixelLength: number double, width: number double, height: number double, homographyMatrix: [number double], points: [Point], calibratedImage: string | null, croppedImage: string | null, gridImage: string | null, updatedAt: string date-time }
    AnalysisJob = { id: string uuid, cameraId: string uuid, configId: string uuid, videoId: string | null uuid, state: string, isTest: boolean, createdAt: string date-time, updatedAt: string date-time, startedAt: string | null date-time, endedAt: string | null date-time }
    ApiNotification = { url: string, enabled: boolean, hasSecret: boolean }
    AlertRule = { id: string uuid, cameraId: string uuid, name: string, severity: string, status: string, dayRange: [integer int32], timeRange: [string date-time] | null, emails: [string], phoneNumbers: [string], observation: boolean, apiNotification: ApiNotification | null, pretty: string | null, group: object }
    Alert = { id: string uuid, cameraId: string uuid, name: string, count: integer int32, createdAt: string date-time, url: string | null, imageDimensions: ImageDimensions | null, canvasDimensions: ImageDimensions | null, violatingCoordinates: [Point] | null, area: [Point] | null, storageClass: string, info: object | null, bookmark: boolean, alertRuleId: string | null uuid, localCreatedAt: string, falsePositive: boolean }
    SimplifiedAlert = { id: string uuid, cameraId: string uuid, name: string, createdAt: string date-time, alertRuleId: string | null uuid, localCreatedAt: string }
    AlertCount = { key: string, count: integer int32 }
    GeographicCoordinates = { lat: number double, lng: number double }
    Facility = { id: string uuid, name: string, address: string | null, geographicCoordinates: GeographicCoordinates | null, workspaceId: string uuid, timeZoneId: string, cameraCount: integer int32 }
    WorkspaceFacility = { id: string uuid, name: string, address: string | null, geographicCoordinates: GeographicCoordinates | null, workspaceId: string uuid, timeZoneId: string }
    PhoneNumber = { nationalNumber: integer int64, region: string, countryCode: integer int32, e164Format: string }
    User = { id: string uuid, email: string, firstName: string | null, lastName: string | null, fullName: string | null, emailVerified: boolean, roles: [string], activeWorkspace: string uuid, picture: string | null, isSso: boolean, connection: string | null, groupId: string | null uuid, phoneNumber: PhoneNumber | null, jobTitle: string | null, supportHash: string | null }
    Error = { status: "error", code: BAD_REQUEST | UNAUTHENTICATED | FORBIDDEN | NOT_FOUND | METHOD_NOT_ALLOWED | CONFLICT | PAYLOAD_TOO_LARGE | UNSUPPORTED_MEDIA_TYPE | RATE_LIMITED | INTERNAL | UNAVAILABLE, message: string, reason?: MISSING | INVALID | EXPIRED | ENDED, traceId?: string, details?: [{ path: string, message: string }] }"
  `);
});

it("has words for each group, endpoint, parameter, member and schema", () => {
  const wordless: string[] = [];
  const visit = (node: Json, path: string) => {
    for (const [name, child] of Object.entries(node)) {
      if (typeof child !== "object" || child === null) continue;
      const isDescribed =
        /\.(parameters|tags|schemas|requestBody\.content\.[^.]+\.[^.]+\.schema\.properties)$/.test(path);
      if (isDescribed && !child.description) wordless.push(`${path}.${name}`);
      visit(child, `${path}.${name}`);
    }
  };
  visit(document, "");
  expect(wordless).toEqual([".components.schemas.Error"]);
});

it("uses all of its schemas", () => {
  const used = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)];
  expect(new Set(used.map(([, name]) => name))).toEqual(
    new Set(Object.keys(document.components?.schemas as Json)),
  );
});

it.each(routes.map((route) => [route.path, route] as const))(
  "has the summary, the GraphQL document, the permission and an accepted example of %s",
  async (_path, route) => {
    const { summary, description, requestBody, ...operation } = documented(route);
    const twin = operation["x-graphql-operation"];
    expect({ summary, source: twin?.document }).toEqual({
      summary: route.summary,
      source: print(route.operation),
    });
    for (const named of [route.permission, twin?.name, `with the field \`${twin?.field}\``])
      expect(description).toContain(named ?? "");
    const each = routeCases.find(({ number }) => number === route.number) as RouteCase;
    const parameters = Object.values(operation.parameters as Json);
    for (const { name, example, schema } of parameters)
      expect({ name, valid: compile(schema as Json)(example) }).toEqual({ name, valid: true });
    const [content] = Object.values(requestBody?.content ?? {});
    if (content) expect(compile(content.schema as Json)(content.example)).toBe(true);
    // The example of a file is its name.
    if (each.form) return;
    const placed = (place: string) => parameters.filter((parameter) => (parameter.in as unknown) === place);
    const path = placed("path").reduce(
      (text, { name, example }) => text.replace(`{${name}}`, String(example)),
      documentedPath(each),
    );
    const query = placed("query").map(({ name, example }) => `${name}=${[example].flat().join(",")}`);
    const response = await gateway.fetch(`${path}?${query.join("&")}`, {
      ...initOf(each),
      as: senderFor(each, kept.admin),
      ...(content && { body: JSON.stringify(content.example) }),
    });
    expect([200, 404], await response.clone().text()).toContain(response.status);
  },
);

it("accepts ids in upper case, as they are described", () => {
  const patterns = JSON.stringify(document.paths).matchAll(
    /"format":"uuid","type":"string","pattern":("[^"]+")/g,
  );
  const distinct = new Set([...patterns].map(([, pattern]) => JSON.parse(pattern as string)));
  expect(distinct.size).toBeGreaterThan(0);
  for (const pattern of distinct) expect("0199AAAA-BBBB-7CCC-8DDD-EEEEEEEEEEEE").toMatch(new RegExp(pattern));
});

/** Checks the status and the type of an answer, and its body against what is described. */
async function expectDescribed(each: RouteCase, response: Response, status = 200) {
  const type = status === 200 ? contentTypeOf(each) : "application/json; charset=utf-8";
  const schema = documented(each).responses?.[status]?.content?.[type.split(";")[0] as string]?.schema;
  const text = await response.text();
  expect({ status: response.status, text }).toEqual({ status, text });
  if (each.body === "nothing" && status === 200) {
    expect({ schema, text, length: response.headers.get("content-length") }).toEqual({
      text: "",
      length: "0",
    });
    return undefined;
  }
  expect(response.headers.get("content-type")).toBe(type);
  if (each.body === "xlsx" && status === 200) return undefined;
  const check = compile(schema as Json);
  const body = JSON.parse(text);
  expect({ valid: check(body), errors: check.errors }, text).toEqual({ valid: true, errors: null });
  return body as { code: string; message: string; details?: { path: string }[] };
}

describe("answers as described:", () => {
  it.each(routeCases.filter(({ method }) => method === "get").map(titled))("%s", async (_title, each) => {
    const senders = each.permission ? [admin, plain] : [admin, plain, nobodys];
    const ids = pathParameters(each).length === 0 ? [full] : [full, sparse, empty];
    for (const as of senders)
      for (const request of ids.map((values) => requestOf(each, { ...values }))) {
        const response = await gateway.fetch(request, { as });
        if (response.status !== 404 || (request === requestOf(each, { ...full }) && as !== nobodys))
          await expectDescribed(each, response);
      }
  });

  it.each(routeCases.filter(({ method }) => method !== "get").map(titled))("%s", async (_title, each) => {
    const workspace = await createTestWorkspace(gateway.prisma);
    const as = senderFor(each, workspace.admin);
    const target = requestOf(each, { ...workspace.ids });
    const response = await gateway.fetch(target, { as, ...initOf(each) });
    expect(response.headers.get("cache-control")).toBe("no-store");
    await expectDescribed(each, response);
    const [content] = Object.values(documented(each).requestBody?.content ?? {});
    if (!content || each.form) return;
    const check = compile(content.schema as Json);
    const members = Object.entries(each.sends ?? {});
    const all = Object.fromEntries(members.map(([name, { good }]) => [name, good]));
    const cleared = members.map(([name, { nullable, good }]) => [name, nullable ? null : good]);
    for (const body of [bodyOf(each), all, Object.fromEntries(cleared)])
      expect([body, check(body)]).toEqual([body, true]);
  });
});

const codes: Record<number, string> = {
  ...{ 400: "BAD_REQUEST", 401: "UNAUTHENTICATED", 403: "FORBIDDEN", 404: "NOT_FOUND" },
  ...{ 413: "PAYLOAD_TOO_LARGE", 415: "UNSUPPORTED_MEDIA_TYPE" },
};

/** A good request of an endpoint, whose ids may be changed. */
function goodRequest(each: RouteCase, ids: object = {}, query?: Record<string, string>): string {
  const own = each.method === "get" ? full : kept.ids;
  return requestOf(each, { ...own, ...ids }, query);
}

async function expectRefused(
  each: RouteCase,
  status: number,
  target = goodRequest(each),
  init: RequestInit & { as?: Sender } = {},
) {
  const as = each.method === "get" ? admin : senderFor(each, kept.admin);
  const response = await gateway.fetch(target, { as, ...initOf(each), ...init });
  const body = await expectDescribed(each, response, status);
  expect(body?.code).toBe(codes[status]);
  const paths = body?.details?.map(({ path }) => path.replace(/\.0$/, ""));
  return { message: body?.message, paths, challenge: response.headers.get("www-authenticate") };
}

describe("refuses as described", () => {
  const cases = routeCases.map(titled);

  it.each(cases)("the parameters of %s, by their names", async (_title, each) => {
    for (const name of pathParameters(each)) {
      const { paths } = await expectRefused(each, 400, goodRequest(each, { [name]: "x" }));
      expect(paths).toEqual([`path.${name}`]);
      const target = goodRequest(each, { [name]: unknown[name as "cameraId"] });
      expect((await expectRefused(each, 404, target)).message).toBe("Not found");
    }
    // Some of these are refused by the operation, which knows other names.
    for (const name of Object.keys(each.query ?? {})) {
      const { paths } = await expectRefused(each, 400, goodRequest(each, {}, { [name]: "\0" }));
      expect(paths).toEqual([`query.${name}`]);
    }
    for (const [name, { good }] of Object.entries(each.form ? {} : (each.sends ?? {}))) {
      if (typeof good !== "string") continue;
      const { paths } = await expectRefused(each, 400, undefined, initOf(each, { [name]: "\0" }));
      expect(paths).toEqual([`body.${name}`]);
    }
  });

  const json = { "content-type": "application/json" };
  const form = { "content-type": "multipart/form-data; boundary=edge" };
  const text = { "content-type": "text/plain" };
  // What is too large comes last, as the gateway then closes the connection.
  const refusedBodies: [number, isForm: boolean, RequestInit][] = [
    [415, false, { headers: text, body: "x" }],
    [400, false, { headers: json, body: "{" }],
    [413, false, { headers: json, body: JSON.stringify("x".repeat(2 ** 20)) }],
    [415, true, { headers: text, body: "x" }],
    [400, true, { headers: form, body: "--edge--\r\n" }],
    [413, true, { headers: form, body: new Uint8Array(11 * 2 ** 20 + 1) }],
  ];
  it.each(cases.filter(([, { sends }]) => sends))("the body of %s", async (_title, each) => {
    for (const [status, isForm, init] of refusedBodies)
      if (isForm === each.form) await expectRefused(each, status, undefined, init);
  });

  it.each(cases.filter(([, { open }]) => !open))("the callers of %s", async (_title, each) => {
    const challenges = each.basicOnly ? /^Basic realm="[^"]+"/ : /^Bearer .*, Basic /;
    expect((await expectRefused(each, 401, undefined, { as: "nobody" })).challenge).toMatch(challenges);
    if (each.basicOnly) await expectRefused(each, 401, undefined, { as: kept.admin.user });
    if (each.usersOnly) await expectRefused(each, 403, undefined, { as: kept.admin.key });
    if (!each.permission) return;
    const as = each.method === "get" ? lacking(each) : senderFor(each, kept.onlooker);
    expect((await expectRefused(each, 403, undefined, { as })).message).toContain(each.permission);
  });
});
