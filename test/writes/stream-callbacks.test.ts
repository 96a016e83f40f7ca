// Runs once: both kinds of databases run the same statements.
import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { schema } from "../../src/graphql/schema.js";
import { createFacility, createWorkspace } from "../support/factories.js";
import type { Gateway } from "../support/harness.js";
import { TestSite } from "../support/test-site.js";
import { type Call, createAdmin, run, type TestUser, unknownId } from "../support/test-user.js";
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

let testSite: TestSite;
let gateway: Gateway;
let clock = start;
let facilityId: string;
let admin: TestUser;
beforeAll(async () => {
  testSite = await TestSite.open();
  gateway = await testSite.start({ now: () => clock, environment: { STREAM_REQUEST_TTL: String(lifetime) } });
  ({ facilityId, admin } = await setUp(gateway));
});
afterAll(async () => {
  await gateway.close();
  await testSite.remove();
});

/** Creates a workspace with a facility and an admin. */
async function setUp({ prisma }: Gateway) {
  const owner = await createWorkspace(prisma);
  return {
    workspaceId: owner,
    facilityId: await createFacility(prisma, { workspaceId: owner }),
    admin: await createAdmin(prisma, owner),
  };
}

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
const toRequested = ({ requestId, streamRequest: { id, cameraId } }: RequestData): Requested => ({
  cameraId,
  requestId,
  id,
});

async function newCamera(to = gateway, where = facilityId, as = admin): Promise<Requested> {
  const mutation = `mutation ($facilityId: UUID!, $input: CreateCameraInput!) {
    request: createCamera(facilityId: $facilityId, input: $input) { requestId streamRequest { id cameraId } } }`;
  const input = { name: "Gate", url: "rtsp://10.0.0.1/stream", streamType: "DIRECT" };
  return toRequested(
    (await run<{ request: RequestData }>(to, as, [mutation, { facilityId: where, input }])).request,
  );
}

const probeCall = (cameraId: string): Call => [
  "mutation ($id: UUID!) { request: requestStreamProbe(cameraId: $id) { requestId streamRequest { id cameraId } } }",
  { id: cameraId },
];
const probe = async (cameraId: string) =>
  toRequested((await run<{ request: RequestData }>(gateway, admin, probeCall(cameraId))).request);
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

describe.each(reportApis)("a thumbnail reported by %s", (_api, report) => {
  it("becomes the camera's image and is stored with the request", async () => {
    clock = at(10);
    const request = await newCamera();
    const before = await cameraOf(request);
    clock = at(20);
    const url = "https://user@feeds.example:8443/yard.jpg?size=small#now";
    await expectAccepted(report, "thumbnail", request, { url });
    expect(await cameraOf(request)).toEqual({
      ...before,
      imageLink: url,
      pictureAt: at(20),
      updatedAt: at(20),
    });
    expect(await requestOf(request)).toMatchObject({ thumbnailUrl: url, lastCallbackAt: at(20) });
    const cameras = await (await gateway.fetch(`/cameras/${request.cameraId}`, admin)).json();
    expect(cameras).toMatchObject({ data: [{ imageLink: url }] });
  });
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
    if (isSuperseded) await probe(request.cameraId);
    await expectAccepted(report, "thumbnail", request);
    await gateway.app.idle();
    expect(await cameraOf(request)).toMatchObject(
      isSuperseded ? stored : { imageLink: "https://feeds.example/yard.jpg", thumbnail: null },
    );
    expect([imageLink, thumbnail].map((key) => testSite.isStored(key))).toEqual([isSuperseded, isSuperseded]);
  });
});

const picture = () => testSite.storePicture(`pictures/${randomUUID()}.webp`);
describe.each(reportApis)("metadata reported by %s", (_api, report) => {
  it("is stored in full under ffprobe's names and sets the camera's dimensions", async () => {
    clock = at(30);
    const request = await newCamera();
    const before = await cameraOf(request);
    clock = at(40);
    await expectAccepted(report, "metadata", request, fullMetadata);
    expect(await requestOf(request)).toMatchObject({ metadata: fullMetadata, lastCallbackAt: at(40) });
    expect(await cameraOf(request)).toEqual({
      ...before,
      imageDimensions: { width: 1920, height: 1080 },
      updatedAt: at(40),
    });
  });
});

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

describe.each(reportApis)("an error reported by %s", (_api, report) => {
  it("is stored with the request and sets the camera's status detail to STREAM_ERROR", async () => {
    clock = at(50);
    const request = await newCamera();
    const before = await cameraOf(request);
    clock = at(60);
    await expectAccepted(report, "error", request, {
      operation: "open stream",
      error: "Connection refused\n\tat feed.c:12",
    });
    const kept = {
      errorOperation: "open stream",
      errorMessage: "Connection refused\n\tat feed.c:12",
      lastCallbackAt: at(60),
    };
    expect(await requestOf(request)).toMatchObject(kept);
    expect(await cameraOf(request)).toEqual({
      ...before,
      statusDetail: "STREAM_ERROR",
      statusDetailChangedAt: at(60),
      updatedAt: at(60),
    });
  });
});

describe("an error", () => {
  const report = reportByRest;

  it.each(["thumbnail", "metadata"] as const)(
    "is cleared by a later %s, which sets the status detail to OPERATIONAL",
    async (kind) => {
      const request = await newCamera();
      await expectAccepted(report, "error", request);
      await expectAccepted(report, kind, request);
      expect(await cameraOf(request)).toMatchObject({ statusDetail: "OPERATIONAL" });
      expect(await requestOf(request)).toMatchObject({
        errorOperation: "open stream",
        errorMessage: "Connection refused",
      });
    },
  );

  it("is in the status history as is its end, each once", async () => {
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

  it.each(reportKinds)(
    "(%s) for a superseded request is stored in its history and does not change the camera",
    async (kind) => {
      clock = at(70);
      const request = await newCamera();
      await setStatus(request.cameraId, "STREAM_ERROR");
      const newer = await probe(request.cameraId);
      const [camera, open] = [await cameraOf(request), await requestOf(newer)];
      clock = at(80);
      await expectAccepted(report, kind, request, kind === "metadata" ? fullMetadata : undefined);
      const kept = {
        thumbnail: { thumbnailUrl: "https://feeds.example/yard.jpg" },
        metadata: { metadata: fullMetadata },
        error: { errorOperation: "open stream", errorMessage: "Connection refused" },
      };
      expect(await requestOf(request)).toMatchObject({
        ...kept[kind],
        supersededAt: at(70),
        lastCallbackAt: at(80),
      });
      expect(await requestOf(newer)).toEqual(open);
      expect(await cameraOf(request)).toEqual(camera);
      const recorded = (await entriesOf(request)).map(({ changes }) =>
        Object.keys(changes as object).toSorted(),
      );
      expect(recorded).toEqual([Object.keys(kept[kind]).toSorted()]);
    },
  );

  it.each(reportKinds)(
    "(%s), when repeated, only updates the times of callback and picture",
    async (kind) => {
      clock = at(90);
      const request = await newCamera();
      const body = kind === "metadata" ? fullMetadata : undefined;
      await expectAccepted(report, kind, request, body);
      const [camera, stored, entries] = [
        await cameraOf(request),
        await requestOf(request),
        await entriesOf(request),
      ];
      expect(entries).toHaveLength(1);
      clock = at(100);
      for (let time = 0; time < 3; time += 1) await expectAccepted(report, kind, request, body);
      const taken = kind === "thumbnail" ? { pictureAt: at(100) } : {};
      expect(await cameraOf(request)).toEqual({ ...camera, ...taken });
      expect(await requestOf(request)).toEqual({ ...stored, lastCallbackAt: at(100) });
      expect(await entriesOf(request)).toEqual(entries);
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
