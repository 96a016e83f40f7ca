import { randomUUID } from "node:crypto";
import type { BrowserContextOptions, Page } from "playwright-core";
import { ffmpegPath, missingCameraPackages } from "../support/cameras/camera-programs.js";
import { RtspServer } from "../support/cameras/rtsp-server.js";
import {
  browseOwnGateway,
  buttonOf,
  clickButton,
  expectAccessible,
  expectNone,
  expectSoon,
  fillIn,
  goWithin,
  setVisibility,
  waitForStatus,
  waitForText,
} from "./console-page.js";
import { noProblems } from "./monitored-page.js";
import { newSite } from "./own-console.js";

const minute = 60_000;
const missing = missingCameraPackages.join(", ");
if (missing) console.warn(`SKIPPED: no live view is shown: these Debian packages are missing: ${missing}`);

const own = browseOwnGateway({
  environment: {
    CAMERA_FEED: "builtin",
    FFMPEG_PATH: ffmpegPath,
    CAMERA_ALLOWED_NETWORKS: "127.0.0.0/8",
  },
  live: { lingerMs: 0 },
});
let server: RtspServer;

describe.skipIf(missing !== "")("a camera's page with a stream that the gateway opens", () => {
  beforeAll(async () => {
    server = await RtspServer.start();
  });
  afterAll(() => server?.stop());

  test("a pasted URL is taken apart, its password is masked, and the form waits until a picture comes or says why not", async () => {
    const { workspaceId, open } = await newSite(own, { camera: { url: "rtsp://10.20.30.40/live" } });
    const { page } = await open();
    const dialog = page.getByRole("dialog");
    const field = (name: string) => dialog.getByLabel(name, { exact: name !== "URL" });
    const close = () => clickButton(dialog.locator(".form-actions"), "Close");
    await clickButton(page, "Edit: Gate");
    await fillIn(dialog, "URL", "rtsp://guard:p#1@/?%@10.20.30.41:554/live");
    await dialog.getByLabel("URL").blur();
    await expectSoon(() => field("URL").inputValue(), "rtsp://10.20.30.41:554/live");
    expect(await field("User").inputValue()).toBe("guard");
    expect(await field("Password").inputValue()).toBe("p#1@/?%");
    await clickButton(dialog, "Save");
    await waitForText(dialog, "CAMERA_ALLOWED_NETWORKS=10.20.30.0/24");
    await expectAccessible(page);
    await clickButton(dialog, "Change the camera");
    await expectSoon(() => field("Password").inputValue(), "p#1@/?%");
    await clickButton(dialog, "Close");
    await waitForText(page, "rtsp://guard:***@10.20.30.41:554/live");
    await clickButton(page, "Show all of it");
    await waitForText(page, "rtsp://guard:p%231%40%2F%3F%25@10.20.30.41:554/live");
    for (const view of ["", "&view=rules"]) {
      const { id } = await own.prisma.camera.findFirstOrThrow({ where: { workspaceId } });
      await page.goto(`${own.gateway.url}/?camera=${id}${view}`);
      await waitForText(page, "CAMERA_ALLOWED_NETWORKS=10.20.30.0/24");
    }
    await page.goto(`${own.gateway.url}/`);
    await waitForText(page, "CAMERA_ALLOWED_NETWORKS=10.20.30.0/24");

    await page.goto(`${own.gateway.url}/?view=settings`);
    await clickButton(page, "Edit: Gate");
    await fillIn(dialog, "URL", server.url("h264", "digest"));
    await clickButton(dialog, "Save");
    await waitForStatus(dialog, "The first picture has come.");
    await dialog.getByRole("img", { name: "Latest picture of Gate" }).waitFor();
    await close();
    await expectNone(dialog);
  });

  test("shows the camera live while the page is visible, each time by a new link", async () => {
    const { page, problems } = await openCamera({ url: server.url("h264", "digest") });
    const live = buttonOf(page, "Live", { exact: true });
    await live.click();
    const view = page.getByRole("img", { name: "Live view of Yard" });
    await view.waitFor();
    await waitForStatus(page, "Live", { exact: true });
    expect(await live.getAttribute("aria-pressed")).toBe("true");
    expect(await viewers()).toBe(1);
    const { width, height, colours } = await seenIn(page);
    expect({ width, height }).toEqual({ width: 320, height: 180 });
    expect(colours).toBeGreaterThan(10);
    await setVisibility(page, "hidden");
    await expectSoon(viewers, 0);
    await setVisibility(page, "visible");
    await expectSoon(viewers, 1);
    await view.waitFor();
    await live.press("Enter");
    await expectSoon(viewers, 0);
    await expectNone(view);
    expect(problems).toEqual(noProblems);
  });

  test("says that the view is not live when no new picture comes, and shows it again when one does", async () => {
    const { page } = await openCamera({ url: server.url("h264") });
    await clickButton(page, "Live", { exact: true });
    const state = page.getByRole("status");
    await waitForText(state, "Live", { exact: true });
    server.pause();
    try {
      await waitForText(state, "Not live: no new picture comes");
      await waitForText(page.locator(".picture-age"), "Picture this minute");
    } finally {
      server.resume();
    }
    await waitForText(state, "Live", { exact: true });
  });

  test("is live beside an alert, whose picture stays in sight", async () => {
    const { page, raise } = await openCamera({ url: server.url("h264") });
    const [id] = await raise({});
    await goWithin(page, `/?view=alerts&alert=${id}`);
    await clickButton(page, "Live now");
    await waitForStatus(page, "Live", { exact: true });
    await page.locator("canvas").waitFor();
    expect(await page.locator(".alert-stage").isVisible()).toBe(true);
    await expectAccessible(page);
  });

  test.each([
    [
      "en-GB",
      "The camera refuses the user name or the password in its URL.",
      "Failing since",
      "Old picture, 2 hr ago",
    ],
    [
      "de-DE",
      "Die Kamera weist den Benutzernamen oder das Passwort in ihrer URL zurück.",
      "Gestört seit",
      "Altes Bild, vor 2 Std.",
    ],
  ])(
    "says in %s why the stream shows nothing, since when, and that the picture is old",
    async (locale, why, since, age) => {
      const { page } = await openCamera(
        {
          url: server.url("h264", "digest", "operator:wrong"),
          imageLink: "https://pictures.example/yard.jpg",
          pictureAt: ago(121 * minute),
          feed: { failures: 3, failingSince: ago(121 * minute), errorCode: "UNAUTHORIZED" },
        },
        { locale },
      );
      const condition = page.locator(".camera-condition");
      await waitForText(condition, why);
      await waitForText(condition, since);
      await waitForText(page.locator(".latest-picture"), age);
    },
  );
});

const ago = (milliseconds: number) => new Date(Date.now() - milliseconds);

/** Opens the page of a camera whose stream the gateway opens for live views alone. */
async function openCamera(
  { feed, ...values }: { url: string; feed?: object } & Record<string, unknown>,
  options?: BrowserContextOptions,
) {
  const { workspaceId, cameraId, raise, open } = await newSite(own, {
    facility: { lastHeartbeatAt: new Date() },
    camera: { name: "Yard", streamProtocol: "RTSP", ...values },
  });
  await own.prisma.cameraFeed.create({
    data: { workspaceId, cameraId, streamRequestId: randomUUID(), ...feed },
  });
  return { raise, ...(await open(`/?camera=${cameraId}`, options)) };
}

async function viewers(): Promise<number> {
  const text = await (await own.gateway.fetch("/metrics")).text();
  return Number(/^gateway_live_viewers (\d+)$/m.exec(text)?.[1]);
}

/** The size of the frame that is shown, and how many colours are in it. */
const seenIn = (page: Page) =>
  page.locator("canvas").evaluate((element) => {
    const canvas = element as HTMLCanvasElement;
    const { width, height } = canvas;
    const { data } = (canvas.getContext("2d") as CanvasRenderingContext2D).getImageData(0, 0, width, height);
    const pixels = new Uint32Array(data.buffer);
    return { width, height, colours: new Set(pixels).size };
  });
