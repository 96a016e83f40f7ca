// Runs once: both kinds of databases run the same statements.
import { getNamedType, isObjectType } from "graphql";
import { schema } from "../../src/api/graphql/schema.js";
import {
  createAdmin,
  createFacility,
  createCamera as insertCamera,
  unknownId,
} from "../support/factories.js";
import { type Call, refusal, run, sharedWorkspace } from "../support/harness.js";

const start = new Date(Math.floor(Date.now() / 1000) * 1000);
const at = (seconds: number) => new Date(start.getTime() + seconds * 1000);
/** The seconds for which a stream request lasts without STREAM_REQUEST_TTL. */
const lifetime = 86_400;
const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
let clock = start;
const { gateway, prisma, workspaceId } = await sharedWorkspace({ now: () => clock });
const here = await createFacility(prisma, { workspaceId });
const admin = await createAdmin(prisma, workspaceId);

interface StreamRequest {
  id: string;
  createdAt: string;
  supersededAt: string | null;
  streamType: string | null;
}
interface Probe {
  requestId: string;
  streamRequest: StreamRequest;
}

const requestFields =
  "id cameraId streamType streamProtocol createdAt expiresAt supersededAt thumbnailUrl metadata errorOperation lastCallbackAt";
const url = "rtsp://admin:secret@10.0.0.1:554/stream";
const create = (facilityId: string, input: object = {}): Call => [
  `mutation ($facilityId: UUID!, $input: CreateCameraInput!) { created: createCamera(facilityId: $facilityId, input: $input) {
    requestId streamRequest { ${requestFields} } camera { id name url streamType streamProtocol facilityNodeId facility { id } status statusDetail }
  } }`,
  { facilityId, input: { name: "Gate", url, streamType: "DIRECT", ...input } },
];
const update = (id: string, input: object): Call => [
  "mutation ($id: UUID!, $input: UpdateCameraInput!) { camera: updateCamera(id: $id, input: $input) { id name url streamType streamProtocol facilityNodeId emailAddresses imageDimensions { width height } updatedAt } }",
  { id, input },
];
const probe = (cameraId: string): Call => [
  `mutation ($cameraId: UUID!) { probe: requestStreamProbe(cameraId: $cameraId) { requestId streamRequest { ${requestFields} } } }`,
  { cameraId },
];
const requestsOf = async (id: string) => {
  const query = `query ($id: UUID!) { camera(id: $id) { streamRequests { nodes { ${requestFields} } } } }`;
  return (
    await gateway.data<{ camera: { streamRequests: { nodes: StreamRequest[] } } }>(query, {
      ...admin,
      variables: { id },
    })
  ).camera.streamRequests.nodes;
};
const newCamera = async (facilityId = here) =>
  (await run<{ created: Probe & { camera: { id: string } } }>(gateway, admin, create(facilityId))).created;
const stored = (id: string) => prisma.camera.findFirstOrThrow({ where: { id } });

it("createCamera creates a camera that is visible immediately, and requests its stream", async () => {
  clock = at(1);
  const input = { streamProtocol: "RTSP", facilityNodeId: unknownId };
  const { created } = await run<{ created: Probe & { camera: { id: string } } }>(
    gateway,
    admin,
    create(here, input),
  );
  const { camera, streamRequest, requestId } = created;
  const shown = {
    id: camera.id,
    name: "Gate",
    url,
    streamType: "DIRECT",
    ...input,
    facility: { id: here },
    status: "IDLE",
  };
  expect(camera).toEqual({ ...shown, statusDetail: "OPERATIONAL" });
  expect(requestId).toMatch(uuidV4);
  expect(streamRequest).toMatchObject({
    cameraId: camera.id,
    streamType: "DIRECT",
    streamProtocol: "RTSP",
    createdAt: at(1).toISOString(),
    expiresAt: at(lifetime + 1).toISOString(),
    supersededAt: null,
  });
  expect(await requestsOf(camera.id)).toEqual([streamRequest]);
});

describe("the requestId", () => {
  it("differs from the stream request's id, and no stream request of a camera shows it", async () => {
    const { camera, requestId, streamRequest } = await newCamera();
    const { probe: second } = await run<{ probe: Probe }>(gateway, admin, probe(camera.id));
    expect(new Set([requestId, second.requestId, streamRequest.id, second.streamRequest.id]).size).toBe(4);
    const shown = JSON.stringify([
      await requestsOf(camera.id),
      await gateway.data("{ auditLog { nodes { targetId changes } } }", admin),
    ]);
    for (const secret of [requestId, second.requestId]) expect(shown).not.toContain(secret);
  });

  it("is a field of only the createCamera and requestStreamProbe payloads", () => {
    const fields = Object.values(schema.getTypeMap())
      .filter(isObjectType)
      .flatMap((type) => Object.keys(type.getFields()).map((field) => `${type.name}.${field}`));
    const payloadOf = (mutation: string) =>
      String(getNamedType(schema.getMutationType()?.getFields()[mutation]?.type));
    const expected = ["createCamera", "requestStreamProbe"].map(
      (mutation) => `${payloadOf(mutation)}.requestId`,
    );
    expect(fields.filter((field) => /request_?id$/i.test(field)).toSorted()).toEqual(expected.toSorted());
  });
});

describe("requestStreamProbe", () => {
  it("requests the stream again and supersedes the previous request alone", async () => {
    clock = at(10);
    const { camera, streamRequest: first, requestId } = await newCamera();
    const { camera: other } = await newCamera();
    clock = at(20);
    const result = await run<{ probe: Probe }>(gateway, admin, probe(camera.id));
    expect(result.probe.requestId).toMatch(uuidV4);
    expect(result.probe.requestId).not.toBe(requestId);
    expect(result.probe.streamRequest).toMatchObject({
      createdAt: at(20).toISOString(),
      expiresAt: at(lifetime + 20).toISOString(),
      supersededAt: null,
    });
    const superseded = { ...first, supersededAt: at(20).toISOString() };
    expect(await requestsOf(camera.id)).toEqual([result.probe.streamRequest, superseded]);
    clock = at(30);
    const { probe: last } = await run<{ probe: Probe }>(gateway, admin, probe(camera.id));
    expect(await requestsOf(camera.id)).toEqual([
      last.streamRequest,
      { ...result.probe.streamRequest, supersededAt: at(30).toISOString() },
      superseded,
    ]);
    expect(await requestsOf(other.id)).toMatchObject([{ supersededAt: null }]);
  });

  it("returns CONFLICT for a camera without a URL", async () => {
    const id = await insertCamera(prisma, { workspaceId, facilityId: here, streamType: "CLIENT" });
    expect(await refusal(gateway, admin, probe(id))).toMatchObject({ code: "CONFLICT" });
    expect(await requestsOf(id)).toEqual([]);
  });
});

describe("updateCamera", () => {
  it("requests the stream again when the URL changes", async () => {
    clock = at(60);
    const { camera, streamRequest } = await newCamera();
    clock = at(70);
    const changed = { url: "rtmp://10.0.0.2/live", streamType: "PROXY", streamProtocol: "RTMP" };
    expect(await run(gateway, admin, update(camera.id, changed))).toMatchObject({
      camera: { ...changed, updatedAt: at(70).toISOString() },
    });
    const [second, first] = await requestsOf(camera.id);
    expect(second).toMatchObject({
      streamType: "PROXY",
      streamProtocol: "RTMP",
      expiresAt: at(lifetime + 70).toISOString(),
      supersededAt: null,
    });
    expect(first).toEqual({ ...streamRequest, supersededAt: at(70).toISOString() });
    expect(await prisma.streamRequest.findFirst({ where: { id: second?.id as string } })).toMatchObject({
      url: changed.url,
    });
  });

  it.each<[string, object]>([
    ["the URL is the same", { url }],
    ["its password is written as ***", { url: "rtsp://admin:***@10.0.0.1:554/stream" }],
    ["it is sent as it is shown to others", { url: "rtsp://***@10.0.0.1:554/stream" }],
    ["other fields change", { name: "Other", emailAddresses: ["guard@test.example"], streamType: "VPN" }],
    ["the input is empty", {}],
  ])("does not request the stream when %s", async (_case, input) => {
    const { camera, streamRequest } = await newCamera();
    await run(gateway, admin, update(camera.id, input));
    expect(await requestsOf(camera.id)).toEqual([streamRequest]);
    expect(await stored(camera.id)).toMatchObject({ url });
  });

  it("keeps a password that is written as *** in a new URL", async () => {
    const { camera } = await newCamera();
    await run(gateway, admin, update(camera.id, { url: "rtsp://root:***@10.0.0.9/" }));
    expect(await stored(camera.id)).toMatchObject({ url: "rtsp://root:secret@10.0.0.9/" });
  });

  it.each([
    "rtsp://10.0.0.9/?pwd=***",
    "rtsp://10.0.0.9/user=admin_password=***_channel=1",
    "rtsp://10.0.0.9/stream?key=%2A%2A%2A",
    "rtsp://10.0.0.9/admin:***/live",
    "rtsp://10.0.0.9/?user=admin,***",
  ])("rejects %s, as no secret is there that could be kept", async (changed) => {
    const { camera } = await newCamera();
    for (const call of [update(camera.id, { url: changed }), create(here, { url: changed })]) {
      const { code, paths, message } = await refusal(gateway, admin, call);
      expect({ code, paths, message }).toEqual({
        code: "BAD_REQUEST",
        paths: ["input.url"],
        message:
          "input.url: has *** in a place where the stored URL has no secret: in a password, write **%2A",
      });
    }
    expect(await stored(camera.id)).toMatchObject({ url });
  });

  it("requests the stream again when only the password changes", async () => {
    const { camera } = await newCamera();
    await run(gateway, admin, update(camera.id, { url: url.replace("secret", "other") }));
    expect(await requestsOf(camera.id)).toHaveLength(2);
  });

  it("changes only the given fields", async () => {
    const { camera } = await newCamera();
    const before = await stored(camera.id);
    clock = at(80);
    const input = {
      name: "New",
      emailAddresses: ["a@test.example"],
      imageDimensions: { width: 640, height: 480 },
      facilityNodeId: unknownId,
    };
    await run(gateway, admin, update(camera.id, input));
    expect(await stored(camera.id)).toEqual({ ...before, ...input, foldedName: "new", updatedAt: at(80) });
    await run(gateway, admin, update(camera.id, { facilityNodeId: null }));
    expect(await stored(camera.id)).toMatchObject({ name: "New", facilityNodeId: null });
  });
});
