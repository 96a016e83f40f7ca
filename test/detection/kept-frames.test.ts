// Runs once: both kinds of databases run the same statements.

import { randomUUID } from "node:crypto";
import { permissions } from "../../src/engine/access/permissions.js";
import { createApiKey, endKeeping, type TestUser } from "../support/factories.js";
import { type Call, gatewayForTest, ownGateway, run } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { Detector, type Frame, person } from "./detector.js";

const minute = 60_000;
const hour = 60 * minute;
const start = Date.now();
let clock = start;
let detector: Detector;
const gateway = await ownGateway({
  now: () => new Date(clock),
  environment: { KEEP_DETECTIONS: "on" },
});
beforeEach(async () => {
  clock = start;
  detector = await Detector.open(gateway);
});

interface KeptFrames {
  totalCount: number;
  nodes: { at: string; objects: object[] }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** A page of the kept frames of a camera. */
async function kept(
  values: { cameraId?: string; first?: number; after?: string | null } = {},
  as: TestUser = detector.admin,
): Promise<KeptFrames | null> {
  const query = `query ($cameraId: UUID!, $first: Int, $after: String) { camera(id: $cameraId) { detections(first: $first, after: $after) {
    totalCount pageInfo { hasNextPage endCursor }
    nodes { at width height objects { label confidence box { x y width height } trackId attributes } }
  } } }`;
  const { camera } = await run<{ camera: { detections: KeptFrames | null } }>(detector.gateway, as, [
    query,
    { cameraId: detector.cameraId, first: 10, ...values },
  ]);
  return camera.detections;
}

/** An API key, which does not expire while the clock advances. */
async function newKey(): Promise<TestUser> {
  const { workspaceId } = detector;
  const as = await createApiKey(gateway.prisma, { workspaceId, permissions: [...permissions] });
  return { id: "", authId: "", as };
}

const deleteCamera = (id: string): Call => ["mutation ($id: UUID!) { deleteCamera(id: $id) { id } }", { id }];
const timesOf = (frames: KeptFrames | null) => frames?.nodes.map(({ at }) => at);
const framesOf = (from: number, to: number, values: Partial<Frame> = {}): Frame[] =>
  listOf(to - from, (index) => detector.frame(from + index, [], values));

describe("the frames of a camera", () => {
  it("are kept as the detector sent them, newest first, also without rules", async () => {
    const tracked = person(100, 200, { trackId: "7", attributes: { helmet: false, speed: 1.5 } });
    const { confidence: _confidence, ...unsure } = person(300, 400);
    await detector.send([detector.frame(0, [tracked, unsure]), detector.frame(1, [])]);
    expect(await kept()).toMatchObject({
      totalCount: 2,
      nodes: [
        { at: detector.frame(1).at, width: 640, height: 480, objects: [] },
        {
          at: detector.frame(0).at,
          objects: [tracked, { ...unsure, confidence: 1, trackId: null, attributes: null }],
        },
      ],
    });
  });

  it("are read page by page", async () => {
    await detector.send(framesOf(0, 5));
    const first = await kept({ first: 3 });
    expect(timesOf(first)).toEqual([4, 3, 2].map((second) => detector.frame(second).at));
    const second = await kept({ first: 3, after: first?.pageInfo.endCursor as string });
    expect(timesOf(second)).toEqual([1, 0].map((second) => detector.frame(second).at));
    expect(second?.pageInfo.hasNextPage).toBe(false);
  });

  it("are the newest 1000, those of other cameras aside", async () => {
    const cameraId = await detector.newCamera();
    await detector.send(framesOf(0, 990));
    await detector.send([...framesOf(990, 1005), ...framesOf(0, 3, { cameraId })]);
    expect(await kept({ first: 1 })).toMatchObject({
      totalCount: 1000,
      nodes: [{ at: detector.frame(1004).at }],
    });
    expect(await kept({ cameraId })).toMatchObject({ totalCount: 3 });
    const { workspaceId } = detector;
    expect(await gateway.prisma.keptFrame.count({ where: { workspaceId } })).toBe(1003);
  });

  it("are those that counted: neither dropped ones nor those of a refused request", async () => {
    await detector.send([detector.frame(1)]);
    await detector.send([detector.frame(0), detector.frame(1), detector.frame(2)]);
    await detector.refused([detector.frame(3), detector.frame(4, [], { cameraId: randomUUID() })]);
    expect(timesOf(await kept())).toEqual([2, 1].map((second) => detector.frame(second).at));
  });

  it("are shown for 24 hours, and then purged", async () => {
    await detector.send(framesOf(0, 2));
    const { workspaceId, cameraId } = detector;
    const left = () => gateway.prisma.keptFrame.count({ where: { workspaceId, cameraId } });
    clock = detector.start + 24 * hour - 1;
    const key = await newKey();
    expect(await kept({}, key)).toMatchObject({ totalCount: 2 });
    clock = detector.start + 24 * hour;
    expect(await kept({}, key)).toMatchObject({ totalCount: 1 });
    // Workers look what is due after a deletion.
    clock += hour;
    const other = await detector.newCamera();
    await run(gateway, key, deleteCamera(other));
    await gateway.app.idle();
    expect(await left()).toBe(0);
  });

  it("are gone with the camera", async () => {
    await detector.send([detector.frame(0)]);
    const { workspaceId, cameraId } = detector;
    await endKeeping(gateway.prisma, cameraId);
    await run(gateway, detector.admin, deleteCamera(cameraId));
    await gateway.app.idle();
    expect(await gateway.prisma.keptFrame.count({ where: { workspaceId } })).toBe(0);
  });
});

it("nothing is kept without KEEP_DETECTIONS, and what was kept before is purged", async () => {
  let time = start;
  const off = await gatewayForTest({ now: () => new Date(time) });
  detector = await Detector.open(off);
  const { workspaceId, cameraId } = detector;
  await off.prisma.keptFrame.create({
    data: {
      workspaceId,
      cameraId,
      number: 1,
      id: cameraId,
      createdAt: new Date(),
      width: 1,
      height: 1,
      objects: [],
    },
  });
  await detector.send([detector.frame(0)]);
  expect(await kept()).toBeNull();
  expect(await off.prisma.keptFrame.count()).toBe(1);
  time += minute;
  const id = await detector.newCamera();
  await run(off, detector.admin, deleteCamera(id));
  await off.app.idle();
  expect(await off.prisma.keptFrame.count()).toBe(0);
});
