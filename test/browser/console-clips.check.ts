import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { person, personsInLeftHalf, recordDetections } from "../detection/detector.js";
import { FeedSite } from "../feed/feed-site.js";
import { feedSettings } from "../feed/switched-camera.js";
import { ffmpegPath, missingCameraPackages } from "../support/cameras/camera-programs.js";
import { encodedFrames, PacketCamera, sendSteadily } from "../support/cameras/packet-camera.js";
import { eventually } from "../support/eventually.js";
import { createAlertClip } from "../support/factories.js";
import { run } from "../support/harness.js";
import { ownDirectory } from "../support/temporary-directory.js";
import {
  appearances,
  buttonOf,
  clickButton,
  expectAccessible,
  expectCount,
  expectNone,
  expectSoon,
  expectToFit,
  holdRequests,
  pressKeys,
  repeatUntilShown,
  waitForText,
} from "./console-page.js";
import { noProblems, plainHost } from "./monitored-page.js";
import { newUser } from "./own-console.js";
import { picturedConsole } from "./pictured-console.js";

const isMissing = missingCameraPackages.includes("ffmpeg");
if (isMissing) console.warn("SKIPPED: no clip is played: ffmpeg is missing");

const site = picturedConsole(feedSettings);
const moving = { reducedMotion: "no-preference" } as const;
const details = (page: Page) => page.locator(".alert-details");
const tiles = (page: Page) => page.locator(".alert-list .alert-tile");
const opened = (page: Page) => new URL(page.url()).searchParams.get("alert");

const directory = await ownDirectory();
let film: Buffer;
beforeAll(async () => {
  if (isMissing) return;
  const file = path.join(directory, "film.mp4");
  const source = ["-f", "lavfi", "-i", "testsrc=size=640x360:rate=10:duration=30"];
  const target = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "20"];
  await promisify(execFile)(ffmpegPath, [...source, ...target, "-movflags", "+faststart", file]);
  film = await readFile(file);
});

type State = "READY" | "PENDING" | "FAILED";

/** A workspace with an alert for each clip, which begins 10 seconds before it and lasts 30 seconds. */
async function alertsWithClips(...states: State[]) {
  const workspace = await site.workspace();
  const url = await site.storePicture(200);
  const ids = await workspace.raise(
    ...states.map(() => ({
      url,
      canvasDimensions: { width: 640, height: 360 },
      area: [
        { x: 100, y: 100 },
        { x: 300, y: 100 },
        { x: 300, y: 300 },
      ],
      violatingCoordinates: [{ x: 200, y: 150 }],
    })),
  );
  const { prisma } = site.gateway;
  const ready = async (createdAt: Date) => ({
    ...{ state: "READY", dueAt: null, contentType: "video/mp4" },
    ...{ key: await site.storeFile("clips", "mp4", film), size: film.length },
    ...{ duration: 30, width: 640, height: 360, startsAt: new Date(createdAt.getTime() - 10_000) },
  });
  const facts = { key: null, contentType: null, size: null, duration: null, width: null, height: null };
  // A time further ahead than any maker sets counts as due, and the clip as given up.
  const unready = { PENDING: { ...facts, dueAt: new Date(Date.now() + 300_000) }, FAILED: facts };
  for (const [index, state] of states.entries()) {
    const { id: alertId, createdAt } = await prisma.alert.findFirstOrThrow({ where: { id: ids[index] } });
    await createAlertClip(prisma, {
      ...{ ...workspace.place, alertId, alertCreatedAt: createdAt, state },
      ...(state === "READY" ? await ready(createdAt) : unready[state]),
    });
  }
  return { ...workspace, ids, ready };
}

/** What the only video of a page does. */
const played = (page: Page) =>
  page.locator("video").evaluate(({ currentTime, paused, muted, videoWidth }: HTMLVideoElement) => ({
    ...{ currentTime, paused, muted, videoWidth },
  }));

/** Waits until the video plays on from a time; returns the time it has come to. */
async function untilPlaying(page: Page, from: number) {
  await expect
    .poll(async () => {
      const { currentTime, ...state } = await played(page);
      return { ...state, isBeyond: currentTime > from + 0.3 };
    })
    .toEqual({ paused: false, muted: true, videoWidth: 640, isBeyond: true });
  return (await played(page)).currentTime;
}

/** Waits until the video stands still; returns where. */
async function untilPaused(page: Page) {
  await expectSoon(async () => (await played(page)).paused, true);
  return (await played(page)).currentTime;
}

describe.skipIf(isMissing)("the clip of an alert", () => {
  test("is played muted by the tile under the pointer or with the focus, by one at a time, and not loaded before", async () => {
    const { open, ids } = await alertsWithClips("READY", "READY", "PENDING");
    const { page, problems } = await open("/?view=alerts", moving);
    const loaded: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/files/clips/")) loaded.push(request.url());
    });
    await tiles(page).nth(2).locator("img").waitFor();
    await expectCount(tiles(page).getByTitle("Clip"), 2);
    await pressKeys(page, "j", "j", "j");
    await expectSoon(() => page.evaluate(() => document.activeElement?.closest("li")?.dataset.alert), ids[2]);
    expect(loaded).toEqual([]);
    await tiles(page).first().hover();
    const time = await untilPlaying(page, 8);
    expect(time).toBeLessThan(20);
    await expectAccessible(page);
    await pressKeys(page, "k");
    await tiles(page).nth(1).locator("video").waitFor();
    await expectCount(page.locator("video"), 1);
    await untilPlaying(page, 8);
    await pressKeys(page, "j");
    await expectCount(page.locator("video"), 0);
    await tiles(page).nth(2).hover();
    await tiles(page).first().hover();
    await untilPlaying(page, 8);
    await tiles(page).first().click();
    await expectSoon(() => opened(page), ids[0]);
    await expectCount(tiles(page).locator("video"), 0);
    expect(problems).toEqual(noProblems);
  });

  test.each([
    ["for readers who want no motion", { reducedMotion: "reduce" }],
    [
      "on a touch screen",
      { ...moving, hasTouch: true, isMobile: true, viewport: { width: 375, height: 740 } },
    ],
  ] as const)("stays still in tiles %s", async (_case, options) => {
    const { open } = await alertsWithClips("READY");
    const { page } = await open("/?view=alerts", options);
    await tiles(page).locator("img").waitFor();
    await page.clock.install();
    await tiles(page).hover();
    await pressKeys(page, "j");
    await page.clock.runFor(5_000);
    await expectNone(page.locator("video"));
  });

  test.each([
    ["en-GB", appearances[0], "a second on"],
    ["de-DE", appearances[1], "eine sekunde weiter"],
  ] as const)(
    "is played on the alert's page by a key from two seconds before the alert, and arrows move it while it has the focus, over plain http, in %s",
    async (locale, appearance, named) => {
      const { open, ids } = await alertsWithClips("READY", "READY");
      const { page, problems } = await open(`/?view=alerts&alert=${ids[0]}`, {
        ...{ locale, ...appearance, ...moving },
        origin: site.gateway.url.replace("127.0.0.1", plainHost),
      });
      await details(page).locator(".alert-stage img").waitFor();
      await expectAccessible(page);
      await pressKeys(page, "p");
      expect(await untilPlaying(page, 8)).toBeLessThan(20);
      await pressKeys(page, "p");
      const time = await untilPaused(page);
      await pressKeys(page, "ArrowRight", "ArrowRight", "ArrowLeft", "ArrowRight");
      await expectSoon(async () => (await played(page)).currentTime, time + 2);
      expect(opened(page)).toBe(ids[0]);
      await details(page).getByRole("slider").fill("20");
      await expectSoon(async () => (await played(page)).currentTime, 20);
      expect(
        await details(page)
          .locator(".alert-stage .alert-zone")
          .evaluate((zone) => {
            const { left, top, width, height } = zone.getBoundingClientRect();
            (zone as SVGElement).style.pointerEvents = "auto";
            return document.elementFromPoint(left + width * 0.6, top + height * 0.3) === zone;
          }),
      ).toBe(true);
      await expectAccessible(page);
      await expectToFit(page);
      await details(page).locator("video").focus();
      await pressKeys(page, "?");
      await waitForText(page.getByRole("dialog"), new RegExp(named, "i"));
      await pressKeys(page, "Escape");
      await details(page).locator("h2").click();
      await pressKeys(page, "ArrowRight");
      await expectSoon(() => opened(page), ids[1]);
      expect(problems).toEqual(noProblems);
    },
  );

  test("of a camera over RTSP is recorded when a rule is violated, and is played on the alert's page", async () => {
    const frames = await encodedFrames("H264", { size: "640x360" });
    const camera = await PacketCamera.forTest("H264", sendSteadily(frames));
    const feed = new FeedSite();
    await feed.open(site.gateway);
    const id = await feed.added(camera.url);
    await run(site.gateway, feed, [
      "mutation ($id: UUID!, $input: CreateAlertRuleInput!) { createAlertRule(cameraId: $id, input: $input) { id } }",
      { id, input: { name: "PPE", severity: "HIGH", evaluated: true, group: personsInLeftHalf() } },
    ]);
    await eventually(
      () => site.gateway.prisma.cameraFeed.findFirstOrThrow({ where: { cameraId: id } }),
      ({ ringFrom }) => ringFrom !== null,
    );
    const { openings } = camera;
    const seen = { cameraId: id, at: new Date().toISOString(), width: 640, height: 480, objects: [person()] };
    const { recordDetections: recorded } = await run<{ recordDetections: { alerts: { id: string }[] } }>(
      ...([site.gateway, feed, [recordDetections, { input: [seen] }]] as const),
    );
    const { open } = await newUser(site, { workspaceId: feed.workspaceId });
    const { page, problems } = await open(`/?view=alerts&alert=${recorded.alerts[0]?.id}`, moving);
    await buttonOf(details(page), "Clip", { exact: true }).click();
    await untilPlaying(page, await untilPlaying(page, 0));
    expect(camera.openings).toBe(openings);
    expect(problems).toEqual(noProblems);
  });

  test("is said to be recorded or to have failed, and comes without loading the page anew", async () => {
    const { open, as, ids, ready } = await alertsWithClips("PENDING", "FAILED");
    const { prisma } = site.gateway;
    const { page } = await open(`/?view=alerts&alert=${ids[0]}`);
    await waitForText(details(page), "The clip is being recorded");
    await expectNone(buttonOf(details(page), "Clip", { exact: true }));
    const { createdAt, workspaceId } = await prisma.alert.findFirstOrThrow({ where: { id: ids[0] } });
    await prisma.alertClip.updateMany({
      where: { workspaceId, alertId: ids[0] },
      data: await ready(createdAt),
    });
    const clip = buttonOf(details(page), "Clip", { exact: true });
    let bookmark = false;
    await repeatUntilShown(clip, () => {
      bookmark = !bookmark;
      return site.gateway.data(
        "mutation ($ids: [UUID!]!, $bookmark: Boolean) { markAlerts(ids: $ids, marks: { bookmark: $bookmark }) { alerts { id } } }",
        { as, variables: { ids: [ids[0]], bookmark } },
      );
    });
    await clip.click();
    await untilPlaying(page, 8);
    await pressKeys(page, "j");
    await waitForText(details(page), "The clip could not be recorded");
    await pressKeys(page, "Escape");
    await expectCount(tiles(page).getByTitle("Clip"), 1);
    await page.goto(`${new URL(page.url()).origin}/?view=alerts&clip=true`);
    await waitForText(page.locator(".alert-toolbar"), "With a clip");
    await expectCount(tiles(page), 1);
  });

  test("says why it does not play, and plays once it can", async () => {
    const { open, ids } = await alertsWithClips("READY");
    const { page } = await open(`/?view=alerts&alert=${ids[0]}`, moving);
    await details(page).locator(".alert-stage img").waitFor();
    const clips = "**/files/clips/**";
    await page.route(clips, (route) => route.fulfill({ body: "no clip", contentType: "video/mp4" }));
    await pressKeys(page, "p");
    await waitForText(details(page), /^This browser cannot play the clip/);
    await expectNone(details(page).getByRole("slider"));
    await page.unroute(clips);
    await page.reload();
    await page.route(clips, (route) => route.fulfill({ status: 403 }));
    await details(page).locator(".alert-stage img").waitFor();
    await pressKeys(page, "p");
    await waitForText(details(page), "The clip could not be loaded");
    await expectAccessible(page);
    await page.unroute(clips);
    const release = await holdRequests(page, clips);
    await clickButton(details(page), "Try again");
    await buttonOf(details(page), "Clip", { exact: true }).click();
    await waitForText(details(page), "Loading …");
    release();
    await untilPlaying(page, 8);
    await expectCount(details(page).getByText("Loading …"), 0);
  });

  test("plays in a review once the picture was seen, whose keys act on what is shown", async () => {
    const { open, ids, as } = await alertsWithClips("READY", "READY");
    const { page, problems } = await open("/?view=fleet", moving);
    await page.locator("main").getByRole("heading").first().waitFor();
    const release = await holdRequests(page, "**/files/pictures/**");
    await page.evaluate((to) => {
      history.pushState(null, "", to);
      dispatchEvent(new PopStateEvent("popstate"));
    }, "/?view=alerts&review=on&open=true");
    await expectSoon(() => opened(page), ids[0]);
    await details(page).locator("video").waitFor();
    await pressKeys(page, "Space");
    await waitForText(page, "Nothing was done: not all of it had been shown yet.");
    expect((await played(page)).paused).toBe(true);
    release();
    await untilPlaying(page, 8);
    await pressKeys(page, "Space");
    await expectSoon(() => opened(page), ids[1]);
    await untilPlaying(page, 8);
    const isAcknowledged = async (id: string | undefined) =>
      (
        await site.gateway.data<{ alert: { acknowledgedAt: string | null } }>(
          "query ($id: UUID!) { alert(id: $id) { acknowledgedAt } }",
          { as, variables: { id } },
        )
      ).alert.acknowledgedAt !== null;
    await expectSoon(() => isAcknowledged(ids[0]), true);
    expect(await isAcknowledged(ids[1])).toBe(false);
    expect(problems).toEqual(noProblems);
  });
});
