import { randomUUID } from "node:crypto";
import type { BrowserContextOptions, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import {
  createAlerts,
  createApiKey,
  createCamera,
  createFacility,
  createUser,
  createWorkspace,
} from "../support/factories.js";
import type { Sender } from "../support/harness.js";
import {
  browseOwnGateway,
  openConsolePage,
  openSignedOutPage,
  signIn,
  tokenOf,
  untilPainted,
  violations,
} from "./console-page.js";
import { noProblems } from "./monitored-page.js";

const admin: Sender = { user: "demo|admin" };

const demo = browseOwnGateway({ seed: "demo" });

const open = (address = "/?view=alerts", options?: BrowserContextOptions) =>
  openConsolePage(demo.browser, demo.origin, address, options);

const items = (page: Page) => page.getByRole("list", { name: "Alerts" }).getByRole("listitem");
const tiles = (page: Page) => items(page).getByRole("article");
const details = (page: Page) => page.locator(".alert-details");
const parameters = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);
const total = async (page: Page) =>
  Number((await page.locator(".alert-toolbar h2").textContent())?.replace(/\D/g, "") || Number.NaN);

/** Chooses from one of the menus of filters. */
async function choose(page: Page, menu: string, choice: string): Promise<void> {
  await page.getByRole("button", { name: menu }).click();
  await page.getByRole("group", { name: menu, exact: true }).getByLabel(choice).first().click();
  await page.keyboard.press("Escape");
}

const counted = async (filter: string, as = admin) =>
  (
    await demo.gateway.data<{ alerts: { totalCount: number } }>(
      `{ alerts(filter: { start: "1970-01-01T00:00:00Z", end: "2100-01-01T00:00:00Z", ${filter} }, first: 1) { totalCount } }`,
      { as },
    )
  ).alerts.totalCount;

/** A separate workspace with a camera, and a user who may mark and delete its alerts. */
async function ownWorkspace() {
  const { prisma } = demo.gateway;
  const workspaceId = await createWorkspace(prisma, {});
  const facilityId = await createFacility(prisma, { workspaceId, name: "Plant" });
  const cameraId = await createCamera(prisma, { workspaceId, facilityId, name: "Gate" });
  const authId = `test|${randomUUID()}`;
  await createUser(prisma, {
    workspaceId,
    authId,
    firstName: "Grace",
    lastName: "Hopper",
    roles: ["alerts:read", "alerts:write", "alerts:delete"],
  });
  const place = { workspaceId, facilityId, cameraId };
  const record = (...names: string[]) =>
    demo.gateway.data(
      "mutation ($input: [RecordAlertInput!]!) { recordAlerts(input: $input) { recorded } }",
      {
        as: { user: authId },
        variables: {
          input: names.map((name) => ({ id: randomUUID(), cameraId, name, createdAt: new Date() })),
        },
      },
    );
  const openSignedIn = async (address = "/?view=alerts", options?: BrowserContextOptions) => {
    const { page } = await openSignedOutPage(demo.browser, demo.origin, address, options);
    await signIn(page, await tokenOf(authId));
    return page;
  };
  return { ...place, place, as: { user: authId }, record, openSignedIn };
}

test("the stream shows pictures with the zone and the points over them, where the canvas has them", async () => {
  const { page, problems } = await open();
  const tile = tiles(page).first();
  await expect
    .poll(() =>
      tile
        .locator("img")
        .evaluate((image) => (image as HTMLImageElement).naturalWidth)
        .catch(() => 0),
    )
    .toBeGreaterThan(0);
  expect(await counted("")).toBe(await total(page));
  const id = (await items(page).first().getAttribute("data-alert")) as string;
  await demo.gateway.prisma.alert.updateMany({
    where: { id },
    data: {
      imageDimensions: { width: 1280, height: 720 },
      canvasDimensions: { width: 640, height: 240 },
      area: [
        { x: 0, y: 0 },
        { x: 320, y: 0 },
        { x: 320, y: 120 },
      ],
      violatingCoordinates: [{ x: 160, y: 60 }],
    },
  });
  await page.goto(`${demo.origin}/?alert=${id}`);
  const stage = details(page).locator(".alert-stage");
  await expect.poll(() => stage.locator(".alert-zone").getAttribute("d")).toBe("M0 0L640 0L640 360Z");
  expect(await stage.locator(".alert-point").getAttribute("d")).toBe("M320 180h0");
  expect(await stage.locator("svg").getAttribute("viewBox")).toBe("0 0 1280 720");
  await page.keyboard.press("d");
  await expect.poll(() => stage.locator("svg").count()).toBe(0);
  expect(problems).toEqual(noProblems);
});

test("filters are in the address, select the same alerts as the API, and disappear on going back", async () => {
  const { page } = await open();
  await tiles(page).first().waitFor();
  const all = await total(page);
  await choose(page, "Severity", "High");
  await expect.poll(() => total(page)).toBe(await counted('severities: ["HIGH"]'));
  await choose(page, "Marks", "Not acknowledged");
  const unacknowledged = await counted('severities: ["HIGH"], acknowledged: false');
  await expect.poll(() => total(page)).toBe(unacknowledged);
  const [camera] = (
    await demo.gateway.data<{ cameras: { id: string; name: string }[] }>("{ cameras { id name } }", {
      as: admin,
    })
  ).cameras;
  await choose(page, "Camera", camera?.name as string);
  await expect
    .poll(() => total(page))
    .toBe(await counted(`severities: ["HIGH"], acknowledged: false, cameraIds: ["${camera?.id}"]`));
  await choose(page, "Period", "Last 24 hours");
  expect(parameters(page)).toEqual({
    view: "alerts",
    severity: "HIGH",
    acknowledged: "false",
    camera: camera?.id,
    period: "24h",
  });
  await page.reload();
  await page.getByRole("button", { name: `Camera ${camera?.name}` }).waitFor();
  await page.goBack();
  await page.goBack();
  await expect.poll(() => total(page)).toBe(unacknowledged);
  await tiles(page).first().getByRole("link").click();
  await details(page).waitFor();
  expect(parameters(page)).toMatchObject({ severity: "HIGH", acknowledged: "false" });
  await page.keyboard.press("Escape");
  await expect
    .poll(() => parameters(page))
    .toEqual({ view: "alerts", severity: "HIGH", acknowledged: "false" });
  await page.getByRole("button", { name: "Clear all filters" }).click();
  await expect.poll(() => total(page)).toBe(all);
  await page.goto(
    `${demo.origin}/?view=alerts&from=2000-01-01T00:00:00Z&to=2000-01-02T00:00:00Z&bookmark=perhaps`,
  );
  await page.getByRole("heading", { name: "No alert matches" }).waitFor();
});

test("a period that ends before it begins is said to be one", async () => {
  const { page } = await open("/?view=alerts&from=2026-11-20T12:00:00Z&to=2026-11-19T12:00:00Z");
  const reason = "“Until” is not after “From”";
  await page.getByRole("heading", { name: "No alert matches" }).waitFor();
  await page.getByRole("main").getByText(reason).waitFor();
  await page.getByRole("button", { name: "Period" }).click();
  const menu = page.getByRole("group", { name: "Period", exact: true });
  await menu.getByRole("alert").getByText(reason).waitFor();
  expect(await menu.getByLabel("Until").getAttribute("aria-invalid")).toBe("true");
  expect(await violations(page)).toEqual([]);
  await menu.getByLabel("Until").fill("2026-11-22T12:00");
  await expect.poll(() => page.getByText(reason).count()).toBe(0);
});

test("new alerts come in at the top, and wait while somebody looks further down", async () => {
  const { place, record, openSignedIn } = await ownWorkspace();
  await createAlerts(
    demo.gateway.prisma,
    Array.from({ length: 200 }, () => place),
  );
  const page = await openSignedIn("/?view=alerts&type=STATIC_DELIMITATION_AREA&type=FRESH");
  await expect.poll(() => total(page)).toBe(200);
  // The subscription may be a moment behind the list.
  let recorded = 0;
  await expect
    .poll(
      async () => {
        await record("FRESH", "NOT_ASKED_FOR");
        recorded += 1;
        return tiles(page).first().getByText("Fresh").isVisible();
      },
      { interval: 200 },
    )
    .toBe(true);
  // What is recorded before the first is seen must not be told later.
  await expect.poll(() => tiles(page).getByText("Fresh").count()).toBe(recorded);
  expect(await page.getByText("Not asked for").count()).toBe(0);
  await page.evaluate(() => window.scrollTo(0, 3000));
  await expect.poll(() => items(page).first().getAttribute("aria-posinset")).not.toBe("1");
  const places = () =>
    tiles(page).evaluateAll((all) =>
      all.map((tile) => `${tile.textContent} ${tile.getBoundingClientRect().top}`),
    );
  const before = await places();
  await record("FRESH", "FRESH", "FRESH");
  const pill = page.getByRole("button", { name: "3 new" });
  await pill.waitFor();
  expect(await places()).toEqual(before);
  await pill.click();
  await expect.poll(() => tiles(page).getByText("Fresh").count()).toBeGreaterThan(3);
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0);
});

test("marks made in one window are seen in the other, and undone by one click", async () => {
  const { place, openSignedIn, as } = await ownWorkspace();
  const ids = await createAlerts(demo.gateway.prisma, [place, { ...place, bookmark: true }, place]);
  const [one, other] = [await openSignedIn(), await openSignedIn(`/?alert=${ids[0]}`)];
  const bookmarked = (page: Page) => page.locator(".mark-badges [data-mark=bookmark]").count();
  await details(other).getByRole("heading", { name: "Person in a forbidden area" }).waitFor();
  for (const index of [0, 1, 2]) await tiles(one).nth(index).getByRole("checkbox").check();
  await untilPainted(one);
  await one.keyboard.press("b");
  await expect.poll(() => bookmarked(one)).toBe(3);
  await expect.poll(() => bookmarked(other)).toBe(3);
  await details(other).getByText("Bookmarked by Grace Hopper").waitFor();
  await one.getByText("2 alerts bookmarked").waitFor();
  await one.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => bookmarked(other)).toBe(1);
  expect(await counted("bookmark: true", as)).toBe(1);
  await other.keyboard.press("a");
  await details(other).getByText("Acknowledged by Grace Hopper").waitFor();
  await expect.poll(() => one.locator(".mark-badges [data-mark=acknowledged]").count()).toBe(1);
});

test("comments written in one window appear in the other, also when they are taken back", async () => {
  const { place, openSignedIn } = await ownWorkspace();
  const [id] = await createAlerts(demo.gateway.prisma, [place]);
  const [one, other] = [await openSignedIn(`/?alert=${id}`), await openSignedIn(`/?alert=${id}`)];
  for (const page of [one, other]) await details(page).getByRole("heading", { name: "0 comments" }).waitFor();
  await other.keyboard.press("c");
  await other.keyboard.type("Ladder left in the way");
  await other.keyboard.press("Control+Enter");
  const comments = (page: Page) => details(page).locator(".comment-text").allTextContents();
  await expect.poll(() => comments(one)).toEqual(["Ladder left in the way"]);
  await other.getByRole("button", { name: "Undo" }).click();
  for (const page of [one, other]) await expect.poll(() => comments(page)).toEqual([]);
});

test("the author of a comment changes it, and the other window shows that", async () => {
  const { place, openSignedIn } = await ownWorkspace();
  const [id] = await createAlerts(demo.gateway.prisma, [place]);
  const [one, other] = [await openSignedIn(`/?alert=${id}`), await openSignedIn(`/?alert=${id}`)];
  await one.keyboard.press("c");
  await one.keyboard.type("Ladder left in the way");
  await one.keyboard.press("Control+Enter");
  await one.getByRole("button", { name: "Change this comment" }).click();
  await one.getByRole("textbox", { name: "Change this comment" }).fill("Ladder taken away");
  await one.keyboard.press("Control+Enter");
  const comments = (page: Page) => details(page).locator(".comment-text").allTextContents();
  for (const page of [one, other]) {
    await expect.poll(() => comments(page)).toEqual(["Ladder taken away"]);
    await details(page).getByText("edited").waitFor();
  }
});

test("an alert is deleted after a question, and disappears from the list", async () => {
  const { place, openSignedIn } = await ownWorkspace();
  const [id] = await createAlerts(demo.gateway.prisma, [place, place]);
  const page = await openSignedIn(`/?view=alerts&alert=${id}`);
  await details(page).getByRole("button", { name: "Delete this alert" }).waitFor();
  await untilPainted(page);
  await details(page).getByRole("button", { name: "Delete this alert" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("This cannot be undone").waitFor();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect.poll(() => details(page).count()).toBe(0);
  await expect.poll(() => page.locator(".alert-tile").count()).toBe(1);
  expect(await demo.gateway.prisma.alert.count({ where: { workspaceId: place.workspaceId } })).toBe(1);
});

describe("a hundred thousand alerts", () => {
  const newest = new Date("2026-11-20T12:00:00Z");
  let openSignedIn: Awaited<ReturnType<typeof ownWorkspace>>["openSignedIn"];
  beforeAll(async () => {
    const workspace = await ownWorkspace();
    openSignedIn = workspace.openSignedIn;
    await createAlerts(
      demo.gateway.prisma,
      Array.from({ length: 100_000 }, () => workspace.place),
      newest,
    );
  }, 120_000);

  const scrollTo = (page: Page, fraction: number) =>
    page.evaluate(
      (part) => window.scrollTo(0, (document.documentElement.scrollHeight - window.innerHeight) * part),
      fraction,
    );
  /**
   * The number of alerts that are missing or in the wrong place. Each alert, newest
   * first, is a minute older than the one before.
   */
  const wrong = (page: Page) =>
    items(page).evaluateAll(
      (all, start) =>
        all.filter((item) => {
          const instant = item.querySelector("time")?.getAttribute("datetime");
          return (
            instant === undefined ||
            Date.parse(instant as string) !==
              start - (Number(item.getAttribute("aria-posinset")) - 1) * 60_000
          );
        }).length,
      newest.getTime(),
    );
  const inSight = (page: Page) =>
    items(page).evaluateAll(
      (all) => Number(all[Math.floor(all.length / 2)]?.getAttribute("aria-posinset")) / 100_000,
    );

  test("take no more elements than a screenful, wherever one scrolls to", async () => {
    const page = await openSignedIn();
    await expect.poll(() => total(page)).toBe(100_000);
    for (const fraction of [0, 0.25, 0.5, 0.75, 1]) {
      await scrollTo(page, fraction);
      await expect.poll(async () => Math.abs((await inSight(page)) - fraction)).toBeLessThan(0.01);
      await expect.poll(() => wrong(page)).toBe(0);
      expect(await items(page).count()).toBeLessThanOrEqual(300);
    }
  }, 120_000);

  test("can all be reached where they are higher than browsers make an element, and the wheel goes as far as always", async () => {
    const page = await openSignedIn();
    await expect.poll(() => total(page)).toBe(100_000);
    await page.evaluate(() => {
      document.documentElement.style.fontSize = "40px";
    });
    await page.keyboard.press("v");
    const rowHeight = () =>
      items(page)
        .first()
        .evaluate((item) => item.getBoundingClientRect().height);
    await expect.poll(async () => (await rowHeight()) * 100_000).toBeGreaterThan(18_000_000);
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollHeight))
      .toBeLessThan(16_000_000);
    /** The position of the first of all rows relative to the window. */
    const place = () =>
      items(page)
        .first()
        .evaluate((item) => {
          const { top, height } = item.getBoundingClientRect();
          return Math.round(top - (Number(item.getAttribute("aria-posinset")) - 1) * height);
        });
    const scrolled = () => page.evaluate(() => window.scrollY);
    for (const fraction of [0.5, 0]) {
      await scrollTo(page, fraction);
      await expect.poll(async () => Math.abs((await inSight(page)) - fraction)).toBeLessThan(0.01);
      await expect.poll(() => wrong(page)).toBe(0);
      const [start, before] = [await scrolled(), await place()];
      for (let turn = 1; turn <= 3; turn += 1) {
        await page.mouse.wheel(0, 700);
        await expect.poll(async () => Math.abs(before - (await place()) - turn * 700)).toBeLessThan(2);
      }
      // In the middle, the scroll bar moves less, and once it is in its place, nothing
      // else moves with it.
      if (fraction > 0) await expect.poll(async () => (await scrolled()) - start).toBeLessThan(2_000);
      expect(Math.abs(before - (await place()) - 2_100)).toBeLessThan(2);
    }
    await scrollTo(page, 1);
    await expect.poll(() => items(page).last().getAttribute("aria-posinset")).toBe("100000");
    await expect.poll(() => wrong(page)).toBe(0);
    const isInWindow = () =>
      items(page)
        .last()
        .evaluate((item) => item.getBoundingClientRect().bottom <= window.innerHeight);
    expect(await isInWindow()).toBe(true);
    await items(page).last().getByRole("link").focus();
    for (const _ of Array.from({ length: 12 })) await page.keyboard.press("k");
    const focused = () =>
      page.evaluate(() => document.activeElement?.closest("[data-alert]")?.getAttribute("aria-posinset"));
    await expect.poll(focused).toBe("99988");
  }, 120_000);
});

test("keys lead from one alert to its neighbours, also from one that a link has opened", async () => {
  const { place, openSignedIn } = await ownWorkspace();
  const ids = await createAlerts(
    demo.gateway.prisma,
    Array.from({ length: 500 }, () => place),
  );
  const page = await openSignedIn(`/?alert=${ids[400]}&type=STATIC_DELIMITATION_AREA`);
  await details(page).getByText("401 of 500").waitFor();
  await page.keyboard.press("k");
  await details(page).getByText("400 of 500").waitFor();
  expect(parameters(page)).toEqual({ alert: ids[399], type: "STATIC_DELIMITATION_AREA" });
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await details(page).getByText("402 of 500").waitFor();
  await page.keyboard.press("Escape");
  const focused = () =>
    page.evaluate(() => document.activeElement?.closest("[data-alert]")?.getAttribute("data-alert"));
  await expect.poll(focused).toBe(ids[401]);
  await page.keyboard.press("j");
  await expect.poll(focused).toBe(ids[402]);
  await page.keyboard.press("Enter");
  await details(page).getByText("403 of 500").waitFor();
  await page.goto(`${demo.origin}/?alert=${randomUUID()}`);
  await page.getByRole("heading", { name: "This alert is not there" }).waitFor();
});

test("links to an alert among those of a camera work even with ids in upper case", async () => {
  const { workspaceId, facilityId, cameraId, place, openSignedIn } = await ownWorkspace();
  const otherCameraId = await createCamera(demo.gateway.prisma, { workspaceId, facilityId, name: "Dock" });
  const [, id = ""] = await createAlerts(demo.gateway.prisma, [
    place,
    place,
    place,
    { ...place, cameraId: otherCameraId },
  ]);
  const page = await openSignedIn(
    `/?alert=${id.toUpperCase()}&camera=${cameraId.toUpperCase()}&type=STATIC_DELIMITATION_AREA`,
  );
  await details(page).getByText("2 of 3").waitFor();
  await page.getByRole("button", { name: "Camera Gate" }).waitFor();
  await page.keyboard.press("k");
  await details(page).getByText("1 of 3").waitFor();
  await page.keyboard.press("Escape");
  await expect
    .poll(() => parameters(page))
    .toEqual({ view: "alerts", camera: cameraId, type: "STATIC_DELIMITATION_AREA" });
});

test("the console offers no actions that the caller may not do", async () => {
  const { workspaceId, place } = await ownWorkspace();
  const [id] = await createAlerts(demo.gateway.prisma, [place]);
  const keyOf = async (...permissions: Parameters<typeof createApiKey>[1]["permissions"]) =>
    (await createApiKey(demo.gateway.prisma, { workspaceId, permissions })).key;
  const { page } = await openSignedOutPage(demo.browser, demo.origin, "/?view=alerts");
  await signIn(page, await keyOf("alerts:read"));
  await tiles(page).first().waitFor();
  expect(await page.getByRole("checkbox").count()).toBe(0);
  await tiles(page).first().getByRole("link").click();
  await details(page).getByRole("heading", { name: "0 comments" }).waitFor();
  await page.keyboard.press("a");
  expect(await details(page).getByRole("button", { name: "Acknowledge" }).count()).toBe(0);
  const writer = await openSignedOutPage(demo.browser, demo.origin, `/?alert=${id}`);
  await signIn(writer.page, await keyOf("alerts:read", "alerts:write"));
  await details(writer.page).getByRole("button", { name: "Acknowledge" }).waitFor();
  await untilPainted(writer.page);
  await details(writer.page).getByRole("button", { name: "Acknowledge" }).click();
  await details(writer.page).getByRole("button", { name: "Acknowledged" }).waitFor();
  // Comments are written in a user's name, and a key has none.
  expect(await details(writer.page).getByRole("textbox").count()).toBe(0);
  expect(await page.locator("[role=status]").getByText("Nothing was changed").count()).toBe(0);
});

describe.each(["light", "dark"] as const)("in a %s scheme, the alerts", (colorScheme) => {
  test.each([1400, 360])(
    "break no rule of accessibility and fit into a window of %i px",
    async (width) => {
      const { page } = await open("/?view=alerts&severity=HIGH", {
        colorScheme,
        viewport: { width, height: 900 },
      });
      const fits = () => page.evaluate(() => document.documentElement.scrollWidth);
      await tiles(page).first().getByRole("checkbox").check();
      expect(await violations(page)).toEqual([]);
      expect(await fits()).toBe(width);
      await page.getByRole("button", { name: "Marks" }).click();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "List" }).click();
      await tiles(page).first().waitFor();
      expect(await violations(page)).toEqual([]);
      await tiles(page).nth(1).getByRole("link").click();
      await details(page).getByRole("heading", { name: "Why it was raised" }).waitFor();
      expect(await violations(page)).toEqual([]);
      expect(await fits()).toBe(width);
    },
    60_000,
  );
});
