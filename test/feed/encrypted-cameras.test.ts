// Runs once: no database can influence what is tested here.
// Takes long: it reads streams of cameras with ffmpeg.
import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import path from "node:path";
import { createServer } from "node:tls";
import { missingCameraPackages } from "../support/cameras/camera-programs.js";
import { cameraAccount, RtspServer } from "../support/cameras/rtsp-server.js";
import { listenForTest } from "../support/listening.js";
import { directoryForTest } from "../support/temporary-directory.js";
import { FeedSite } from "./feed-site.js";
import { hasOpenssl, selfSigned } from "./self-signed.js";
import { feedSettings } from "./switched-camera.js";

describe.skipIf(missingCameraPackages.length > 0 || !hasOpenssl)(
  "cameras by rtsps",
  { timeout: 60_000 },
  () => {
    let rtsp: RtspServer;

    beforeAll(async () => {
      rtsp = await RtspServer.start();
    });
    afterAll(() => rtsp?.stop());

    /** The URL of a camera that encrypts, as UniFi's do, until the running test ends. */
    async function cameraWith(certificate: ReturnType<typeof selfSigned>): Promise<string> {
      const server = createServer({ ...certificate, ciphers: "DEFAULT:@SECLEVEL=0" }, (client) => {
        const camera = connect(rtsp.port("digest"), "127.0.0.1");
        client.on("error", () => camera.destroy()).pipe(camera);
        camera.on("error", () => client.destroy()).pipe(client);
      });
      return `rtsps://${cameraAccount}@127.0.0.1:${await listenForTest(server)}/h264`;
    }

    it("a camera that signed its certificate itself has metadata, a picture and a live view", async () => {
      const site = await FeedSite.forTest();
      const id = await site.added(await cameraWith(selfSigned()));
      const { feedError, pictureAt, imageDimensions } = await site.camera(id);
      expect({ feedError, imageDimensions }).toEqual({
        feedError: null,
        imageDimensions: { width: 320, height: 180 },
      });
      expect(pictureAt).not.toBeNull();
      const { status, body } = await site.openLive(id);
      expect(status).toBe(200);
      const reader = body?.getReader();
      expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
      await reader?.cancel();
    });

    it("with CAMERA_TLS_VERIFY=on, only a trusted certificate for the camera's address is accepted", async () => {
      const trusted = selfSigned("127.0.0.1", "rsa:2048", [
        "-sha256",
        "-addext",
        "subjectAltName=IP:127.0.0.1",
      ]);
      const elsewhere = selfSigned("127.0.0.1", "rsa:2048", [
        "-sha256",
        "-addext",
        "subjectAltName=IP:127.0.0.2",
      ]);
      const file = path.join(await directoryForTest(), "authorities.pem");
      await writeFile(file, Buffer.concat([trusted.cert, elsewhere.cert]));
      vi.stubEnv("NODE_EXTRA_CA_CERTS", file);
      onTestFinished(() => void vi.unstubAllEnvs());
      const site = await FeedSite.forTest({ environment: { ...feedSettings, CAMERA_TLS_VERIFY: "on" } });
      const errorOf = async (certificate: ReturnType<typeof selfSigned>) =>
        (await site.camera(await site.added(await cameraWith(certificate)))).feedError?.code;
      expect(await errorOf(trusted)).toBeUndefined();
      expect(await errorOf(elsewhere)).toBe("UNSUPPORTED");
      expect(await errorOf(selfSigned("127.0.0.1", "rsa:2048"))).toBe("UNSUPPORTED");
    });
  },
);
