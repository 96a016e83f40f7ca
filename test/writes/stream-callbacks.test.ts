import { randomUUID } from "node:crypto";
import { getNamedType, isLeafType } from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { permissions } from "../../src/access/permissions.js";
import { schema } from "../../src/graphql/schema.js";
import { createFacility, createWorkspace } from "../support/factories.js";
import { type Gateway, gatewayForTest } from "../support/harness.js";
import { byGraphql, byRest, type Door, doors, type ReportKind, reportKinds } from "./callbacks.js";
import { type Ground, newGround } from "./ground.js";
import { type Call, newWriter, run, unknownId, type Writer } from "./writer.js";

const start = new Date(Math.floor(Date.now() / 1000) * 1000);
const at = (seconds: number) => new Date(start.getTime() + seconds * 1000);
/** Seconds until a stream request expires. */
const lifetime = 600;

let ground: Ground;
let gateway: Gateway;
let clock = start;
let workspaceId: string;
let facilityId: string;
let admin: Writer;
beforeAll(async () => {
  ground = await newGround();
  gateway = await ground.start({ now: () => clock, environment: { STREAM_REQUEST_TTL: String(lifetime) } });
  ({ workspaceId, facilityId, admin } = await settle(gateway));
});
afterAll(async () => {
  await gateway.close();
  await ground.remove();
});

/** A workspace with a facility and somebody who may do everything there. */
async function settle({ prisma }: Gateway) {
  const owner = await createWorkspace(prisma, {});
  return {
    workspaceId: owner,
    facilityId: await createFacility(prisma, { workspaceId: owner }),
    admin: await newWriter(prisma, { workspaceId: owner, roles: permissions }),
  };
}

interface Requested {
  cameraId: string;
  /** The capability. */
  requestId: string;
  /** The stream request's own id. */
  id: string;
}
interface Answer {
  requestId: string;
  streamRequest: { id: string; cameraId: string };
}
const requested = ({ requestId, streamRequest: { id, cameraId } }: Answer): Requested => ({ cameraId, requestId, id });

async function newCamera(to = gateway, where = facilityId, as = admin): Promise<Requested> {
  const mutation = `mutation ($facilityId: UUID!, $input: CreateCameraInput!) {
    made: createCamera(facilityId: $facilityId, input: $input) { requestId streamRequest { id cameraId } } }`;
  const input = { name: "Gate", url: "rtsp://10.0.0.1/stream", streamType: "DIRECT" };
  return requested((await run<{ made: Answer }>(to, as, [mutation, { facilityId: where, input }])).made);
}

const probeCall = (cameraId: string): Call => [
  "mutation ($id: UUID!) { made: requestStreamProbe(cameraId: $id) { requestId streamRequest { id cameraId } } }",
  { id: cameraId },
];
const probe = async (cameraId: string) => requested((await run<{ made: Answer }>(gateway, admin, probeCall(cameraId))).made);
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

const cameraOf = ({ cameraId }: Requested) => gateway.prisma.camera.findUniqueOrThrow({ where: { id: cameraId } });
const requestOf = ({ id }: Requested) => gateway.prisma.streamRequest.findUniqueOrThrow({ where: { id } });
const entriesOf = async ({ cameraId }: Requested) =>
  gateway.prisma.auditEntry.findMany({ where: { targetId: cameraId, actorKind: "FEED_SERVER" }, orderBy: [{ createdAt: "asc" }, { id: "asc" }] });
/** All that a report may change. */
const stateOf = async (made: Requested) => ({
  camera: await cameraOf(made),
  requests: await gateway.prisma.streamRequest.findMany({ where: { cameraId: made.cameraId }, orderBy: { id: "asc" } }),
  entries: await entriesOf(made),
});

/** Every member of ffprobe's that is kept. */
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

/** Reports what must be taken. */
async function tell(report: Door, kind: ReportKind, { requestId }: Requested, body?: Record<string, unknown>): Promise<void> {
  expect(await report(gateway, kind, requestId, body)).toBe("OK");
}

describe.each(doors)("a thumbnail that is reported by %s", (_door, report) => {
  it("becomes the camera's picture and is kept with the request", async () => {
    clock = at(10);
    const made = await newCamera();
    const before = await cameraOf(made);
    clock = at(20);
    const url = "https://user@feeds.example:8443/yard.jpg?size=small#now";
    await tell(report, "thumbnail", made, { url });
    expect(await cameraOf(made)).toEqual({ ...before, imageLink: url, updatedAt: at(20) });
    expect(await requestOf(made)).toMatchObject({ thumbnailUrl: url, lastCallbackAt: at(20) });
    const cameras = await (await gateway.fetch(`/cameras/${made.cameraId}`, admin)).json();
    expect(cameras).toMatchObject({ data: [{ imageLink: url }] });
  });

  it.each([
    ["of 2048 characters", "https://feeds.example/".padEnd(2048, "x")],
    ["in capitals", "HTTP://FEEDS.EXAMPLE/YARD.JPG"],
    ["of an IPv6 address", "http://[2001:db8::1]/yard.jpg"],
  ])("may be a URL %s, and is shown as it is", async (_what, url) => {
    const made = await newCamera();
    await tell(report, "thumbnail", made, { url });
    expect(await cameraOf(made)).toMatchObject({ imageLink: url });
  });

  it("takes the place of stored pictures, which are deleted", async () => {
    const made = await newCamera();
    const [imageLink, thumbnail, kept] = [await picture(), await picture(), await picture()];
    await gateway.prisma.camera.update({ where: { id: made.cameraId }, data: { imageLink, thumbnail } });
    await tell(report, "thumbnail", made);
    expect(await cameraOf(made)).toMatchObject({ imageLink: "https://feeds.example/yard.jpg", thumbnail: null });
    await expect.poll(() => [imageLink, thumbnail].filter(ground.isStored)).toEqual([]);
    expect(ground.isStored(kept)).toBe(true);
  });

  it("leaves stored pictures alone when a newer request took its place", async () => {
    const made = await newCamera();
    const [imageLink, thumbnail] = [await picture(), await picture()];
    await gateway.prisma.camera.update({ where: { id: made.cameraId }, data: { imageLink, thumbnail } });
    await probe(made.cameraId);
    await tell(report, "thumbnail", made);
    expect(await cameraOf(made)).toMatchObject({ imageLink, thumbnail });
    expect(await gateway.prisma.objectRemoval.count({ where: { key: { in: [imageLink, thumbnail] } } })).toBe(0);
    expect([imageLink, thumbnail].filter(ground.isStored)).toHaveLength(2);
  });

  it("takes the place of another link, of which there is nothing to delete", async () => {
    const made = await newCamera();
    await tell(report, "thumbnail", made, { url: "https://feeds.example/old.jpg" });
    await tell(report, "thumbnail", made, { url: "https://feeds.example/new.jpg" });
    expect(await cameraOf(made)).toMatchObject({ imageLink: "https://feeds.example/new.jpg" });
    expect(await gateway.prisma.objectRemoval.count({ where: { key: { contains: "feeds.example" } } })).toBe(0);
  });

  it.each([
    "javascript:alert(1)",
    "JavaScript://feeds.example/%0aalert(1)",
    "data:image/png;base64,iVBORw0KGgo=",
    " https://x",
    "https://x ",
    "https:evil",
    "https:/evil/x.jpg",
    "https:\\\\evil",
    "https://\\evil",
    "alerts/picture.jpg",
    "../alerts/picture.jpg",
    "/files/alerts/picture.jpg",
    "//x",
    "https://",
    "https:///x",
    "https://?x",
    "https://feeds.example/\u0000.jpg",
    "https://feeds.example/\u0085.jpg",
    "https://feeds.example/\ud800.jpg",
    "ftp://feeds.example/yard.jpg",
    "file:///etc/passwd",
    "blob:https://feeds.example/7",
    "https://feeds.example/".padEnd(2049, "x"),
    "",
  ])("cannot be %j, and then nothing changes", async (url) => {
    const made = await newCamera();
    await setPicture(made);
    const before = await stateOf(made);
    expect(await report(gateway, "thumbnail", made.requestId, { url })).toBe("BAD_REQUEST");
    expect(await stateOf(made)).toEqual(before);
    expect(await gateway.prisma.objectRemoval.count({ where: { key: before.camera.imageLink as string } })).toBe(0);
  });
});

const picture = () => ground.storePicture(`pictures/${randomUUID()}.webp`);
const setPicture = async ({ cameraId }: Requested) =>
  gateway.prisma.camera.update({ where: { id: cameraId }, data: { imageLink: await picture(), thumbnail: await picture() } });

describe.each(doors)("metadata that is reported by %s", (_door, report) => {
  it("is kept as a whole under ffprobe's names, and gives the camera its dimensions", async () => {
    clock = at(30);
    const made = await newCamera();
    const before = await cameraOf(made);
    clock = at(40);
    await tell(report, "metadata", made, fullMetadata);
    expect(await requestOf(made)).toMatchObject({ metadata: fullMetadata, lastCallbackAt: at(40) });
    expect(await cameraOf(made)).toEqual({ ...before, imageDimensions: { width: 1920, height: 1080 }, updatedAt: at(40) });
  });

  it("is shown with the camera's stream requests, and the dimensions with the camera", async () => {
    const made = await newCamera();
    await tell(report, "metadata", made, fullMetadata);
    const query = "query ($id: UUID!) { camera(id: $id) { imageDimensions { width height } streamRequests { nodes { metadata } } } }";
    expect(await gateway.data(query, { ...admin, variables: { id: made.cameraId } })).toEqual({
      camera: { imageDimensions: { width: 1920, height: 1080 }, streamRequests: { nodes: [{ metadata: fullMetadata }] } },
    });
  });

  it("holds nothing for what was not told", async () => {
    const made = await newCamera();
    await tell(report, "metadata", made, { width: "640", height: "480", codec_name: null, duration_ts: null, nb_frames: "1" });
    expect((await requestOf(made)).metadata).toEqual({ width: "640", height: "480", nb_frames: "1" });
  });

  it("takes the place of what was told before", async () => {
    const made = await newCamera();
    await tell(report, "metadata", made, fullMetadata);
    await tell(report, "metadata", made, { width: "1", height: "2" });
    expect((await requestOf(made)).metadata).toEqual({ width: "1", height: "2" });
    expect((await cameraOf(made)).imageDimensions).toEqual({ width: 1, height: 2 });
  });

  it.each([
    ["a width of zero", { width: "0" }],
    ["a height that is a number", { height: 720 }],
    ["no height", { height: undefined }],
    ["a codec of more than 200 characters", { codec_name: "x".repeat(201) }],
    ["a duration of text", { duration_ts: "900000" }],
  ])("cannot have %s, and then nothing changes", async (_what, fault) => {
    const made = await newCamera();
    const before = await stateOf(made);
    expect(await report(gateway, "metadata", made.requestId, { ...fullMetadata, ...fault })).toBe("BAD_REQUEST");
    expect(await stateOf(made)).toEqual(before);
  });
});

describe.each(doors)("an error that is reported by %s", (_door, report) => {
  it("is kept with the request, and the camera's status detail becomes STREAM_ERROR", async () => {
    clock = at(50);
    const made = await newCamera();
    const before = await cameraOf(made);
    clock = at(60);
    await tell(report, "error", made, { operation: "open stream", error: "Connection refused\n\tat feed.c:12" });
    const kept = { errorOperation: "open stream", errorMessage: "Connection refused\n\tat feed.c:12", lastCallbackAt: at(60) };
    expect(await requestOf(made)).toMatchObject(kept);
    expect(await cameraOf(made)).toEqual({ ...before, statusDetail: "STREAM_ERROR", updatedAt: at(60) });
  });

  it.each(["thumbnail", "metadata"] as const)("is over when a %s follows: the status detail becomes OPERATIONAL", async (kind) => {
    const made = await newCamera();
    await tell(report, "error", made);
    await tell(report, kind, made);
    expect(await cameraOf(made)).toMatchObject({ statusDetail: "OPERATIONAL" });
    expect(await requestOf(made)).toMatchObject({ errorOperation: "open stream", errorMessage: "Connection refused" });
  });

  it("is over when a newer request's thumbnail follows", async () => {
    const made = await newCamera();
    await tell(report, "error", made);
    await tell(report, "thumbnail", await probe(made.cameraId));
    expect(await cameraOf(made)).toMatchObject({ statusDetail: "OPERATIONAL" });
  });

  it("comes after a picture as well as before: the status detail becomes STREAM_ERROR again", async () => {
    const made = await newCamera();
    for (const kind of ["error", "thumbnail", "error"] as const) await tell(report, kind, made);
    expect(await cameraOf(made)).toMatchObject({ statusDetail: "STREAM_ERROR", imageLink: "https://feeds.example/yard.jpg" });
  });
});

describe.each(doors)("a report by %s", (_door, report) => {
  it.each(["thumbnail", "metadata"] as const)("(%s) leaves a status detail alone that somebody else set", async (kind) => {
    const made = await newCamera();
    await tell(report, "error", made);
    await setStatus(made.cameraId, "LENS_DIRTY");
    await tell(report, kind, made);
    expect(await cameraOf(made)).toMatchObject({ statusDetail: "LENS_DIRTY" });
  });

  it.each(reportKinds)("(%s) for a request that a newer one superseded is kept in its history and leaves the camera alone", async (kind) => {
    clock = at(70);
    const made = await newCamera();
    await setStatus(made.cameraId, "STREAM_ERROR");
    const newer = await probe(made.cameraId);
    const [camera, open] = [await cameraOf(made), await requestOf(newer)];
    clock = at(80);
    await tell(report, kind, made, kind === "metadata" ? fullMetadata : undefined);
    const kept = {
      thumbnail: { thumbnailUrl: "https://feeds.example/yard.jpg" },
      metadata: { metadata: fullMetadata },
      error: { errorOperation: "open stream", errorMessage: "Connection refused" },
    };
    expect(await requestOf(made)).toMatchObject({ ...kept[kind], supersededAt: at(70), lastCallbackAt: at(80) });
    expect(await requestOf(newer)).toEqual(open);
    expect(await cameraOf(made)).toEqual(camera);
    const told = (await entriesOf(made)).map(({ changes }) => Object.keys(changes as object).toSorted());
    expect(told).toEqual([Object.keys(kept[kind]).toSorted()]);
  });

  it.each(reportKinds)("(%s) that is repeated changes nothing but the time of the last one", async (kind) => {
    clock = at(90);
    const made = await newCamera();
    const body = kind === "metadata" ? fullMetadata : undefined;
    await tell(report, kind, made, body);
    const [camera, request, entries] = [await cameraOf(made), await requestOf(made), await entriesOf(made)];
    expect(entries).toHaveLength(1);
    clock = at(100);
    for (let time = 0; time < 3; time += 1) await tell(report, kind, made, body);
    expect(await cameraOf(made)).toEqual(camera);
    expect(await requestOf(made)).toEqual({ ...request, lastCallbackAt: at(100) });
    expect(await entriesOf(made)).toEqual(entries);
  });

  it.each(reportKinds)("(%s) is taken until its request expires, and finds nothing from then on", async (kind) => {
    clock = at(110);
    const made = await newCamera();
    clock = at(110 + lifetime - 0.001);
    await tell(report, kind, made);
    const before = await stateOf(made);
    clock = at(110 + lifetime);
    expect(await report(gateway, kind, made.requestId)).toBe("NOT_FOUND");
    expect(await stateOf(made)).toEqual(before);
  });

  it.each(reportKinds)("(%s) finds nothing by the stream request's own id, the camera's, or one that never was", async (kind) => {
    const made = await newCamera();
    const before = await stateOf(made);
    for (const id of [made.id, made.cameraId, unknownId]) expect(await report(gateway, kind, id)).toBe("NOT_FOUND");
    expect(await stateOf(made)).toEqual(before);
  });

  it.each(reportKinds)("(%s) finds the request by its capability in capitals too", async (kind) => {
    const made = await newCamera();
    expect(await report(gateway, kind, made.requestId.toUpperCase())).toBe("OK");
  });

  it.each(reportKinds)("(%s) finds nothing when the camera was deleted", async (kind) => {
    const made = await newCamera();
    await run(gateway, admin, removeCall(made.cameraId));
    expect(await report(gateway, kind, made.requestId)).toBe("NOT_FOUND");
    expect(await entriesOf(made)).toEqual([]);
  });

  it.each(reportKinds)("(%s) may carry good credentials, and is the feed server's all the same", async (kind) => {
    const made = await newCamera();
    expect(await report(gateway, kind, made.requestId, undefined, admin.as)).toBe("OK");
    expect(await entriesOf(made)).toMatchObject([{ actorId: null, workspaceId, facilityId }]);
  });
});

describe("a document that reports by GraphQL", () => {
  const error = (requestId: string) =>
    `recordStreamError(requestId: "${requestId}", input: { operation: "open stream", error: "Connection refused" })`;

  it("answers the stream request as it is from then on", async () => {
    const made = await newCamera();
    const fields = "id cameraId supersededAt thumbnailUrl metadata errorOperation errorMessage";
    const { data, errors } = await gateway.graphql(`mutation { told: ${error(made.requestId)} { ${fields} } }`);
    expect(errors).toBeUndefined();
    const { id, cameraId, supersededAt, thumbnailUrl, metadata } = await requestOf(made);
    const shown = { id, cameraId, supersededAt, thumbnailUrl, metadata, errorOperation: "open stream", errorMessage: "Connection refused" };
    expect(data).toEqual({ told: shown });
  });

  it("leads from there to nothing else", () => {
    const answers = ["recordStreamThumbnail", "recordStreamMetadata", "recordStreamError"].map((name) =>
      String(getNamedType(schema.getMutationType()?.getFields()[name]?.type)),
    );
    expect(new Set(answers)).toEqual(new Set(["StreamRequest"]));
    const type = schema.getType("StreamRequest");
    const fields = type && "getFields" in type ? Object.values(type.getFields()) : [];
    expect(fields.length).toBeGreaterThan(0);
    expect(fields.filter((field) => !isLeafType(getNamedType(field.type)))).toEqual([]);
  });

  it("is the only one that needs no credentials", () => {
    const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((root) => Object.values(root?.getFields() ?? {}));
    const open = fields.filter(({ extensions }) => extensions.openToAll).map(({ name }) => name);
    expect(open.toSorted()).toEqual(["recordStreamError", "recordStreamMetadata", "recordStreamThumbnail"]);
  });

  it("may report of several requests at once", async () => {
    const [one, other] = [await newCamera(), await newCamera()];
    const { data } = await gateway.graphql(`mutation { a: ${error(one.requestId)} { id } b: ${error(other.requestId)} { id } }`);
    expect(data).toEqual({ a: { id: one.id }, b: { id: other.id } });
  });

  it("reports what it can when one of several requests is not there", async () => {
    const made = await newCamera();
    const { data, errors } = await gateway.graphql(`mutation { a: ${error(made.requestId)} { id } b: ${error(unknownId)} { id } }`);
    expect({ data, codes: errors?.map(({ extensions, path }) => [extensions.code, path]) }).toEqual({ data: null, codes: [["NOT_FOUND", ["b"]]] });
    expect(await requestOf(made)).toMatchObject({ errorOperation: "open stream" });
  });

  it("needs no credentials in production either, where nobody else is shown the schema", async () => {
    const strict = await gatewayForTest({ seed: "none", environment: { NODE_ENV: "production" } });
    const owner = await settle(strict);
    const made = await newCamera(strict, owner.facilityId, owner.admin);
    expect(await byGraphql(strict, "error", made.requestId)).toBe("OK");
    const { status } = await strict.graphql(`mutation { __typename told: ${error(made.requestId)} { id } }`);
    expect(status).toBe(401);
  });

  const mixed: [string, (requestId: string) => string][] = [
    ["another mutation", (requestId) => `mutation { ${error(requestId)} { id } removeUser(userId: "${unknownId}") { id } }`],
    ["another mutation before it", (requestId) => `mutation { removeUser(userId: "${unknownId}") { id } ${error(requestId)} { id } }`],
    [
      "another mutation under its name",
      (requestId) => `mutation { ${error(requestId)} { id } recordStreamMetadata: removeUser(userId: "${unknownId}") { id } }`,
    ],
    [
      "one in a fragment",
      (requestId) => `mutation { ${error(requestId)} { id } ...more } fragment more on Mutation { removeUser(userId: "${unknownId}") { id } }`,
    ],
    [
      "one in an inline fragment",
      (requestId) => `mutation { ${error(requestId)} { id } ... on Mutation { removeUser(userId: "${unknownId}") { id } } }`,
    ],
    [
      "one that a directive leaves out",
      (requestId) => `mutation { ${error(requestId)} { id } removeUser(userId: "${unknownId}") @skip(if: true) { id } }`,
    ],
  ];

  it.each(mixed)("is refused 401 to nobody when it asks for %s besides, and nothing changes", async (_what, document) => {
    const made = await newCamera();
    const before = await stateOf(made);
    const { status, errors } = await gateway.graphql(document(made.requestId));
    expect({ status, codes: errors?.map(({ extensions }) => extensions.code) }).toEqual({ status: 401, codes: ["UNAUTHENTICATED"] });
    expect(await stateOf(made)).toEqual(before);
  });

  it("may ask for other fields besides with good credentials", async () => {
    const made = await newCamera();
    const { data } = await gateway.graphql(
      `mutation { ${error(made.requestId)} { id } renameFacility(id: "${facilityId}", name: "Renamed") { name } }`,
      admin,
    );
    expect(data).toEqual({ recordStreamError: { id: made.id }, renameFacility: { name: "Renamed" } });
  });

  it("is judged by the operation that is asked for, when it has several", async () => {
    const made = await newCamera();
    const document = `mutation Tell { ${error(made.requestId)} { id } } query Read { facilities { id } }`;
    expect((await gateway.graphql(document, { operationName: "Read" })).status).toBe(401);
    expect(await gateway.graphql(document, { operationName: "Tell" })).toMatchObject({ data: { recordStreamError: { id: made.id } } });
  });

  it("is not taken by GET", async () => {
    const made = await newCamera();
    const query = new URLSearchParams({ query: `mutation { ${error(made.requestId)} { id } }` });
    const response = await gateway.fetch(`/graphql?${query}`, { headers: { "apollo-require-preflight": "true" } });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(await requestOf(made)).toMatchObject({ errorOperation: null });
  });
});

describe("reports at one time", () => {
  /** Sends a call as the admin; answers OK or the code of the refusal. */
  const send = async ([mutation, variables]: Call) => {
    const { errors } = await gateway.graphql(mutation, { ...admin, variables });
    return errors?.[0]?.extensions.code ?? "OK";
  };
  const reports = ({ requestId }: Requested) => [byRest, byGraphql].flatMap((report) => reportKinds.map((kind) => report(gateway, kind, requestId)));

  it("as changes and the deletion of the camera: each is done or finds nothing, and nobody meets a deadlock", async () => {
    for (let round = 0; round < 6; round += 1) {
      const made = await newCamera();
      const { cameraId } = made;
      const outcomes = await Promise.all([
        ...reports(made),
        send(updateCall(cameraId, { url: "rtsp://10.0.0.2/" })),
        send(probeCall(cameraId)),
        send(removeCall(cameraId)),
        ...reports(made),
        send(updateCall(cameraId, { name: "New", url: "rtsp://10.0.0.3/" })),
      ]);
      expect(outcomes.filter((outcome) => !["OK", "NOT_FOUND"].includes(outcome))).toEqual([]);
      expect(outcomes[8]).toBe("OK");
      await expect.poll(() => gateway.prisma.camera.count({ where: { id: cameraId } }), { timeout: 10_000 }).toBe(0);
    }
  });

  it("as a new address: a report changes the camera only before that, as the audit log tells", async () => {
    for (let round = 0; round < 6; round += 1) {
      const made = await newCamera();
      const calls = [...reports(made), send(updateCall(made.cameraId, { url: "rtsp://10.0.0.2/" })), ...reports(made)];
      expect(new Set(await Promise.all(calls))).toEqual(new Set(["OK"]));
      const camera = await cameraOf(made);
      const told = Object.assign({}, ...(await entriesOf(made)).map(({ changes }) => changes)) as Record<string, { to: unknown } | undefined>;
      expect({ imageLink: camera.imageLink, imageDimensions: camera.imageDimensions }).toEqual({
        imageLink: told.imageLink?.to ?? null,
        imageDimensions: told.imageDimensions?.to ?? null,
      });
      expect(await requestOf(made)).toMatchObject({
        thumbnailUrl: expect.any(String),
        metadata: expect.any(Object),
        errorMessage: expect.any(String),
      });
    }
  });

  it("of the same: one of them is told in the audit log", async () => {
    const made = await newCamera();
    const outcomes = await Promise.all([1, 2, 3, 4, 5, 6].map(() => byRest(gateway, "thumbnail", made.requestId)));
    expect(new Set(outcomes)).toEqual(new Set(["OK"]));
    expect(await entriesOf(made)).toHaveLength(1);
  });
});
