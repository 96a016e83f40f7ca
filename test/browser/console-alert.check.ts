import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { listOf } from "../support/list-of.js";
import {
  buttonOf,
  clickButton,
  clickLink,
  downloadBy,
  expectAccessible,
  expectCount,
  expectSoon,
  expectToFit,
  linkOf,
  pictureWidth,
  pressKeys,
  waitForText,
} from "./console-page.js";
import { noProblems } from "./monitored-page.js";
import { picturedConsole } from "./pictured-console.js";

const site = picturedConsole({ PICTURE_PROXY_NETWORKS: "127.0.0.0/8" });

const details = (page: Page) => page.locator(".alert-details");
const opened = (page: Page) => new URL(page.url()).searchParams.get("alert");
const geometry = {
  imageDimensions: { width: 640, height: 360 },
  canvasDimensions: { width: 640, height: 360 },
  area: [
    { x: 100, y: 100 },
    { x: 300, y: 100 },
    { x: 300, y: 300 },
  ],
  violatingCoordinates: [{ x: 200, y: 150 }],
};

/** How many times the picture is as wide as its frame, and where it lies in it. */
const zoomOf = (page: Page) =>
  details(page)
    .locator(".zoomable")
    .evaluate((frame) => {
      const outer = frame.getBoundingClientRect();
      const inner = (frame.firstElementChild as HTMLElement).getBoundingClientRect();
      return {
        scale: Math.round((inner.width / outer.width) * 100) / 100,
        x: Math.round(inner.left - outer.left),
        y: Math.round(inner.top - outer.top),
      };
    });
const scaleOf = async (page: Page) => (await zoomOf(page)).scale;

const expectScale = (page: Page, scale: number) => expectSoon(() => scaleOf(page), scale);

async function openAlert(options = {}) {
  const workspace = await site.workspace();
  const [id = ""] = await workspace.raise({ url: await site.storePicture(), ...geometry }, {});
  const opening = await workspace.open(`/?view=alerts&alert=${id}`, options);
  await details(opening.page).locator(".alert-stage img").waitFor();
  return { ...workspace, ...opening, id };
}

test("a picture is enlarged by wheel, keys, buttons and double click, and moved by dragging and keys", async () => {
  const { page, id, problems } = await openAlert();
  const frame = await details(page).locator(".zoomable").boundingBox();
  if (!frame) throw new Error("There is no picture");
  const middle = { x: frame.x + frame.width / 2, y: frame.y + frame.height / 2 };
  await pressKeys(page, "+");
  await expectScale(page, 1.5);
  await clickButton(page, "Enlarge");
  await expectScale(page, 2.25);
  await expectAccessible(page);
  const before = await zoomOf(page);
  await page.mouse.move(middle.x, middle.y);
  await page.mouse.down();
  await page.mouse.move(middle.x + 40, middle.y + 30, { steps: 4 });
  await page.mouse.up();
  await expectSoon(() => zoomOf(page), { ...before, x: before.x + 40, y: before.y + 30 });
  // The arrows move the picture, and lead nowhere else, until it is whole again.
  await pressKeys(page, "ArrowRight");
  await expectSoon(() => zoomOf(page), { ...before, x: before.x - 20, y: before.y + 30 });
  expect(opened(page)).toBe(id);
  await pressKeys(page, "-");
  await expectScale(page, 1.5);
  await pressKeys(page, "0");
  await expectSoon(() => zoomOf(page), { scale: 1, x: 0, y: 0 });
  await page.mouse.wheel(0, -300);
  await expect.poll(() => scaleOf(page)).toBeGreaterThan(1.5);
  await page.mouse.wheel(0, 3000);
  await expectScale(page, 1);
  await page.mouse.dblclick(middle.x, middle.y);
  await expectScale(page, 2.25);
  await pressKeys(page, "0");
  await expectScale(page, 1);
  await pressKeys(page, "ArrowRight");
  await expect.poll(() => opened(page)).not.toBe(id);
  expect(problems).toEqual(noProblems);
});

test("two fingers enlarge the picture on a phone, whose page stays as wide as it is", async () => {
  const { page } = await openAlert({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  const frame = await details(page).locator(".zoomable").boundingBox();
  if (!frame) throw new Error("There is no picture");
  const session = await page.context().newCDPSession(page);
  const [x, y] = [frame.x + frame.width / 2, frame.y + frame.height / 2];
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", distance: number) =>
    session.send("Input.dispatchTouchEvent", {
      type,
      touchPoints:
        type === "touchEnd"
          ? []
          : [
              { x: x - distance, y, id: 0 },
              { x: x + distance, y, id: 1 },
            ],
    });
  await touch("touchStart", 20);
  for (const distance of [30, 40, 50, 60]) await touch("touchMove", distance);
  await touch("touchEnd", 0);
  await expectScale(page, 3);
  await expectToFit(page);
});

test("the zone goes away while a key is held, and until it is pressed again otherwise", async () => {
  const { page } = await openAlert();
  const drawings = () => details(page).locator(".alert-stage .alert-drawing").count();
  await expectSoon(drawings, 1);
  await page.keyboard.down("d");
  await page.keyboard.down("d");
  await expectSoon(drawings, 0);
  await page.keyboard.up("d");
  await expectSoon(drawings, 1);
  await pressKeys(page, "d");
  await expectSoon(drawings, 0);
  await pressKeys(page, "d");
  await expectSoon(drawings, 1);
});

test("the picture is a file named after camera and time, with the zone if wanted", async () => {
  const { page } = await openAlert();
  const download = async (link: string) => {
    const file = await downloadBy(page, clickLink(details(page), link, { exact: true }));
    const { width, height } = await sharp(file.data).metadata();
    return { name: file.name, width, height };
  };
  const name = "Gate 2026-11-20 15.00.00";
  expect(await download("Picture")).toEqual({ name: `${name}.jpg`, width: 640, height: 360 });
  expect(await download("With zone")).toEqual({ name: `${name} zone.jpg`, width: 640, height: 360 });
});

test("the link to an alert is copied, and shown where the browser copies nothing", async () => {
  const { page, id } = await openAlert({ permissions: ["clipboard-read", "clipboard-write"] });
  const link = `${site.gateway.url.replace("127.0.0.1", "localhost")}/?alert=${id}`;
  const copy = buttonOf(details(page), "Copy link");
  await copy.click();
  await waitForText(details(page), "Copied");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link);
  await page.evaluate(() => {
    Object.defineProperty(navigator, "clipboard", { value: undefined });
    document.execCommand = () => false;
  });
  await copy.click();
  expect(await details(page).getByLabel("Link to this alert").inputValue()).toBe(link);
  await expectAccessible(page);
});

test("the pictures just before and after are those of the same camera, and lead to their alerts", async () => {
  const { addCamera, raise, open } = await site.workspace();
  const other = await addCamera({ name: "Yard" });
  const ids = await raise(
    ...(await Promise.all(
      listOf(10, async (index) => ({
        url: await site.storePicture(index * 36),
        ...(index % 2 === 1 && { cameraId: other }),
      })),
    )),
  );
  const { page, problems } = await open(`/?view=alerts&alert=${ids[4]}`);
  const strip = details(page).locator(".neighbouring-pictures");
  const links = strip.getByRole("link");
  await expectSoon(
    () =>
      links.evaluateAll((all) =>
        all.map((link) => new URL((link as HTMLAnchorElement).href).searchParams.get("alert")),
      ),
    [ids[0], ids[2], ids[6], ids[8]],
  );
  expect(await links.first().getAttribute("aria-label")).toContain("4 minutes later");
  await expectCount(strip.locator("img"), 4);
  await strip.getByRole("heading", { name: "Other alerts of this camera" }).waitFor();
  await expectAccessible(page);
  await links.nth(2).click();
  await expectSoon(() => opened(page), ids[6]);
  await expectSoon(() => links.first().getAttribute("href"), expect.stringContaining(ids[2] as string));
  expect(problems).toEqual(noProblems);
});

test("a picture elsewhere is shown through the gateway, and is a link where it cannot be fetched", async () => {
  const picture = await sharp({ create: { width: 320, height: 180, channels: 3, background: "#5a646e" } })
    .jpeg()
    .toBuffer();
  const server = createServer((request, response) => {
    if (request.url === "/gate.jpg") response.end(picture);
    else response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const elsewhere = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { raise, open } = await site.workspace();
  const [id] = await raise({ url: `${elsewhere}/gate.jpg`, ...geometry }, { url: `${elsewhere}/gone.jpg` });
  const { page, problems } = await open(`/?view=alerts&alert=${id}`);
  const shown = details(page).locator(".alert-stage img");
  await expectSoon(() => pictureWidth(shown), 320);
  expect(await details(page).locator(".alert-stage .alert-zone").getAttribute("d")).toBe(
    "M100 100L300 100L300 300Z",
  );
  await pressKeys(page, "j");
  const link = linkOf(details(page).locator(".alert-stage"), "Open picture");
  expect(await link.getAttribute("href")).toBe(`${elsewhere}/gone.jpg`);
  expect(problems.crossOriginRequests).toEqual([]);
});
