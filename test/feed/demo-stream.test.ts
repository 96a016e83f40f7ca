// Runs on the embedded database: the demo with a stream is for it alone.
// Takes long: it reads streams of cameras with ffmpeg.
import { ffmpegPath, missingCameraPackages } from "../support/cameras/camera-programs.js";
import { eventually } from "../support/eventually.js";
import { type Gateway, gatewayForTest } from "../support/harness.js";

const isMissing = missingCameraPackages.includes("ffmpeg");
const live = { DEMO_LIVE: "on", CAMERA_FEED: "builtin", FFMPEG_PATH: ffmpegPath };
const as = { user: "demo|admin" };

interface Camera {
  id: string;
  url: string;
  imageLink: string;
  imageDimensions: { width: number; height: number } | null;
  liveUrl: string | null;
  feedError: { code: string } | null;
  emailAddresses: string[];
}

/** The camera with a stream of its own. */
async function streamingCamera(gateway: Gateway): Promise<Camera | undefined> {
  const { cameras } = await gateway.data<{ cameras: Camera[] }>(
    "{ cameras { id url imageLink imageDimensions { width height } liveUrl feedError { code } emailAddresses } }",
    { as },
  );
  const [found, ...others] = cameras.filter(({ liveUrl }) => liveUrl !== null);
  expect(others).toEqual([]);
  return found;
}

describe.skipIf(isMissing)("the demo with ffmpeg", { timeout: 120_000 }, () => {
  it("has one camera with a real stream, which is opened like any other and shown live", async () => {
    const gateway = await gatewayForTest({ seed: "demo", environment: live });
    const camera = (await eventually(
      () => streamingCamera(gateway),
      // No longer the picture that was drawn for the demo.
      (found) =>
        found !== undefined && (!found.imageLink.includes("/demo/camera-") || found.feedError !== null),
    )) as Camera;
    expect(camera).toMatchObject({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/main-gate\.m3u8$/),
      imageDimensions: { width: 1280, height: 720 },
      feedError: null,
      emailAddresses: [],
    });
    const { pathname, search } = new URL(camera.liveUrl as string);
    const response = await gateway.fetch(pathname + search);
    expect(response.status).toBe(200);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    expect((await reader.read()).done).toBe(false);
    await reader.cancel();
    const { url } = camera;
    await gateway.app.close();
    await expect(fetch(url)).rejects.toThrow();
  });
});
