// Runs once: REST runs the statements of GraphQL, which are tested on every kind of
// database.
import { createAlertRule } from "../support/factories.js";
import { admin, empty, full, sharedFixedFleet } from "../support/fixed-fleet.js";
import { gatewayForTest, type Sender } from "../support/harness.js";
import { requestOf, routeCases } from "../support/route-cases.js";
import { createTestWorkspace, fixedId } from "../support/test-workspace.js";

const gateway = await sharedFixedFleet();

async function read<Body>(target: string, as: Sender = admin): Promise<Body> {
  const response = await gateway.fetch(target, { as });
  expect(response.status).toBe(200);
  return (await response.json()) as Body;
}

const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);

it("shows every member of every kind of object, in lists by code point of the name, then by id", async () => {
  const answers = [];
  for (const each of routeCases.filter(({ method, body }) => method === "get" && body === "json"))
    answers.push(`${each.number} ${JSON.stringify(await read(requestOf(each, { ...full })))}`);
  expect(answers.join("\n")).toMatchInlineSnapshot(`
    "1 {"status":"ok","data":[{"id":"a0000000-0000-4000-8000-000000000021","name":"Yard","status":"IDLE","statusDetail":"OPERATIONAL","imageLink":"https://pictures.example/yard.jpg","createdAt":"2026-11-01T08:00:00.000Z","updatedAt":"2026-11-02T08:00:00.125Z","dataCollectionEnabled":true,"dataCollectionObjects":["PERSON","VEHICLE"],"dataCollectionConfig":{"minWidth":10.5,"minHeight":20,"interval":30},"customDataCollectionConfigs":[{"type":"CLEAN_VEHICLE_ROADS","sensitivity":0.5}],"groundTruthKey":"truth","facilityId":"a0000000-0000-4000-8000-000000000011","collectSampleVideos":true,"imageDimensions":{"width":1280,"height":720},"alertRuleIds":["a0000000-0000-4000-8000-000000002021"],"url":"rtsp://camera.example/yard","streamType":"hostedserver","streamProtocol":"rtmps","advancedSettings":{"nested":{"deep":[1,null,"x"]}},"proxyHost":"proxy.example","facilityNodeId":"a0000000-0000-4000-8000-000000000072"},{"id":"a0000000-0000-4000-8000-000000000022","name":"Yard","status":"IDLE","statusDetail":"OPERATIONAL","imageLink":null,"createdAt":"2026-11-01T08:00:00.000Z","updatedAt":"2026-11-02T08:00:00.125Z","dataCollectionEnabled":false,"dataCollectionObjects":[],"dataCollectionConfig":null,"customDataCollectionConfigs":[],"groundTruthKey":null,"facilityId":"a0000000-0000-4000-8000-000000000011","collectSampleVideos":false,"imageDimensions":null,"alertRuleIds":["a0000000-0000-4000-8000-000000002022"],"url":null,"streamType":null,"streamProtocol":null,"advancedSettings":null,"proxyHost":null,"facilityNodeId":null},{"id":"a0000000-0000-4000-8000-000000000024","name":"Yard","status":"IDLE","statusDetail":"OPERATIONAL","imageLink":"https://pictures.example/yard.jpg","createdAt":"2026-11-01T08:00:00.000Z","updatedAt":"2026-11-02T08:00:00.125Z","dataCollectionEnabled":true,"dataCollectionObjects":["PERSON","VEHICLE"],"dataCollectionConfig":{"minWidth":10.5,"minHeight":20,"interval":30},"customDataCollectionConfigs":[{"type":"CLEAN_VEHICLE_ROADS","sensitivity":0.5}],"groundTruthKey":"truth","facilityId":"a0000000-0000-4000-8000-000000000013","collectSampleVideos":true,"imageDimensions":{"width":1280,"height":720},"alertRuleIds":["a0000000-0000-4000-8000-000000002024"],"url":"rtsp://camera.example/yard","streamType":"hostedserver","streamProtocol":"rtmps","advancedSettings":{"nested":{"deep":[1,null,"x"]}},"proxyHost":"proxy.example","facilityNodeId":"a0000000-0000-4000-8000-000000000072"},{"id":"a0000000-0000-4000-8000-000000000023","name":"yard","status":"IDLE","statusDetail":"OPERATIONAL","imageLink":null,"createdAt":"2026-11-01T08:00:00.000Z","updatedAt":"2026-11-02T08:00:00.125Z","dataCollectionEnabled":false,"dataCollectionObjects":[],"dataCollectionConfig":null,"customDataCollectionConfigs":[],"groundTruthKey":null,"facilityId":"a0000000-0000-4000-8000-000000000012","collectSampleVideos":false,"imageDimensions":null,"alertRuleIds":[],"url":null,"streamType":null,"streamProtocol":null,"advancedSettings":null,"proxyHost":null,"facilityNodeId":null}]}
    2 {"status":"ok","data":[{"id":"a0000000-0000-4000-8000-000000000021","name":"Yard","status":"IDLE","statusDetail":"OPERATIONAL","imageLink":"https://pictures.example/yard.jpg","dataCollectionEnabled":true,"dataCollectionObjects":["PERSON","VEHICLE"],"dataCollectionConfig":{"minWidth":10.5,"minHeight":20,"interval":30},"customDataCollectionConfigs":[{"type":"CLEAN_VEHICLE_ROADS","sensitivity":0.5}],"facilityId":"a0000000-0000-4000-8000-000000000011","imageDimensions":{"width":1280,"height":720},"streamType":"hostedserver","advancedSettings":{"nested":{"deep":[1,null,"x"]}},"facilityNodeId":"a0000000-0000-4000-8000-000000000072"}]}
    8 {"id":"a0000000-0000-4000-8000-000000005021","cameraId":"a0000000-0000-4000-8000-000000000021","pixelLength":0.25,"width":1280,"height":720,"homographyMatrix":[1,0,0,0,1,0,0,0,0.5],"points":[{"x":1,"y":2.5}],"calibratedImage":"https://pictures.example/calibrated.png","croppedImage":"https://pictures.example/cropped.png","gridImage":"https://pictures.example/grid.png","updatedAt":"2026-11-02T08:00:00.125Z"}
    9 {"status":"ok","data":[{"id":"a0000000-0000-4000-8000-000000001021","cameraId":"a0000000-0000-4000-8000-000000000021","configId":"a0000000-0000-4000-8000-000000000073","videoId":"a0000000-0000-4000-8000-000000000074","state":"VALIDATING","isTest":true,"createdAt":"2026-11-01T08:00:00.000Z","updatedAt":"2026-11-02T08:00:00.125Z","startedAt":"2026-11-01T08:00:00.000Z","endedAt":"2026-11-02T08:00:00.125Z"}]}
    10 {"status":"ok","data":{"id":"a0000000-0000-4000-8000-000000001021","cameraId":"a0000000-0000-4000-8000-000000000021","configId":"a0000000-0000-4000-8000-000000000073","videoId":"a0000000-0000-4000-8000-000000000074","state":"VALIDATING","isTest":true,"createdAt":"2026-11-01T08:00:00.000Z","updatedAt":"2026-11-02T08:00:00.125Z","startedAt":"2026-11-01T08:00:00.000Z","endedAt":"2026-11-02T08:00:00.125Z"}}
    13 {"status":"ok","data":[{"id":"a0000000-0000-4000-8000-000000000021","name":"Yard","status":"IDLE","statusDetail":"OPERATIONAL","imageLink":"https://pictures.example/yard.jpg","createdAt":"2026-11-01T08:00:00.000Z","updatedAt":"2026-11-02T08:00:00.125Z","dataCollectionEnabled":true,"dataCollectionObjects":["PERSON","VEHICLE"],"dataCollectionConfig":{"minWidth":10.5,"minHeight":20,"interval":30},"customDataCollectionConfigs":[{"type":"CLEAN_VEHICLE_ROADS","sensitivity":0.5}],"groundTruthKey":"truth","facilityId":"a0000000-0000-4000-8000-000000000011","collectSampleVideos":true,"imageDimensions":{"width":1280,"height":720},"alertRuleIds":["a0000000-0000-4000-8000-000000002021"],"url":"rtsp://camera.example/yard","streamType":"hostedserver","streamProtocol":"rtmps","advancedSettings":{"nested":{"deep":[1,null,"x"]}},"proxyHost":"proxy.example","facilityNodeId":"a0000000-0000-4000-8000-000000000072"},{"id":"a0000000-0000-4000-8000-000000000022","name":"Yard","status":"IDLE","statusDetail":"OPERATIONAL","imageLink":null,"createdAt":"2026-11-01T08:00:00.000Z","updatedAt":"2026-11-02T08:00:00.125Z","dataCollectionEnabled":false,"dataCollectionObjects":[],"dataCollectionConfig":null,"customDataCollectionConfigs":[],"groundTruthKey":null,"facilityId":"a0000000-0000-4000-8000-000000000011","collectSampleVideos":false,"imageDimensions":null,"alertRuleIds":["a0000000-0000-4000-8000-000000002022"],"url":null,"streamType":null,"streamProtocol":null,"advancedSettings":null,"proxyHost":null,"facilityNodeId":null}]}
    11 {"status":"ok","data":[{"id":"a0000000-0000-4000-8000-000000002021","cameraId":"a0000000-0000-4000-8000-000000000021","name":"STATIC_DELIMITATION_AREA","severity":"MEDIUM","status":"ACTIVE","dayRange":[0,6],"timeRange":["2026-11-01T08:00:00.000Z","2026-11-02T08:00:00.125Z"],"emails":["ada@test.example"],"phoneNumbers":["+4915123456789"],"observation":true,"apiNotification":{"url":"https://hooks.example/alerts","enabled":true,"hasSecret":true},"pretty":"A person is in the zone","group":{"id":"a0000000-0000-4000-8000-000000000081","name":"All","type":"GROUP","children":[{"id":"a0000000-0000-4000-8000-000000004021","name":"Zone","type":"AREA","color":"#ff8800","points":[{"x":1.5,"y":2}]},{"id":"a0000000-0000-4000-8000-000000000082","type":"STATIC_DELIMITATION_AREA","objects":["PERSON"]}],"operator":"AND"}}]}
    16 {"status":"ok","data":{"page":1,"count":20,"total":3,"alerts":[{"id":"a0000000-0000-4000-8000-000000003024","cameraId":"a0000000-0000-4000-8000-000000000024","name":"STATIC_DELIMITATION_AREA","count":3,"createdAt":"2026-11-20T09:30:00.000Z","url":"https://pictures.example/alert.jpg","imageDimensions":{"width":1280,"height":720},"canvasDimensions":{"width":640,"height":360.5},"violatingCoordinates":[{"x":3,"y":4.5}],"area":[{"x":1.5,"y":2}],"storageClass":"s3","info":{"tags":["a"],"speed":3.5},"bookmark":true,"alertRuleId":"a0000000-0000-4000-8000-000000002024","localCreatedAt":"2026-11-20T15:15:00.000+05:45","falsePositive":true},{"id":"a0000000-0000-4000-8000-000000003021","cameraId":"a0000000-0000-4000-8000-000000000021","name":"STATIC_DELIMITATION_AREA","count":3,"createdAt":"2026-11-20T09:30:00.000Z","url":"https://pictures.example/alert.jpg","imageDimensions":{"width":1280,"height":720},"canvasDimensions":{"width":640,"height":360.5},"violatingCoordinates":[{"x":3,"y":4.5}],"area":[{"x":1.5,"y":2}],"storageClass":"s3","info":{"tags":["a"],"speed":3.5},"bookmark":true,"alertRuleId":"a0000000-0000-4000-8000-000000002021","localCreatedAt":"2026-11-20T12:30:00.000+03:00","falsePositive":true},{"id":"a0000000-0000-4000-8000-000000003022","cameraId":"a0000000-0000-4000-8000-000000000022","name":"STATIC_DELIMITATION_AREA","count":1,"createdAt":"2026-11-20T09:29:00.000Z","url":null,"imageDimensions":null,"canvasDimensions":null,"violatingCoordinates":null,"area":null,"storageClass":"local","info":null,"bookmark":false,"alertRuleId":null,"localCreatedAt":"2026-11-20T12:29:00.000+03:00","falsePositive":false}]}}
    17 {"status":"ok","data":{"page":1,"count":20,"total":1,"alerts":[{"id":"a0000000-0000-4000-8000-000000003021","cameraId":"a0000000-0000-4000-8000-000000000021","name":"STATIC_DELIMITATION_AREA","count":3,"createdAt":"2026-11-20T09:30:00.000Z","url":"https://pictures.example/alert.jpg","imageDimensions":{"width":1280,"height":720},"canvasDimensions":{"width":640,"height":360.5},"violatingCoordinates":[{"x":3,"y":4.5}],"area":[{"x":1.5,"y":2}],"storageClass":"s3","info":{"tags":["a"],"speed":3.5},"bookmark":true,"alertRuleId":"a0000000-0000-4000-8000-000000002021","localCreatedAt":"2026-11-20T12:30:00.000+03:00","falsePositive":true}]}}
    18 {"status":"ok","data":{"id":"a0000000-0000-4000-8000-000000003021","cameraId":"a0000000-0000-4000-8000-000000000021","name":"STATIC_DELIMITATION_AREA","createdAt":"2026-11-20T09:30:00.000Z","alertRuleId":"a0000000-0000-4000-8000-000000002021","localCreatedAt":"2026-11-20T12:30:00.000+03:00"}}
    19 {"status":"ok","data":[{"key":"2026-11-20","count":1}]}
    23 {"status":"ok","data":[{"id":"a0000000-0000-4000-8000-000000000011","name":"Zebra","address":"1 Quay","geographicCoordinates":{"lat":40.5,"lng":29.25},"workspaceId":"a0000000-0000-4000-8000-000000000001","timeZoneId":"Europe/Istanbul","cameraCount":2},{"id":"a0000000-0000-4000-8000-000000000012","name":"apple","address":null,"geographicCoordinates":null,"workspaceId":"a0000000-0000-4000-8000-000000000001","timeZoneId":"Europe/Amsterdam","cameraCount":1},{"id":"a0000000-0000-4000-8000-000000000013","name":"apple","address":null,"geographicCoordinates":null,"workspaceId":"a0000000-0000-4000-8000-000000000001","timeZoneId":"Asia/Kathmandu","cameraCount":1},{"id":"a0000000-0000-4000-8000-000000000015","name":"Ärger","address":null,"geographicCoordinates":null,"workspaceId":"a0000000-0000-4000-8000-000000000001","timeZoneId":"UTC","cameraCount":0}]}
    24 {"status":"ok","data":{"id":"a0000000-0000-4000-8000-000000000011","name":"Zebra","address":"1 Quay","geographicCoordinates":{"lat":40.5,"lng":29.25},"workspaceId":"a0000000-0000-4000-8000-000000000001","timeZoneId":"Europe/Istanbul","cameraCount":2}}
    26 {"status":"ok","data":{"id":"a0000000-0000-4000-8000-000000000011","name":"Zebra","address":"1 Quay","geographicCoordinates":{"lat":40.5,"lng":29.25},"workspaceId":"a0000000-0000-4000-8000-000000000001","timeZoneId":"Europe/Istanbul"}}
    27 {"status":"ok","data":[{"id":"a0000000-0000-4000-8000-000000000011","name":"Zebra","address":"1 Quay","geographicCoordinates":{"lat":40.5,"lng":29.25},"workspaceId":"a0000000-0000-4000-8000-000000000001","timeZoneId":"Europe/Istanbul","cameraCount":2},{"id":"a0000000-0000-4000-8000-000000000012","name":"apple","address":null,"geographicCoordinates":null,"workspaceId":"a0000000-0000-4000-8000-000000000001","timeZoneId":"Europe/Amsterdam","cameraCount":1},{"id":"a0000000-0000-4000-8000-000000000013","name":"apple","address":null,"geographicCoordinates":null,"workspaceId":"a0000000-0000-4000-8000-000000000001","timeZoneId":"Asia/Kathmandu","cameraCount":1},{"id":"a0000000-0000-4000-8000-000000000015","name":"Ärger","address":null,"geographicCoordinates":null,"workspaceId":"a0000000-0000-4000-8000-000000000001","timeZoneId":"UTC","cameraCount":0}]}
    29 {"status":"ok","data":{"id":"a0000000-0000-4000-8000-000000000061","email":"ada@test.example","firstName":"Ada","lastName":"Lovelace","fullName":"Ada Lovelace","emailVerified":true,"roles":["facilities:read","facilities:write","cameras:read","cameras:write","alerts:read","alerts:write","alerts:delete","alert-rules:write","users:read","users:write","api-keys:write"],"activeWorkspace":"a0000000-0000-4000-8000-000000000001","picture":"https://pictures.example/ada.webp","isSso":true,"connection":"directory","groupId":"a0000000-0000-4000-8000-000000000071","phoneNumber":{"nationalNumber":15123456789,"region":"DE","countryCode":49,"e164Format":"+4915123456789"},"jobTitle":"Safety","supportHash":"d6db407a76b186744544bb5bccd1f2613e99f0826111898d07e3f21b4a0e6ded"}}"
  `);
});

it("shows a page of alerts with its number, its size and the number of all alerts", async () => {
  const { data } = await read<{ data: { alerts: object[] } }>(
    "/alerts?start=1793491200&end=1796083200&page=2&count=2",
  );
  expect(data).toMatchObject({ page: 2, count: 2, total: 3, alerts: { length: 1 } });
});

it("has no last alert of a type without alerts, and no calibration that is not stored", async () => {
  const { cameraId } = full;
  expect(await read(`/cameras/${cameraId}/alerts/last?alertType=FALL`)).toEqual({ status: "ok", data: null });
  expect((await gateway.fetch(`/cameras/${empty.cameraId}/calibration`, { as: admin })).status).toBe(404);
});

it("lists analysis jobs by descending id where they are of one time, and rules by name, then by id", async () => {
  const workspace = await createTestWorkspace(gateway.prisma);
  const { workspaceId, cameraId } = workspace.ids;
  const id = (item: number) => fixedId(workspace.number, item);
  const times = { 901: "2026-11-05", 903: "2026-11-04", 902: "2026-11-05", 904: "2026-10-05" };
  await gateway.prisma.analysisJob.createMany({
    data: Object.entries(times).map(([item, day]) => ({
      ...{ workspaceId, cameraId, configId: id(1), state: "QUEUED" },
      ...{ id: id(Number(item)), createdAt: new Date(day) },
    })),
  });
  for (const [item, name] of Object.entries({ 803: "a", 802: "a", 801: "Ä", 804: "Z" }))
    await createAlertRule(gateway.prisma, { id: id(Number(item)), cameraId, name });
  const list = async (what: string) =>
    idsOf(await read(`/cameras/${cameraId}/${what}`, workspace.admin.user));
  expect(await list("analysis_jobs")).toEqual([902, 901, 903, 904].map(id));
  expect(await list("alert_rules")).toEqual([61, 804, 802, 803, 801].map(id));
});

it("never shows more per page than MAX_PAGE_SIZE", async () => {
  const small = await gatewayForTest({ environment: { MAX_PAGE_SIZE: "25" } });
  const { admin } = await createTestWorkspace(small.prisma);
  const send = async (count: number) => {
    const response = await small.fetch(`/alerts?start=0&end=1&count=${count}`, { as: admin.user });
    return { status: response.status, body: await response.json() };
  };
  expect(await send(25)).toMatchObject({ status: 200, body: { data: { count: 25 } } });
  expect(await send(26)).toMatchObject({
    status: 400,
    body: { details: [{ path: "query.count", message: "must be at most 25" }] },
  });
});
