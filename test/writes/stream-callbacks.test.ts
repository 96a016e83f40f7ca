// Runs once: both kinds of databases run the same statements.
import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { schema } from "../../src/api/graphql/schema.js";
import { createAdmin, createFacility, createWorkspace, endKeeping, unknownId } from "../support/factories.js";
import { type Call, run } from "../support/harness.js";
import { TestSite } from "../support/test-site.js";
import {
  type ReportKind,
  reportApis,
  reportByGraphql,
  reportByRest,
  reportKinds,
  type SendReport,
} from "./callbacks.js";

const start = new Date(Math.floor(Date.now() / 1000) * 1000);
const at = (seconds: number) => new Date(start.getTime() + seconds * 1000);
/** Seconds until a stream request expires. */
const lifetime = 600;

let clock = start;

const testSite = await TestSite.open();
const gateway = await testSite.start({
  now: () => clock,
  environment: { STREAM_REQUEST_TTL: String(lifetime) },
});

const workspaceId = await createWorkspace(gateway.prisma);
const facilityId = await createFacility(gateway.prisma, { workspaceId });
const admin = await createAdmin(gateway.prisma, workspaceId);
afterAll(async () => {
  await gateway.close();
  await testSite.remove();
});

interface Requested {
  cameraId: string;
  /** The secret id that authorizes callbacks. */
  requestId: string;
  /** The stream request's own id. */
  id: string;
}
interface RequestData {
  requestId: string;
  streamRequest: { id: string; cameraId: string };
}
async function requested(call: Call): Promise<Requested> {
  const { request } = await run<{ request: RequestData }>(gateway, admin, call);
  return { requestId: request.requestId, ...request.streamRequest };
}
const newCamera = () =>
  requested([
    `mutation ($facilityId: UUID!, $input: CreateCameraInput!) {
      request: createCamera(facilityId: $facilityId, input: $input) { requestId streamRequest { id cameraId } } }`,
    { facilityId, input: { name: "Gate", url: "rtsp://10.0.0.1/stream", streamType: "DIRECT" } },
  ]);

const probeCall = (cameraId: string): Call => [
  "mutation ($id: UUID!) { request: requestStreamProbe(cameraId: $id) { requestId streamRequest { id cameraId } } }",
  { id: cameraId },
];
const removeCall = (id: string): Call => ["mutation ($id: UUID!) { deleteCamera(id: $id) { id } }", { id }];
const updateCall = (id: string, input: object): Call => [
  "mutation ($id: UUID!, $input: UpdateCameraInput!) { updateCamera(id: $id, input: $input) { id } }",
  { id, input },
];
const setStatus = (id: string, statusDetail: string) =>
  run(gateway, admin, [
    "mutation ($id: UUID!, $input: StatusDetailInput!) { setCameraStatusDetail(id: $id, input: $input) { id } }",
    { id, input: { statusDetail, source: "TRACKER" } },
  ]);

const cameraOf = ({ cameraId }: Requested) =>
  gateway.prisma.camera.findFirstOrThrow({ where: { id: cameraId } });
const requestOf = ({ id }: Requested) => gateway.prisma.streamRequest.findFirstOrThrow({ where: { id } });
const entriesOf = async ({ cameraId }: Requested) =>
  gateway.prisma.auditEntry.findMany({
    where: { targetId: cameraId, actorKind: "FEED_SERVER" },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
  });
/** Everything that a report may change. */
const stateOf = async (request: Requested) => ({
  camera: await cameraOf(request),
  requests: await gateway.prisma.streamRequest.findMany({
    where: { cameraId: request.cameraId },
    orderBy: { id: "asc" },
  }),
  entries: await entriesOf(request),
});

/** Every ffprobe field that is stored. */
const fullMetadata = {
  width: "1920",
  height: "1080",
  codec_name: "h264",
  display_aspect_ratio: "16:9",
  pix_fmt: "yuv420p",
  avg_frame_rate: "25/1",
  duration_ts: 900_000,
  duration: "10.000000",
  bit_rate: "1500000",
  nb_frames: "250",
};

/** Sends a report that must be accepted. */
async function expectAccepted(
  report: SendReport,
  kind: ReportKind,
  { requestId }: Requested,
  body?: Record<string, unknown>,
): Promise<void> {
  expect(await report(gateway, kind, requestId, body)).toBe("OK");
}

const imageLink = "https://user@feeds.example:8443/yard.jpg?size=small#now";
const failure = { operation: "open stream", error: "Connection refused\n\tat feed.c:12" };
/** Reports by kind: what is stored with the request, and what changes of the camera at a time. */
const reports: {
  kind: ReportKind;
  body: Record<string, unknown>;
  kept: object;
  camera: (time: Date) => object;
}[] = [
  {
    kind: "thumbnail",
    body: { url: imageLink },
    kept: { thumbnailUrl: imageLink },
    camera: (pictureAt) => ({ imageLink, pictureAt }),
  },
  {
    kind: "metadata",
    body: fullMetadata,
    kept: { metadata: fullMetadata },
    camera: () => ({ imageDimensions: { width: 1920, height: 1080 } }),
  },
  {
    kind: "error",
    body: failure,
    kept: { errorOperation: failure.operation, errorMessage: failure.error },
    camera: (statusDetailChangedAt) => ({ statusDetail: "STREAM_ERROR", statusDetailChangedAt }),
  },
];

describe.each(reportApis)("by %s,", (_api, report) => {
  it.each(reports)(
    "a report ($kind) is stored with its request, and changes the camera",
    async ({ kind, body, kept, camera }) => {
      clock = at(10);
      const request = await newCamera();
      const before = await cameraOf(request);
      clock = at(20);
      await expectAccepted(report, kind, request, body);
      expect(await requestOf(request)).toMatchObject({ ...kept, lastCallbackAt: at(20) });
      expect(await cameraOf(request)).toEqual({ ...before, ...camera(at(20)), updatedAt: at(20) });
    },
  );
});

// REST runs the operations of GraphQL, and other tests prove their parity: the following
// tests need only one of the APIs.
describe("a thumbnail", () => {
  const report = reportByRest;

  it.each([
    ["replaces stored images, which are deleted", false],
    ["leaves stored images alone when a newer request superseded it", true],
  ])("%s", async (_what, isSuperseded) => {
    const request = await newCamera();
    const [imageLink, thumbnail] = [await picture(), await picture()];
    const stored = { imageLink, thumbnail };
    await gateway.prisma.camera.updateMany({ where: { id: request.cameraId }, data: stored });
    if (isSuperseded) await requested(probeCall(request.cameraId));
    await expectAccepted(report, "thumbnail", request);
    await gateway.app.idle();
    expect(await cameraOf(request)).toMatchObject(
      isSuperseded ? stored : { imageLink: "https://feeds.example/yard.jpg", thumbnail: null },
    );
    expect([imageLink, thumbnail].map((key) => testSite.isStored(key))).toEqual([isSuperseded, isSuperseded]);
  });
});

const picture = () => testSite.storePicture(`pictures/${randomUUID()}.webp`);
describe("metadata", () => {
  const report = reportByGraphql;

  it("omits fields that were not reported", async () => {
    const request = await newCamera();
    await expectAccepted(report, "metadata", request, {
      width: "640",
      height: "480",
      codec_name: null,
      duration_ts: null,
      nb_frames: "1",
    });
    expect((await requestOf(request)).metadata).toEqual({ width: "640", height: "480", nb_frames: "1" });
  });
});

describe("an error", () => {
  const report = reportByRest;

  it("is in the status history as is its end by a later report, each once, and stays with its request", async () => {
    const request = await newCamera();
    for (const kind of ["error", "error", "metadata", "thumbnail"] as const)
      await expectAccepted(report, kind, request);
    const { cameraId } = request;
    const changes = await gateway.prisma.statusChange.findMany({
      where: { cameraId },
      orderBy: { id: "asc" },
    });
    expect(changes.map(({ statusDetail, source }) => [statusDetail, source])).toEqual([
      ["STREAM_ERROR", "FEED"],
      ["OPERATIONAL", "FEED"],
    ]);
    expect(await requestOf(request)).toMatchObject({ errorMessage: "Connection refused" });
  });
});

describe("a report", () => {
  /** Both APIs are used, each for some kinds. */
  const report: SendReport = (to, kind, ...more) =>
    (kind === "metadata" ? reportByGraphql : reportByRest)(to, kind, ...more);

  it.each(["thumbnail", "metadata"] as const)(
    "(%s) does not change a status detail set by someone else",
    async (kind) => {
      const request = await newCamera();
      await expectAccepted(report, "error", request);
      await setStatus(request.cameraId, "LENS_DIRTY");
      await expectAccepted(report, kind, request);
      expect(await cameraOf(request)).toMatchObject({ statusDetail: "LENS_DIRTY" });
    },
  );

  it.each(reports)(
    "($kind) for a superseded request is stored in its history and does not change the camera",
    async ({ kind, body, kept }) => {
      clock = at(70);
      const request = await newCamera();
      await setStatus(request.cameraId, "STREAM_ERROR");
      const newer = await requested(probeCall(request.cameraId));
      const [camera, open] = [await cameraOf(request), await requestOf(newer)];
      clock = at(80);
      await expectAccepted(report, kind, request, body);
      expect(await requestOf(request)).toMatchObject({
        ...kept,
        supersededAt: at(70),
        lastCallbackAt: at(80),
      });
      expect(await requestOf(newer)).toEqual(open);
      expect(await cameraOf(request)).toEqual(camera);
      const recorded = (await entriesOf(request)).map(({ changes }) =>
        Object.keys(changes as object).toSorted(),
      );
      expect(recorded).toEqual([Object.keys(kept).toSorted()]);
    },
  );

  it.each(reports)(
    "($kind), when repeated, only updates the times of callback and picture",
    async ({ kind, body }) => {
      clock = at(90);
      const request = await newCamera();
      await expectAccepted(report, kind, request, body);
      const before = await stateOf(request);
      expect(before.entries).toHaveLength(1);
      clock = at(100);
      for (let time = 0; time < 3; time += 1) await expectAccepted(report, kind, request, body);
      const taken = kind === "thumbnail" ? { pictureAt: at(100) } : {};
      expect(await stateOf(request)).toEqual({
        camera: { ...before.camera, ...taken },
        requests: before.requests.map((each) => ({ ...each, lastCallbackAt: at(100) })),
        entries: before.entries,
      });
    },
  );

  it.each(reportKinds)("(%s) is accepted until its request expires, then returns NOT_FOUND", async (kind) => {
    clock = at(110);
    const request = await newCamera();
    clock = at(110 + lifetime - 0.001);
    await expectAccepted(report, kind, request);
    const before = await stateOf(request);
    clock = at(110 + lifetime);
    expect(await report(gateway, kind, request.requestId)).toBe("NOT_FOUND");
    expect(await stateOf(request)).toEqual(before);
  });

  it.each(reportKinds)("(%s) returns NOT_FOUND when the camera was deleted", async (kind) => {
    const request = await newCamera();
    await run(gateway, admin, removeCall(request.cameraId));
    expect(await report(gateway, kind, request.requestId)).toBe("NOT_FOUND");
    expect(await entriesOf(request)).toEqual([]);
  });
});

describe("a document that reports by GraphQL", () => {
  const error = (requestId: string) =>
    `recordStreamError(requestId: "${requestId}", input: { operation: "open stream", error: "Connection refused" })`;

  it("is public, and no other is but those that sign in", () => {
    const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((root) =>
      Object.values(root?.getFields() ?? {}),
    );
    const open = fields.filter(({ extensions }) => extensions.public).map(({ name }) => name);
    expect(open.toSorted()).toEqual([
      "recordStreamError",
      "recordStreamMetadata",
      "recordStreamThumbnail",
      "requestSignInLink",
      "signIn",
    ]);
  });

  const mixed: [string, (requestId: string) => string][] = [
    [
      "another mutation",
      (requestId) => `mutation { ${error(requestId)} { id } removeUser(userId: "${unknownId}") { id } }`,
    ],
    [
      "one in a fragment",
      (requestId) =>
        `mutation { ${error(requestId)} { id } ...more } fragment more on Mutation { removeUser(userId: "${unknownId}") { id } }`,
    ],
    [
      "one that a directive skips",
      (requestId) =>
        `mutation { ${error(requestId)} { id } removeUser(userId: "${unknownId}") @skip(if: true) { id } }`,
    ],
  ];

  it("is rejected with 401 without credentials when it contains anything else, and changes nothing", async () => {
    const request = await newCamera();
    const before = await stateOf(request);
    for (const [what, document] of mixed) {
      const { status, errors } = await gateway.graphql(document(request.requestId));
      const codes = errors?.map(({ extensions }) => extensions.code);
      expect({ what, status, codes }).toEqual({ what, status: 401, codes: ["UNAUTHENTICATED"] });
    }
    expect(await stateOf(request)).toEqual(before);
  });

  it("is judged by the requested operation when it has several", async () => {
    const request = await newCamera();
    const document = `mutation Report { ${error(request.requestId)} { id } } query Read { facilities { id } }`;
    expect((await gateway.graphql(document, { operationName: "Read" })).status).toBe(401);
    expect(await gateway.graphql(document, { operationName: "Report" })).toMatchObject({
      data: { recordStreamError: { id: request.id } },
    });
  });
});

describe("concurrent reports", () => {
  /** The embedded database runs transactions one by one. */
  const rounds = inject("resources").server ? 6 : 2;
  /** Sends a call as the admin; returns OK or the error code. */
  const send = async ([mutation, variables]: Call) => {
    const { errors } = await gateway.graphql(mutation, { ...admin, variables });
    return errors?.[0]?.extensions.code ?? "OK";
  };
  const reports = ({ requestId }: Requested) =>
    [reportByRest, reportByGraphql].flatMap((report) =>
      reportKinds.map((kind) => report(gateway, kind, requestId)),
    );

  it("with changes and the deletion of the camera: each succeeds or returns NOT_FOUND, and no deadlock occurs", async () => {
    for (let round = 0; round < rounds; round += 1) {
      const request = await newCamera();
      const { cameraId } = request;
      await endKeeping(gateway.prisma, cameraId);
      const outcomes = await Promise.all([
        ...reports(request),
        send(updateCall(cameraId, { url: "rtsp://10.0.0.2/" })),
        send(probeCall(cameraId)),
        send(removeCall(cameraId)),
        ...reports(request),
        send(updateCall(cameraId, { name: "New", url: "rtsp://10.0.0.3/" })),
      ]);
      expect(outcomes.filter((outcome) => !["OK", "NOT_FOUND"].includes(outcome))).toEqual([]);
      expect(outcomes[8]).toBe("OK");
      await expect.poll(() => gateway.prisma.camera.count({ where: { id: cameraId } })).toBe(0);
    }
  });

  it("with a URL change: only earlier reports change the camera, as the audit log shows", async () => {
    for (let round = 0; round < rounds; round += 1) {
      const request = await newCamera();
      const calls = [
        ...reports(request),
        send(updateCall(request.cameraId, { url: "rtsp://10.0.0.2/" })),
        ...reports(request),
      ];
      expect(new Set(await Promise.all(calls))).toEqual(new Set(["OK"]));
      const camera = await cameraOf(request);
      const recorded = Object.assign(
        {},
        ...(await entriesOf(request)).map(({ changes }) => changes),
      ) as Record<string, { to: unknown } | undefined>;
      expect({ imageLink: camera.imageLink, imageDimensions: camera.imageDimensions }).toEqual({
        imageLink: recorded.imageLink?.to ?? null,
        imageDimensions: recorded.imageDimensions?.to ?? null,
      });
      expect(await requestOf(request)).toMatchObject({
        thumbnailUrl: expect.any(String),
        metadata: expect.any(Object),
        errorMessage: expect.any(String),
      });
    }
  });
});
