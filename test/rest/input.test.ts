// Needs no gateway.
import type { Request } from "express";
import { getOperationAST } from "graphql";
import { readInput, toVariables } from "../../src/engine/route/input.js";
import { exampleIds } from "../../src/engine/route/parameters.js";
import type { Route } from "../../src/engine/route/route.js";
import type { ServiceError } from "../../src/platform/errors/errors.js";
import { ReceivedFile } from "../../src/platform/files/incoming-file.js";
import { bodyOf, caseOf, pathParameters, routes } from "../support/route-cases.js";

const id = "a0000000-0000-4000-8000-000000000001";
const ids = [id, id.replace("1", "2").toUpperCase()];
const longText = (length: number) => "x".repeat(length);

const routeOf = (number: number) => routes.find((route) => route.number === number) as Route;

interface Sent {
  path?: Record<string, string>;
  query?: string;
  body?: object;
}

/** What is read from a request that is good but for these parts. */
function read(number: number, { path = {}, query, body = {} }: Sent) {
  const route = routeOf(number);
  const each = caseOf(number);
  const params = { ...exampleIds, ...path };
  const url = `/?${query ?? queryText(requiredQuery(number))}`;
  const sent = Object.entries(bodyOf(each, body)).map(([name, value]) => {
    if (name === route.form?.file) return [name, value instanceof Buffer ? new ReceivedFile("file") : value];
    return [name, route.form && typeof value === "object" ? JSON.stringify(value) : value];
  });
  return readInput(route, { params, url } as unknown as Request, Object.fromEntries(sent));
}

const goodQuery: Record<string, string> = {
  ...{ start: "1795000000", end: "1795000000001", page: "3", count: "7", aggregate: "week", lang: "de" },
  ...{ ...exampleIds, alertId: String(ids), alertType: "FALL" },
  ...{
    type: "FALL,FIRE",
    severity: "LOW",
    bookmark: "false",
    observation: "true",
    falsePositive: "true,false",
  },
};
const queryText = (query: Record<string, unknown>) => new URLSearchParams(query as never).toString();
const requiredQuery = (number: number) =>
  Object.fromEntries(
    Object.entries(caseOf(number).query ?? {}).flatMap(([name, { required }]) =>
      required ? [[name, goodQuery[name]]] : [],
    ),
  );

/** The paths of what is refused in a request; none if nothing is. */
function refused(number: number, sent: Sent): string[] {
  try {
    read(number, sent);
    return [];
  } catch (error) {
    return ((error as ServiceError).details ?? []).map(({ path }) => path);
  }
}

const exampleEntries = Object.entries(exampleIds);
/** A value as text, with the names of ids. */
const named = (value: object) =>
  exampleEntries.reduce((text, [name, each]) => text.replaceAll(`"${each}"`, name), JSON.stringify(value));

const variablesOf = (number: number, sent: Sent) => toVariables(routeOf(number), read(number, sent));

it("each route runs its operation with every parameter of a request, as the specification lists them", () => {
  const runs = routes.map((route) => {
    const { query = {}, sends = {} } = caseOf(route.number);
    const all = Object.fromEntries(Object.keys(query).map((name) => [name, goodQuery[name]]));
    const body = Object.fromEntries(Object.entries(sends).map(([name, { good }]) => [name, good]));
    const variables = variablesOf(route.number, { query: queryText(all), body });
    return `${route.number} ${getOperationAST(route.operation)?.name?.value} ${named(variables)}`;
  });
  expect(runs.join("\n")).toMatchInlineSnapshot(`
    "1 ListCameras {}
    2 GetCamera {"id":cameraId}
    8 GetCalibration {"cameraId":cameraId}
    9 ListAnalysisJobs {"cameraId":cameraId}
    10 GetAnalysisJob {"cameraId":cameraId,"jobId":jobId}
    13 ListFacilityCameras {"facilityId":facilityId}
    3 UpdateCamera {"id":cameraId,"input":{"name":"Gate","url":"rtmp://camera.example/gate","emailAddresses":["grace@test.example"],"imageDimensions":{"width":1920.5,"height":1080},"streamType":"ALTPROXY","streamProtocol":"HLS","facilityNodeId":"a0000000-0000-4000-8000-000000000099"}}
    4 DeleteCamera {"id":cameraId}
    12 SetCameraStatusDetail {"id":cameraId,"input":{"statusDetail":"LENS_DIRTY","source":"TRACKER"}}
    14 CreateCamera {"facilityId":facilityId,"input":{"name":"New camera","url":"rtsp://camera.example/new","streamType":"DIRECT","facilityNodeId":"a0000000-0000-4000-8000-000000000099"}}
    15 CreateClientCamera {"facilityId":facilityId,"input":{"name":"Client camera","image":{"path":"file"},"metadata":{"site":"north"}}}
    11 ListAlertRules {"cameraId":cameraId}
    16 ListAlerts {"filter":{"start":"2026-11-18T11:06:40.000Z","end":"2026-11-18T11:06:40.001Z","facilityId":facilityId,"cameraIds":[cameraId],"types":["FALL","FIRE"],"severities":["LOW"],"bookmark":false,"areaId":areaId},"first":7,"offset":14}
    17 ListCameraAlerts {"cameraId":cameraId,"filter":{"start":"2026-11-18T11:06:40.000Z","end":"2026-11-18T11:06:40.001Z","facilityId":facilityId,"cameraIds":[cameraId],"types":["FALL","FIRE"],"severities":["LOW"],"bookmark":false,"areaId":areaId},"first":7,"offset":14}
    18 GetLastAlert {"cameraId":cameraId,"type":"FALL"}
    19 CountCameraAlerts {"cameraId":cameraId,"filter":{"start":"2026-11-18T11:06:40.000Z","end":"2026-11-18T11:06:40.001Z"},"aggregate":"WEEK"}
    20 DeleteAlerts {"ids":[alertId]}
    21 DeleteAlerts {"ids":["a0000000-0000-4000-8000-000000000001","a0000000-0000-4000-8000-000000000002"]}
    22 ExportAlerts {"filter":{"start":"2026-11-18T11:06:40.000Z","end":"2026-11-18T11:06:40.001Z","facilityId":facilityId,"cameraIds":[cameraId],"types":["FALL","FIRE"],"severities":["LOW"],"bookmark":false,"observation":true,"areaId":areaId,"falsePositive":[true,false]},"language":"de"}
    23 ListFacilities {}
    24 GetFacility {"id":facilityId}
    26 GetWorkspaceFacility {"id":facilityId}
    27 ListFacilities {}
    25 RenameFacility {"name":"Istanbul plant","id":facilityId}
    28 RecordHeartbeat {"facilityId":facilityId}
    29 GetMe {}
    30 UpdateMe {"input":{"firstName":"Ada","lastName":"Lovelace","jobTitle":"Site manager"}}
    31 UpdateMyPicture {"image":{"path":"file"}}
    32 UpdateMyPhoneNumber {"input":{"phoneNumber":"0532 123 45 67","region":"TR"}}
    33 GrantFacilityAccess {"facilityId":facilityId,"actions":["alerts:read"],"userId":"a0000000-0000-4000-8000-000000000065"}
    34 RemoveFacilityAccess {"facilityId":facilityId,"actions":["alerts:read"],"userId":"a0000000-0000-4000-8000-000000000065"}
    5 RecordStreamThumbnail {"requestId":requestId,"input":{"url":"https://media.example.com/thumbnails/loading-bay.jpg"}}
    6 RecordStreamMetadata {"requestId":requestId,"input":{"width":"1280","height":"720","codecName":"h264","displayAspectRatio":"16:9","pixFmt":"yuv420p","avgFrameRate":"25/1","durationTs":900000,"duration":"10.000000","bitRate":"1500000","nbFrames":"250"}}
    7 RecordStreamError {"requestId":requestId,"input":{"operation":"open","error":"Connection refused"}}"
  `);
});

it.each([
  ["repeated", "alertId=ONE&alertId=TWO"],
  ["comma-separated", "alertId=ONE,TWO"],
  ["comma-separated with the comma encoded", "alertId=ONE%2CTWO"],
  ["with brackets", "alertId[]=ONE&alertId[]=TWO"],
  ["with encoded brackets", "alertId%5B%5D=ONE&alertId%5B%5D=TWO"],
  ["in mixed notation", "alertId=ONE&alertId[]=TWO"],
  ["with empty items", "alertId=,ONE,&alertId=TWO"],
])("a list is read the same %s", (_form, text) => {
  const query = text.replace("ONE", ids[0] as string).replace("TWO", ids[1] as string);
  expect(variablesOf(21, { query })).toEqual({ ids: ids.map((each) => each.toLowerCase()) });
});

it.each([
  [99_999_999_999, 99_999_999_999_000],
  [100_000_000_000, 100_000_000_000],
  [0, 0],
  [253_402_300_799_999, 253_402_300_799_999],
])("the timestamp %i is the millisecond %i: from 100000000000 on it is in milliseconds", (sent, read) => {
  expect(variablesOf(19, { query: `start=${sent}&end=${sent}&aggregate=day` })).toMatchObject({
    filter: { start: new Date(read).toISOString() },
  });
});

it("a page is an offset by its number and its size, which are 1 and 20 by default", () => {
  const page = (more: string) => variablesOf(16, { query: `start=1&end=2${more}` });
  expect(page("")).toMatchObject({ offset: 0, first: 20 });
  expect(page("&page=3")).toMatchObject({ offset: 40, first: 20 });
  expect(page("&page=1073741823&count=2")).toMatchObject({ offset: 2_147_483_644, first: 2 });
  expect(refused(16, { query: "start=1&end=2&page=1073741824&count=2" })).toEqual(["query.page"]);
});

it.each([
  ["direct", { streamType: "DIRECT" }],
  [{ type: "altproxy" }, { streamType: "ALTPROXY" }],
  [{ type: "vpn", protocol: null, more: 1 }, { streamType: "VPN" }],
  [
    { type: "hostedserver", protocol: "rtmps" },
    { streamType: "HOSTEDSERVER", streamProtocol: "RTMPS" },
  ],
])("a new camera's streamType may be %j", (streamType, expected) => {
  const { input } = variablesOf(14, { body: { streamType } }) as { input: object };
  expect(input).toEqual({ ...bodyOf(caseOf(14)), ...expected });
});

it.each(routes.map(({ number, method, path }) => [number, method, path]))(
  "all that is missing or wrong is reported at once by %i %s %s",
  (number) => {
    const each = caseOf(number as number);
    // Texts may be anything here: their rules are in the operation.
    const wrongQuery = Object.keys(each.query ?? {}).filter((name) => !/^type$|^severity$/.test(name));
    const parts = {
      path: Object.fromEntries(pathParameters(each).map((name) => [name, "x"])),
      query: queryText(Object.fromEntries(wrongQuery.map((name) => [name, "\0"]))),
      body: Object.fromEntries(Object.keys(each.sends ?? {}).map((name) => [name, true])),
    };
    const names = [
      ...Object.keys(parts.path).map((name) => `path.${name}`),
      ...wrongQuery.map((name) => `query.${name}`),
      ...Object.keys(parts.body).map((name) => `body.${name}`),
    ];
    const found = refused(number as number, parts).map((path) => path.replace(/\.0$/, ""));
    expect(found).toEqual(names);
    const nothing = Object.keys(each.sends ?? {}).map((name) => [name, undefined]);
    expect(refused(number as number, { query: "", body: Object.fromEntries(nothing) })).toEqual(
      [...Object.entries(each.query ?? {}), ...Object.entries(each.sends ?? {})]
        .filter(([, { required }]) => required)
        .map(([name]) => `${name in (each.query ?? {}) ? "query" : "body"}.${name}`),
    );
  },
);

// The operation refuses NULs and halves of characters, wherever they are.
const notText = [5, ["x"], { x: 1 }, true];
const textOf = (maxLength: number) => [
  ...notText,
  "",
  " \t\n",
  "\u200b\u3164\u2800",
  longText(maxLength + 1),
];
const override = "Gate \u202e12";
const noEnum = [...notText, "", "unknown"];
const invalidIds = [
  "",
  "x",
  "1",
  id.slice(1),
  `${id}0`,
  id.replaceAll("-", ""),
  `{${id}}`,
  id.replace("a", "g"),
  "\0",
];
const noInteger = ["", "x", "-1", "1.5", "1e1", "+1", " 5", "0x10", "null", "99999999999999999999", "٣"];

/** An argument with values that are refused, by their path below the argument, if any. */
const invalid: [number: number, argument: string, values: unknown[], below?: string][] = [
  [24, "path.facilityId", invalidIds],
  [16, "query.facilityId", invalidIds],
  [16, "query.cameraId", ["x", "\0", `${id} `, `x,${id}`], "0"],
  [16, "query.cameraId", [`${id},x`, `${id},${id} `], "1"],
  [16, "query.start", [...noInteger, "2026-11-20T00:00:00Z", "253402300800000", "NaN"]],
  [16, "query.page", [...noInteger, "0", "2147483648"]],
  [16, "query.count", [...noInteger, "0", "1001"]],
  [16, "query.bookmark", ["", "1", "0", "yes", "TRUE", "True", "true,false", "null"]],
  [22, "query.falsePositive", ["1", "yes", "TRUE", "null", "\0"], "0"],
  [22, "query.falsePositive", ["true,maybe"], "1"],
  [22, "query.lang", ["", "fr", "EN", "de-DE", "en,de", "null"]],
  [19, "query.aggregate", ["", "x", "DAY", "year", "day,week", "days"]],
  [21, "query.alertId", [Array(1001).fill(id).join()]],
  [3, "body.name", [...textOf(200), override]],
  [
    3,
    "body.url",
    [...notText, "", "camera.example/yard", "rtsp://", "file:///etc/passwd", "ftp://camera.example/a"],
  ],
  [
    ...([3, "body.url"] as const),
    [
      "javascript:alert(1)",
      "rtsp://camera.example/a b",
      "rtsp://camera.example/\nyard",
      "rtsp://camera.example:99999/",
    ],
  ],
  [3, "body.url", ["rtsp://camera.example/".padEnd(2049, "x")]],
  [3, "body.emailAddresses", ["x", 5, { 0: "x" }, null, Array(51).fill("ada@test.example")]],
  [3, "body.emailAddresses", [["ada"], [5], [null], [""], ["Ada <ada@test.example>"]], "0"],
  [
    3,
    "body.emailAddresses",
    [["ada@test.example\nBcc: all@test.example"], [`ada@${"test.".repeat(64)}example`]],
    "0",
  ],
  [3, "body.imageDimensions", ["1280x720", [1280, 720]]],
  [
    3,
    "body.imageDimensions",
    [{ height: 1 }, { width: null, height: 1 }, { width: "1", height: 1 }],
    "width",
  ],
  [
    3,
    "body.imageDimensions",
    [{ width: 1 }, { width: 1, height: 0 }, { width: 1, height: 1_000_001 }],
    "height",
  ],
  [3, "body.streamType", [...noEnum, null, "DIRECT"]],
  [3, "body.streamProtocol", [...noEnum, null, "RTSP"]],
  [3, "body.facilityNodeId", [...notText, ...invalidIds]],
  [
    5,
    "body.url",
    [...notText, "", "alerts/picture.jpg", "//feeds.example/a.jpg", "rtsp://camera.example/yard"],
  ],
  [
    6,
    "body.width",
    [...notText, "", "0", "-1", "+1280", "1280.5", "1e3", "0x500", "01280", " 1280", "1280\n", "10000000"],
  ],
  [6, "body.codec_name", [...notText, longText(201)]],
  [6, "body.duration_ts", ["900000", 1.5, [1], { x: 1 }, true, 2 ** 53]],
  [7, "body.error", textOf(10_000)],
  [12, "body.status_detail", [...textOf(100), "LENS\nDIRTY", "LENS\u001bDIRTY"]],
  [12, "body.status_detail_source", [...noEnum, "tracker", "FEED"]],
  [
    14,
    "body.streamType",
    [...noEnum, "DIRECT", { protocol: "rtsp" }, { type: "satellite" }, { type: "vpn", protocol: "x" }],
  ],
  [15, "body.cameraImage", ["x"]],
  [
    15,
    "body.metadata",
    ["", "{site: north}", '{"site": "no', '"north"', 5, true, null, [{}], `{"a": ${"[".repeat(64)}`],
  ],
  [15, "body.metadata", ['{"width": "1280"}', '{"width": 0}'], "width"],
  [15, "body.metadata", ['{"height": -1}', '{"height": null}', '{"height": 1000001}'], "height"],
  [30, "body.firstName", [...textOf(100), override]],
  [30, "body.jobTitle", [...notText, longText(201), override]],
  [32, "body.phoneNumber", textOf(50)],
  [32, "body.region", [...notText, "", "TUR", "90", "  "]],
  [33, "body.actions", ["x", 5, { 0: "x" }]],
  [33, "body.actions", [["ALERTS:READ"], [5], [null], [["alerts:read"]], ["*"]], "0"],
  [33, "body.actions", [["alerts:read", "alerts:everything"]], "1"],
];

it.each(invalid)("endpoint %i refuses each wrong %s", (number, argument, values, below = undefined) => {
  const [part, name] = argument.split(".") as [keyof Sent, string];
  const path = [argument, ...(below === undefined ? [] : [below])];
  const outcomes = values.map((value) => {
    const sent =
      part === "query" ? queryText({ ...requiredQuery(number), [name]: value }) : { [name]: value };
    return [value, refused(number, { [part]: sent })];
  });
  expect(outcomes).toEqual(values.map((value) => [value, [path.join(".")]]));
});

it("a parameter that is given twice, or with brackets, is refused where it is not a list", () => {
  for (const query of ["start=1&start=2&end=3", "start=1&start[]=1&end=3"])
    expect(() => read(16, { query })).toThrow("query.start: must be given once");
  expect(() => read(25, { body: { name: ["Gate"] } })).toThrow("body.name: must be a string");
});
