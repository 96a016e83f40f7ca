// Runs once: no database can influence what is tested here.
// Takes long: it reads streams of cameras with ffmpeg.
import { randomUUID } from "node:crypto";
import sharp from "sharp";
import { feedSettings } from "../feed/switched-camera.js";
import { missingCameraPackages } from "../support/cameras/camera-programs.js";
import { RtspServer } from "../support/cameras/rtsp-server.js";
import { eventually } from "../support/eventually.js";
import { type Gateway, run, startGateway } from "../support/harness.js";
import { pictureAs } from "../uploads/sample-pictures.js";
import { Detector, type Frame, person } from "./detector.js";

let gateway: Gateway;
let server: RtspServer;
let detector: Detector;

describe.skipIf(missingCameraPackages.length > 0)(
  "an alert whose frame has no upload",
  { timeout: 60_000 },
  () => {
    beforeAll(async () => {
      gateway = await startGateway({
        environment: feedSettings,
        live: { lingerMs: 0 },
      });
      server = await RtspServer.start();
    }, 120_000);
    afterAll(async () => {
      await gateway?.close();
      await server?.stop();
    });
    beforeEach(async () => {
      detector = await Detector.open(gateway);
      await detector.newRule();
      const { workspaceId, cameraId } = detector;
      await gateway.prisma.camera.updateMany({
        where: { id: cameraId },
        data: { url: server.url("h264"), streamType: "DIRECT" },
      });
      const feed = { workspaceId, cameraId, streamRequestId: randomUUID() };
      await gateway.prisma.cameraFeed.create({ data: feed });
    });

    it("shows a frame of the camera's live view, as do all alerts of that moment", async () => {
      await detector.newRule();
      const leave = await view();
      await detector.send([frameOf(1000), frameOf(0)]);
      const alerts = await shownAlerts();
      expect(alerts).toHaveLength(4);
      for (const { imageDimensions, canvasDimensions } of alerts) {
        expect(imageDimensions).toEqual({ width: 320, height: 180 });
        expect(canvasDimensions).toEqual({ width: 640, height: 480 });
      }
      const { pathname, search } = new URL(alerts[0]?.url as string);
      const picture = Buffer.from(await (await gateway.fetch(pathname + search)).arrayBuffer());
      const { format, width, height } = await sharp(picture).metadata();
      expect({ format, width, height }).toEqual({ format: "jpeg", width: 320, height: 180 });
      const stored = await detector.alerts();
      expect(new Set(stored.map(({ url }) => url)).size).toBe(1);
      await leave();
    });

    it("of a detector that records alerts itself shows it as well, and stays recorded when it is repeated", async () => {
      const leave = await view();
      const { cameraId } = detector;
      const given = { id: randomUUID(), cameraId, name: "PPE", createdAt: new Date().toISOString() };
      const record = () =>
        run<{ recordAlerts: { recorded: number } }>(gateway, detector.admin, [
          "mutation ($input: [RecordAlertInput!]!) { recordAlerts(input: $input) { recorded } }",
          { input: [given] },
        ]);
      expect(await record()).toEqual({ recordAlerts: { recorded: 1 } });
      expect(await record()).toEqual({ recordAlerts: { recorded: 0 } });
      await leave();
      expect(await record()).toEqual({ recordAlerts: { recorded: 0 } });
      const [alert] = await shownAlerts();
      expect(alert?.imageDimensions).toEqual({ width: 320, height: 180 });
      expect(Date.parse(alert?.pictureAt ?? "")).toBeLessThanOrEqual(Date.now());
    });

    it("has no picture if it was taken more than 5 seconds before the live frame", async () => {
      const leave = await view();
      await detector.send([frameOf(60_000)]);
      expect(await shownAlerts()).toMatchObject([{ url: null, imageDimensions: null }]);
      await leave();
    });

    it("has no picture if nobody views the camera any more, nor one of another camera", async () => {
      const leave = await view();
      const cameraId = await detector.newCamera();
      await detector.newRule({ cameraId });
      await detector.send([frameOf(0, { cameraId })]);
      await leave();
      await detector.send([frameOf(0)]);
      expect((await shownAlerts()).map(({ url }) => url)).toEqual([null, null]);
    });

    it("shows the upload, where its frame has one", async () => {
      const leave = await view();
      await detector.send([frameOf(0, { uploadId: await detector.upload(await pictureAs("jpeg", 64, 48)) })]);
      expect(await shownAlerts()).toMatchObject([{ imageDimensions: { width: 64, height: 48 } }]);
      await leave();
    });
  },
);

/** A frame that was taken some milliseconds ago. */
const frameOf = (ago: number, values: Partial<Frame> = {}): Frame =>
  detector.frame(0, [person()], { at: new Date(Date.now() - ago).toISOString(), ...values });

/** Views the camera live, from its first frame on. Returns how to leave. */
async function view(): Promise<() => Promise<void>> {
  const { camera } = await run<{ camera: { liveUrl: string } }>(gateway, detector.admin, [
    "query ($id: UUID!) { camera(id: $id) { liveUrl } }",
    { id: detector.cameraId },
  ]);
  const { pathname, search } = new URL(camera.liveUrl);
  // On a busy machine, ffmpeg may show nothing in time.
  const response = await eventually(
    () => gateway.fetch(pathname + search),
    ({ status }) => status === 200,
  );
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  return async () => {
    await reader.cancel();
    await eventually(
      async () => (await gateway.fetch("/metrics")).text(),
      (metrics) => metrics.includes("\ngateway_live_readers 0\n"),
    );
  };
}

interface ShownAlert {
  url: string | null;
  pictureAt: string | null;
  imageDimensions: object | null;
  canvasDimensions: object;
}

async function shownAlerts(): Promise<ShownAlert[]> {
  const { workspace } = await run<{ workspace: { alerts: { nodes: ShownAlert[] } } }>(
    gateway,
    detector.admin,
    [
      "{ workspace { alerts(first: 10) { nodes { url pictureAt imageDimensions { width height } canvasDimensions { width height } } } } }",
      {},
    ],
  );
  return workspace.alerts.nodes;
}
