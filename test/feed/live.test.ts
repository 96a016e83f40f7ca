// Runs once: no database can influence what is tested here.
// Takes long: it reads streams of cameras with ffmpeg.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { pipeline } from "node:stream/promises";
import sharp from "sharp";
import { missingCameraPackages } from "../support/cameras/camera-programs.js";
import { RtspServer } from "../support/cameras/rtsp-server.js";
import { makeTransportStream } from "../support/cameras/transport-stream.js";
import { eventually } from "../support/eventually.js";
import {
  createAdmin,
  createApiKey,
  createCamera,
  createFacility,
  createTestUser,
  createWorkspace,
  grantAccess,
  type TestUser,
} from "../support/factories.js";
import { type Gateway, gatewayForTest, run, type Sender, startGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { listenForTest } from "../support/listening.js";
import { unusedPort } from "../support/unused-port.js";
import { feedSettings } from "./switched-camera.js";

const minute = 60_000;

let offset = 0;
const now = () => new Date(Date.now() + offset);
let gateway: Gateway;
let server: RtspServer;
let workspaceId: string;
let facilityId: string;
let admin: TestUser;

describe.skipIf(missingCameraPackages.length > 0)("the live view of a camera", { timeout: 60_000 }, () => {
  beforeAll(async () => {
    gateway = await startGateway({
      now,
      environment: feedSettings,
      live: { lingerMs: 50, checkIntervalMs: 2_000 },
    });
    server = await RtspServer.start();
    ({ workspaceId, facilityId, admin } = await newSite(gateway));
  }, 120_000);
  afterAll(async () => {
    await gateway?.close();
    await server?.stop();
  });

  it("shows JPEG frames to 20 viewers by one connection to the camera, which ends after the last", async () => {
    const cameraId = await fedCamera(gateway, { url: server.url("h264", "digest") });
    const views = await Promise.all(listOf(20, () => openLive(cameraId)));
    for (const { status, headers } of views) {
      expect(status).toBe(200);
      expect(Object.fromEntries(headers)).toMatchObject({
        "content-type": "multipart/x-mixed-replace; boundary=frame",
        "cache-control": "private, no-store",
        "content-security-policy": "default-src 'none'; sandbox",
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "cross-origin",
      });
    }
    const frames = await Promise.all(views.map((view) => view.frame()));
    const { format, width, height } = await sharp(frames[0]).metadata();
    expect({ format, width, height }).toEqual({ format: "jpeg", width: 320, height: 180 });
    await Promise.all(views.map((view) => view.frame()));
    expect(server.openings("h264")).toBe(1);
    expect(await metric("gateway_live_viewers")).toBe(20);
    for (const view of views) await view.leave();
    await eventually(
      () => metric("gateway_live_readers"),
      (readers) => readers === 0,
    );
    // The camera is opened anew for who comes later.
    const late = await openLive(cameraId);
    await late.frame();
    await late.leave();
    expect(server.openings("h264")).toBe(2);
  });

  it.each<[what: string, end: (viewer: TestUser, cameraId: string) => Promise<unknown>, status?: number]>([
    [
      "the viewer's access to the facility is taken away",
      ({ id: userId }) =>
        run(gateway, admin, [
          `mutation ($facilityId: UUID!, $userId: UUID!) {
            removeFacilityAccess(facilityId: $facilityId, actions: ["cameras:read"], userId: $userId) { actions }
          }`,
          { facilityId, userId },
        ]),
    ],
    [
      "the viewer is removed",
      ({ id }) => run(gateway, admin, ["mutation ($id: UUID!) { removeUser(userId: $id) { id } }", { id }]),
    ],
    [
      "the camera is deleted",
      (_viewer, id) =>
        run(gateway, admin, ["mutation ($id: UUID!) { deleteCamera(id: $id) { id } }", { id }]),
    ],
    [
      "the camera gets another URL",
      (_viewer, id) => gateway.prisma.camera.updateMany({ where: { id }, data: { url: server.url("h265") } }),
      // The link is to the camera, whatever its stream is.
      200,
    ],
    [
      "the camera is left to a feed server",
      (_viewer, cameraId) => gateway.prisma.cameraFeed.deleteMany({ where: { cameraId } }),
    ],
  ])("ends once %s", async (_what, end, status = 404) => {
    const cameraId = await fedCamera(gateway, { url: server.url("h264") });
    const viewer = await createTestUser(gateway.prisma, { workspaceId, roles: [] });
    await grantAccess(gateway.prisma, {
      workspaceId,
      facilityId,
      userId: viewer.id,
      actions: ["cameras:read"],
    });
    const view = await openLive(cameraId, viewer.as);
    const other = await openLive(cameraId);
    await view.frame();
    const { pathname, search } = await linkTo(cameraId, viewer.as);
    await end(viewer, cameraId);
    await view.end;
    expect((await gateway.fetch(pathname + search, { method: "HEAD" })).status).toBe(status);
    await other.leave();
  });

  it("ends with the credentials of who asked for it", async () => {
    const cameraId = await fedCamera(gateway, { url: server.url("h264") });
    const key = await createApiKey(gateway.prisma, { workspaceId, permissions: ["cameras:read"] });
    const view = await openLive(cameraId, key);
    await view.frame();
    await gateway.prisma.apiKey.updateMany({ where: { workspaceId }, data: { revokedAt: now() } });
    await view.end;
  });

  it("opens for five minutes to the second, by an untouched link to this camera alone", async () => {
    const cameraId = await fedCamera(gateway, { url: server.url("h264") });
    const otherId = await fedCamera(gateway, { url: server.url("h264") });
    const before = Date.now();
    const { pathname, search } = await linkTo(cameraId);
    const after = Date.now();
    const statusAt = async (moment: number, path = pathname + search) => {
      offset = moment - Date.now();
      try {
        return (await gateway.fetch(path, { method: "HEAD" })).status;
      } finally {
        offset = 0;
      }
    };
    expect(await statusAt(before + 5 * minute - 2_000)).toBe(200);
    expect(await statusAt(after + 5 * minute)).toBe(404);
    expect(await statusAt(after, pathname.replace(cameraId, otherId) + search)).toBe(404);
    expect(await statusAt(after, `${pathname}${search.slice(0, -4)}AAAA`)).toBe(404);
    expect(await statusAt(after, pathname)).toBe(404);
  });

  it("does not outlive the token with which its link was made", async () => {
    const cameraId = await fedCamera(gateway, { url: server.url("h264") });
    const { pathname, search } = await linkTo(cameraId);
    const view = await openLive(cameraId);
    await view.frame();
    // Test tokens are good for an hour, links for five minutes.
    offset = 61 * minute;
    try {
      await view.end;
      expect((await gateway.fetch(pathname + search)).status).toBe(404);
    } finally {
      offset = 0;
    }
  });

  it("goes on with frames of the new size when the pictures of a stream change in size", async () => {
    const [before, after] = [await makeTransportStream("320x180"), await makeTransportStream("640x360")];
    let openings = 0;
    function* sent() {
      openings += 1;
      if (openings === 1) yield before;
      for (;;) yield after;
    }
    const camera = createServer((_request, response) => void pipeline(sent(), response).catch(() => {}));
    const port = await listenForTest(camera);
    const view = await openLive(await fedCamera(gateway, { url: `http://127.0.0.1:${port}/live.ts` }));
    const width = async () => (await sharp(await view.frame()).metadata()).width;
    expect(await width()).toBe(320);
    await expect.poll(width, { timeout: 20_000 }).toBe(640);
    await view.leave();
  });

  it("is UNAVAILABLE while the camera is lost, and says why where the stream cannot be opened", async () => {
    const lost = await fedCamera(gateway, { url: server.url("h264"), feed: { lostAt: now() } });
    const refused = await fedCamera(gateway, { url: `rtsp://127.0.0.1:${await unusedPort()}/1` });
    for (const [id, message] of [
      [lost, "The camera is lost: its stream cannot be opened"],
      [refused, "Nothing accepts connections at the address and port in the camera's URL."],
    ] as const) {
      const { pathname, search } = await linkTo(id);
      const response = await gateway.fetch(pathname + search);
      expect(response.status).toBe(503);
      expect(response.headers.get("retry-after")).toBe("10");
      expect(await response.json()).toMatchObject({ code: "UNAVAILABLE", message });
    }
  });

  it("has no other method than GET and HEAD", async () => {
    const { pathname, search } = await linkTo(await fedCamera(gateway, { url: server.url("h264") }));
    const response = await gateway.fetch(pathname + search, { method: "POST" });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  it("is null for cameras that the gateway does not open, and where it opens none", async () => {
    const cameraId = await createCamera(gateway.prisma, { workspaceId, facilityId, url: server.url("h264") });
    expect(await liveUrlOf(gateway, cameraId)).toBeNull();
    const without = await gatewayForTest({ environment: { CAMERA_FEED: "off" } });
    const site = await newSite(without);
    const otherId = await fedCamera(without, { url: server.url("h264"), ...site });
    expect(await liveUrlOf(without, otherId, site.admin.as)).toBeNull();
  });

  it("ends at once when the gateway begins to shut down", async () => {
    const own = await gatewayForTest({ environment: feedSettings });
    const site = await newSite(own);
    const cameraId = await fedCamera(own, { url: server.url("h264"), ...site });
    const view = await openLive(cameraId, site.admin.as, own);
    await view.frame();
    let isClosed = false;
    const closed = own.app.close({ shutdownDelay: 3_000 }).then(() => {
      isClosed = true;
    });
    await view.end;
    expect(isClosed).toBe(false);
    await closed;
  });
});

async function newSite({ prisma }: Gateway) {
  const workspaceId = await createWorkspace(prisma);
  const facilityId = await createFacility(prisma, { workspaceId });
  return {
    workspaceId,
    facilityId,
    admin: await createAdmin(prisma, workspaceId),
  };
}

/** A camera whose stream the gateway opens for live views alone. */
async function fedCamera(
  { prisma }: Gateway,
  { url, feed, ...site }: { url: string; feed?: object; workspaceId?: string; facilityId?: string },
): Promise<string> {
  const of = { workspaceId: site.workspaceId ?? workspaceId, facilityId: site.facilityId ?? facilityId };
  const cameraId = await createCamera(prisma, { ...of, url, streamType: "DIRECT" });
  const data = { workspaceId: of.workspaceId, cameraId, streamRequestId: randomUUID(), ...feed };
  await prisma.cameraFeed.create({ data });
  return cameraId;
}

async function liveUrlOf(of: Gateway, id: string, as: Sender = admin.as): Promise<string | null> {
  const query = "query ($id: UUID!) { camera(id: $id) { liveUrl } }";
  const { camera } = await of.data<{ camera: { liveUrl: string | null } }>(query, { as, variables: { id } });
  return camera.liveUrl;
}

const linkTo = async (id: string, as?: Sender, of = gateway): Promise<URL> =>
  new URL((await liveUrlOf(of, id, as)) as string);

/** A live view, with what a viewer sees of it. */
class OpenedView {
  readonly status: number;
  readonly headers: Headers;
  /** Resolves when the gateway ends the view. */
  readonly end: Promise<void>;
  readonly #left = new AbortController();
  readonly #waiting: ((frame: Buffer) => void)[] = [];
  #unread = Buffer.alloc(0);

  constructor(response: Response) {
    this.status = response.status;
    this.headers = response.headers;
    this.end = this.#read(response.body as ReadableStream<Uint8Array>);
  }

  /** The next frame. */
  frame(): Promise<Buffer> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async leave(): Promise<void> {
    this.#left.abort();
    await this.end;
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = body.getReader();
    this.#left.signal.addEventListener("abort", () => void reader.cancel());
    for (;;) {
      // A view whose end the viewer must not miss is cut off.
      const piece = await reader.read().catch(() => ({ done: true, value: undefined }));
      if (piece.done) return;
      this.#unread = Buffer.concat([this.#unread, piece.value as Uint8Array]);
      for (let frame = this.#take(); frame; frame = this.#take()) this.#waiting.shift()?.(frame);
    }
  }

  #take(): Buffer | undefined {
    const head = /^(?:\r\n)?--frame\r\ncontent-type: image\/jpeg\r\ncontent-length: (\d+)\r\n\r\n/.exec(
      this.#unread.toString("latin1", 0, 200),
    );
    const start = head?.[0].length ?? 0;
    const end = start + Number(head?.[1]);
    // A frame is complete with the boundary behind it.
    if (!head || this.#unread.length < end + "\r\n--frame\r\n".length) return undefined;
    const frame = this.#unread.subarray(start, end);
    this.#unread = this.#unread.subarray(end);
    return frame;
  }
}

async function openLive(id: string, as?: Sender, of = gateway): Promise<OpenedView> {
  const { pathname, search } = await linkTo(id, as, of);
  return new OpenedView(await of.fetch(pathname + search));
}

async function metric(name: string): Promise<number> {
  const text = await (await gateway.fetch("/metrics")).text();
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1]);
}
