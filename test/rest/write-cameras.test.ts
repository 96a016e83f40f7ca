// Runs once: REST runs the statements of GraphQL, which are tested on every kind of
// database.
import { describe, expect, it } from "vitest";
import { caseOf, initOf } from "../support/route-cases.js";
import { fixedId, made, oldUrl } from "../support/test-workspace.js";
import { restSessionOfFile } from "./rest-session.js";

const session = restSessionOfFile();

describe("3 changes a camera", () => {
  const changes: [string, unknown, object][] = [
    ["name", "Gate", { name: "Gate" }],
    ["url", "rtmp://camera.example/gate", { url: "rtmp://camera.example/gate" }],
    [
      "emailAddresses",
      ["grace@test.example", "alan@test.example"],
      { emailAddresses: ["grace@test.example", "alan@test.example"] },
    ],
    ["emailAddresses", [], { emailAddresses: [] }],
    [
      "imageDimensions",
      { width: 1920.5, height: 1080 },
      { imageDimensions: { width: 1920.5, height: 1080 } },
    ],
    ...["direct", "proxy", "altproxy", "hostedserver", "vpn", "client"].map(
      (type) => ["streamType", type, { streamType: type.toUpperCase() }] as [string, string, object],
    ),
    ...["rtsp", "rtmp", "rtmps", "hls"].map(
      (protocol) =>
        ["streamProtocol", protocol, { streamProtocol: protocol.toUpperCase() }] as [string, string, object],
    ),
    [
      "facilityNodeId",
      "B0000000-0000-4000-8000-00000000ABCD",
      { facilityNodeId: "b0000000-0000-4000-8000-00000000abcd" },
    ],
    ["facilityNodeId", null, { facilityNodeId: null }],
  ];

  it.each(changes)("%s only: %j", async (name, value, expected) => {
    const before = await session.camera();
    await session.done(3, { body: { [name]: value } });
    const { streamRequests: _streamRequestsAfter, ...after } = await session.camera();
    const { streamRequests: _streamRequestsBefore, ...rest } = before;
    expect(after).toEqual({ ...rest, ...expected });
    const { body } = await session.read("/cameras");
    const row = body.data.find(({ id }: { id: string }) => id === session.workspace.ids.cameraId);
    if (name !== "emailAddresses")
      expect(JSON.stringify(row[name]).toLowerCase()).toBe(JSON.stringify(value).toLowerCase());
  });

  it("every field at once", async () => {
    const good = Object.fromEntries(
      Object.entries(caseOf(3).sends ?? {}).map(([name, member]) => [name, member.good]),
    );
    await session.done(3, { body: good });
    expect(await session.camera()).toMatchObject({ ...good, streamType: "ALTPROXY", streamProtocol: "HLS" });
  });

  it("nothing for an empty body", async () => {
    const before = await session.camera();
    for (const init of [initOf(caseOf(3)), { method: "PATCH" }]) {
      expect(
        (
          await session.gateway.fetch(`/cameras/${session.workspace.ids.cameraId}`, {
            as: session.workspace.admin.user,
            ...init,
          })
        ).status,
      ).toBe(200);
    }
    expect(await session.camera()).toEqual(before);
  });

  it("and replaces the stream request with one of the new type and protocol", async () => {
    await session.done(3, {
      body: { url: "rtmp://camera.example/gate", streamType: "direct", streamProtocol: "rtmp" },
    });
    const { nodes } = (await session.camera()).streamRequests;
    expect(nodes).toEqual([
      {
        streamType: "DIRECT",
        streamProtocol: "RTMP",
        createdAt: session.start.toISOString(),
        supersededAt: null,
      },
      {
        streamType: "VPN",
        streamProtocol: "RTSP",
        createdAt: made.toISOString(),
        supersededAt: session.start.toISOString(),
      },
    ]);
  });

  it.each([
    ["an unchanged URL", { url: oldUrl }],
    ["a masked password", { url: "rtsp://operator:***@camera.example/yard" }],
    ["a new name", { name: "Gate" }],
    ["a new type and protocol", { streamType: "direct", streamProtocol: "hls" }],
  ])("but keeps the stream request for %s", async (_what, body) => {
    const { streamRequests, url } = await session.camera();
    await session.done(3, { body });
    expect(await session.camera()).toMatchObject({ streamRequests, url });
  });

  it.each([
    ["rtsp://operator:***@camera.example/gate", "rtsp://operator:s3:cret@camera.example/gate"],
    ["rtsp://other:***@camera.example/gate", "rtsp://other:s3:cret@camera.example/gate"],
    ["rtsp://operator:new@camera.example/gate", "rtsp://operator:new@camera.example/gate"],
    ["rtsp://***@camera.example/***", "rtsp://operator:s3:cret@camera.example/yard"],
    ["rtsp://***:new@moved.example/***?channel=1", "rtsp://operator:new@moved.example/yard?channel=1"],
  ])("and keeps the password for %s", async (url, expected) => {
    await session.done(3, { body: { url } });
    expect((await session.camera()).url).toBe(expected);
    const { body } = await session.read("/cameras", session.workspace.onlooker.user);
    const masked = expected.replace(/\w+:(s3:cret|new)@/, "***@").replace(/gate|yard/, "***");
    expect(body.data.find(({ id }: { id: string }) => id === session.workspace.ids.cameraId).url).toBe(
      masked,
    );
  });

  it("with up to 50 recipients, for callers with write access to one facility only", async () => {
    const emailAddresses = Array.from({ length: 50 }, (_, index) => `ada${index}@test.example`);
    for (const as of [session.workspace.local.user, session.workspace.local.key])
      await session.done(3, { as, body: { emailAddresses } });
    expect((await session.camera()).emailAddresses).toEqual(emailAddresses);
  });
});

describe("4 deletes a camera", () => {
  it("and immediately hides it and its alerts from every list, count, and GraphQL view", async () => {
    const { cameraId, facilityId } = session.workspace.ids;
    await session.done(4);
    const range = "start=0&end=253402300799999";
    for (const [path, status] of [
      [`/cameras/${cameraId}`, 404],
      [`/cameras/${cameraId}/alerts?${range}`, 404],
      [`/cameras/${cameraId}/alerts/last?alertType=STATIC_DELIMITATION_AREA`, 404],
      [`/cameras/${cameraId}/alerts/count?${range}&aggregate=day`, 404],
      [`/cameras/${cameraId}/alert_rules`, 404],
      ["/cameras", 200],
      [`/facilities/${facilityId}/cameras`, 200],
      [`/alerts?${range}`, 200],
      [`/alerts?${range}&cameraId=${cameraId}`, 200],
    ] as const) {
      const response = await session.read(path);
      expect({ path, status: response.status }).toEqual({ path, status });
      expect(JSON.stringify(response.body)).not.toContain(cameraId);
    }
    expect(await session.alertIds()).toEqual([
      session.workspace.alertIds[2],
      session.workspace.alertIds[3],
      session.workspace.beside.alertId,
    ]);
    expect((await session.read(`/facilities/${facilityId}`)).body.data.cameraCount).toBe(1);
    const query = `query ($camera: UUID!, $facility: UUID!, $alert: UUID!) {
      camera(id: $camera) { id } alert(id: $alert) { id } facility(id: $facility) { cameraCount cameras { id } alerts { totalCount } } }`;
    expect(
      await session.data(query, {
        camera: cameraId,
        facility: facilityId,
        alert: session.workspace.ids.alertId,
      }),
    ).toEqual({
      camera: null,
      alert: null,
      facility: {
        cameraCount: 1,
        cameras: [{ id: fixedId(session.workspace.number, 22) }],
        alerts: { totalCount: 2 },
      },
    });
  });

  it.each([3, 4, 12, 20, 21])("after which endpoint %i returns 404 for it", async (number) => {
    await session.done(4);
    expect(await session.send(number)).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
  });
});

describe("12 reports a camera's status detail", () => {
  it("and keeps every report with its source and time, newest first", async () => {
    await session.done(12, { body: { status_detail: "LENS_DIRTY", status_detail_source: "TRACKER" } });
    session.clock = new Date(session.start.getTime() + 1000);
    await session.done(12, {
      body: { status_detail: "Objektiv verdeckt – 50 %", status_detail_source: "ON_PREMISE_FACILITY" },
    });
    const { statusDetail, statusHistory } = await session.camera();
    expect({ statusDetail, history: statusHistory.nodes }).toEqual({
      statusDetail: "Objektiv verdeckt – 50 %",
      history: [
        {
          statusDetail: "Objektiv verdeckt – 50 %",
          source: "ON_PREMISE_FACILITY",
          createdAt: session.clock.toISOString(),
        },
        { statusDetail: "LENS_DIRTY", source: "TRACKER", createdAt: session.start.toISOString() },
      ],
    });
    expect((await session.read(`/cameras/${session.workspace.ids.cameraId}`)).body.data[0].statusDetail).toBe(
      "Objektiv verdeckt – 50 %",
    );
  });

  it.each(["TRACKER", "DASHBOARD", "CLIENT", "ON_PREMISE_FACILITY"])(
    "from %s, with 1 to 100 characters",
    async (source) => {
      for (const detail of ["x", "x".repeat(100)]) {
        await session.done(12, {
          as: session.workspace.local.key,
          body: { status_detail: detail, status_detail_source: source },
        });
        expect((await session.camera()).statusHistory.nodes).toContainEqual({
          statusDetail: detail,
          source,
          createdAt: session.start.toISOString(),
        });
      }
    },
  );
});

describe("14 creates a camera", () => {
  const types: [string, unknown, string, string | null][] = [
    ["a string", "direct", "DIRECT", null],
    ["a type and a protocol", { type: "hostedserver", protocol: "hls" }, "HOSTEDSERVER", "HLS"],
    ["a type only", { type: "altproxy" }, "ALTPROXY", null],
    ["a type with unknown members", { type: "vpn", protocol: "rtmps", more: 1 }, "VPN", "RTMPS"],
  ];

  it.each(types)("with a streamType of %s", async (_what, given, streamType, streamProtocol) => {
    const { insertedItem } = await session.done(14, { body: { streamType: given } });
    const url = "rtsp://camera.example/new";
    expect(await session.camera(insertedItem)).toEqual({
      name: "New camera",
      url,
      emailAddresses: [],
      imageDimensions: null,
      streamType,
      streamProtocol,
      facilityNodeId: null,
      facilityId: session.workspace.ids.facilityId,
      statusDetail: "OPERATIONAL",
      statusHistory: { nodes: [] },
      streamRequests: {
        nodes: [{ streamType, streamProtocol, createdAt: session.start.toISOString(), supersededAt: null }],
      },
    });
  });

  it("with defaults, which the REST lists then show", async () => {
    const nodeId = fixedId(session.workspace.number, 99);
    const { insertedItem } = await session.done(14, {
      body: { facilityNodeId: nodeId, streamType: { type: "proxy", protocol: "rtsp" } },
    });
    const { body } = await session.read(`/facilities/${session.workspace.ids.facilityId}/cameras`);
    const listed = body.data.find(({ id }: { id: string }) => id === insertedItem);
    expect(listed).toEqual({
      id: insertedItem,
      name: "New camera",
      status: "IDLE",
      statusDetail: "OPERATIONAL",
      imageLink: null,
      createdAt: listed.createdAt,
      updatedAt: listed.updatedAt,
      dataCollectionEnabled: false,
      dataCollectionObjects: [],
      dataCollectionConfig: null,
      customDataCollectionConfigs: [],
      groundTruthKey: null,
      facilityId: session.workspace.ids.facilityId,
      collectSampleVideos: false,
      imageDimensions: null,
      alertRuleIds: [],
      url: "rtsp://camera.example/new",
      streamType: "proxy",
      streamProtocol: "rtsp",
      advancedSettings: null,
      proxyHost: null,
      facilityNodeId: nodeId,
    });
  });

  it("for every caller who can see the facility, with a new id each time", async () => {
    const cameras = new Set<string | undefined>();
    for (const as of [
      session.workspace.onlooker.user,
      session.workspace.onlooker.key,
      session.workspace.local.user,
    ])
      cameras.add((await session.done(14, { as })).insertedItem);
    expect(cameras.size).toBe(3);
  });

  it.each(["rtsp", "rtmp", "rtmps", "http", "https"])(
    "with a URL of scheme %s, of up to 2048 characters",
    async (scheme) => {
      const url = `${scheme}://camera.example/`.padEnd(2048, "x");
      const { insertedItem } = await session.done(14, {
        body: { url, name: "x".repeat(200), facilityNodeId: null },
      });
      expect(await session.camera(insertedItem)).toMatchObject({ url, name: "x".repeat(200) });
    },
  );
});
