// Runs once: both kinds of databases run the same statements.

import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import path from "node:path";
import sharp from "sharp";
import { permissions } from "../../src/engine/access/permissions.js";
import { convertPicture } from "../../src/engine/storage/picture.js";
import { purgeLongHistories } from "../../src/features/retention/long-histories.js";
import {
  createApiKey,
  createCamera,
  createFacility,
  createPlace,
  createWorkspace,
} from "../support/factories.js";
import { formOf } from "../support/forms.js";
import { gatewayForTest, sharedGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { plainPng } from "../support/png.js";
import { directoryForTest } from "../support/temporary-directory.js";

it("a workspace gets as many cameras as it may have, however they are created at once", async () => {
  const gateway = await gatewayForTest({ environment: { MAX_CAMERAS: "3" } });
  const { prisma } = gateway;
  const workspaceId = await createWorkspace(prisma);
  const facilities = await Promise.all([1, 2].map(() => createFacility(prisma, { workspaceId })));
  // What a viewer may do.
  const as = await createApiKey(prisma, { workspaceId, permissions: ["facilities:read"] });
  const create = (facilityId: string) => [
    gateway.fetch(`/facilities/${facilityId}/cameras`, {
      method: "POST",
      as,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "Gate", url: "rtsp://camera.example/", streamType: "proxy" }),
    }),
    gateway.fetch(`/facilities/${facilityId}/client_cameras`, {
      method: "POST",
      as,
      body: formOf({ cameraImage: plainPng(), cameraName: "Yard", metadata: {} }),
    }),
  ];
  const answers = await Promise.all([...facilities, ...facilities].flatMap(create));
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.map(({ status }) => status)).toEqual(Array(5).fill(409));
  expect(await refused[0]?.text()).toContain("as many as it may have");
  expect(await prisma.camera.count({ where: { workspaceId } })).toBe(3);
});

it("a camera's stream is requested ten times a minute at most", async () => {
  const gateway = await sharedGateway();
  const { prisma } = gateway;
  const workspaceId = await createWorkspace(prisma);
  const facilityId = await createFacility(prisma, { workspaceId });
  const id = await createCamera(prisma, { workspaceId, facilityId, url: "rtsp://camera.example/" });
  const as = await createApiKey(prisma, { workspaceId, permissions: [...permissions] });
  const probe = () =>
    gateway.graphql("mutation ($id: UUID!) { requestStreamProbe(cameraId: $id) { requestId } }", {
      as,
      variables: { id },
    });
  for (let number = 1; number <= 10; number += 1) expect((await probe()).errors).toBeUndefined();
  expect((await probe()).errors?.[0]?.extensions?.code).toBe("RATE_LIMITED");
  expect(await prisma.streamRequest.count({ where: { workspaceId } })).toBe(10);
});

it("of a camera's past stream requests and changes of its status, the newest are kept", async () => {
  const { app, prisma } = await sharedGateway();
  const { workspaceId, cameraId } = await createPlace(prisma);
  const times = listOf(105, (index) => new Date(Date.UTC(2026, 1, 1, 0, 0, index)));
  for (const createdAt of times) {
    const { requestId } = await prisma.streamRequest.create({
      data: {
        ...{ workspaceId, cameraId, url: "rtsp://camera.example/", createdAt, expiresAt: createdAt },
        supersededAt: createdAt,
      },
    });
    await prisma.streamRequestLookup.create({ data: { requestId, workspaceId } });
  }
  await prisma.statusChange.createMany({
    data: listOf(10_003, (index) => ({
      ...{ workspaceId, cameraId, statusDetail: "OPERATIONAL", source: "FEED" },
      createdAt: new Date(Date.UTC(2026, 1, 1) + index),
    })),
  });
  expect(await purgeLongHistories(app.database, workspaceId)).toBe(false);
  const where = { workspaceId };
  expect(await prisma.streamRequest.count({ where })).toBe(100);
  expect(await prisma.streamRequestLookup.count({ where })).toBe(100);
  expect(await prisma.streamRequest.count({ where: { workspaceId, createdAt: times[4] as Date } })).toBe(0);
  expect(await prisma.statusChange.count({ where })).toBe(10_000);
});

it("a picture that the gateway takes is kept as it is, unless it is large", async () => {
  const directory = await directoryForTest();
  const taken = async (width: number, height: number, quality: number) => {
    const source = path.join(directory, "source");
    const target = path.join(directory, "target");
    const noise = sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } });
    const before = await noise.jpeg({ quality }).toFile(source);
    const converted = await convertPicture(source, "taken", target);
    const after = await sharp(target).metadata();
    const { size } = await stat(target);
    return { converted, after, isSmaller: size < before.size };
  };
  expect((await taken(320, 180, 90)).converted).toEqual({ extension: "jpg", width: 320, height: 180 });
  expect((await taken(3840, 2160, 50)).after).toMatchObject({ format: "jpeg", width: 1920, height: 1080 });
  expect((await taken(1080, 2400, 50)).after).toMatchObject({ width: 864, height: 1920 });
  expect(await taken(1280, 720, 100)).toMatchObject({ isSmaller: true, after: { width: 1280, height: 720 } });
});
