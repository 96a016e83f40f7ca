import { randomUUID } from "node:crypto";
import type { BrowserContextOptions, Page } from "playwright-core";
import { createAlerts, createApiKey } from "../support/factories.js";
import type { Sender } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import {
  appearances,
  browseSharedGateway,
  buttonOf,
  clickButton,
  expectAccessible,
  expectCount,
  expectNone,
  expectSoon,
  expectToFit,
  fillIn,
  goWithin,
  openConsolePage,
  openSignedOutPage,
  pictureWidth,
  pressKeys,
  repeatUntilShown,
  signIn,
  untilPainted,
  waitForHeading,
  waitForText,
} from "./console-page.js";
import { noProblems } from "./monitored-page.js";
import { newSite, type User } from "./own-console.js";

const admin: Sender = { user: "demo|admin" };

const demo = browseSharedGateway({ seed: "demo" });

const open = (address = "/?view=alerts", options?: BrowserContextOptions) =>
  openConsolePage(demo.origin, address, options);

const items = (page: Page) => page.getByRole("list", { name: "Alerts" }).getByRole("listitem");
const tiles = (page: Page) => items(page).getByRole("article");
const details = (page: Page) => page.locator(".alert-details");
const parameters = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);
const total = async (page: Page) =>
  Number((await page.locator(".alert-toolbar h2").textContent())?.replace(/\D/g, "") || Number.NaN);

/** Chooses from one of the menus of filters. */
async function choose(page: Page, menu: string, choice: string): Promise<void> {
  await clickButton(page, menu);
  await page.getByRole("group", { name: menu, exact: true }).getByLabel(choice).first().click();
  await pressKeys(page, "Escape");
}

const counted = async (filter: string, as = admin) =>
  (
    await demo.gateway.data<{ alerts: { totalCount: number } }>(
      `{ alerts(filter: { start: "1970-01-01T00:00:00Z", end: "2100-01-01T00:00:00Z", ${filter} }, first: 1) { totalCount } }`,
      { as },
    )
  ).alerts.totalCount;

/** A separate workspace with a camera, and a user who may mark and delete its alerts. */
async function ownSite() {
  const user: User = { roles: ["alerts:read", "alerts:write", "alerts:delete"] };
  const site = await newSite(demo, { user: { ...user, firstName: "Grace", lastName: "Hopper" } });
  const openPage = async (address = "/?view=alerts") => (await site.open(address)).page;
  /** Creates this number of alerts. */
  const raiseMany = (count: number) => site.raise(...listOf(count, () => ({})));
  return { ...site, openPage, raiseMany };
}

test("the stream shows pictures with the zone and the points over them, where the canvas has them", async () => {
  const { page, problems } = await open();
  const tile = tiles(page).first();
  await expect.poll(() => pictureWidth(tile.locator("img")).catch(() => 0)).toBeGreaterThan(0);
  expect(await counted("")).toBe(await total(page));
  const { prisma } = demo;
  const { url } = await prisma.alert.findFirstOrThrow({ where: { url: { not: null } } });
  const { raise, openPage } = await ownSite();
  const [id] = await raise({
    url,
    imageDimensions: { width: 1280, height: 720 },
    canvasDimensions: { width: 640, height: 240 },
    area: [
      { x: 0, y: 0 },
      { x: 320, y: 0 },
      { x: 320, y: 120 },
    ],
    violatingCoordinates: [{ x: 160, y: 60 }],
  });
  expect(problems).toEqual(noProblems);
  const own = await openPage(`/?alert=${id}`);
  const stage = details(own).locator(".alert-stage");
  await expectSoon(() => stage.locator(".alert-zone").getAttribute("d"), "M0 0L640 0L640 360Z");
  expect(await stage.locator(".alert-point").getAttribute("d")).toBe("M320 180h0");
  expect(await stage.locator("svg").getAttribute("viewBox")).toBe("0 0 1280 720");
});

test("filters are in the address, select the same alerts as the API, and disappear on going back", async () => {
  const { page } = await open();
  await tiles(page).first().waitFor();
  const all = await total(page);
  await choose(page, "Severity", "High");
  await expectSoon(() => total(page), await counted('severities: ["HIGH"]'));
  await choose(page, "Marks", "Not acknowledged");
  const unacknowledged = await counted('severities: ["HIGH"], acknowledged: false');
  await expectSoon(() => total(page), unacknowledged);
  const [camera] = (
    await demo.gateway.data<{ cameras: { id: string; name: string }[] }>("{ cameras { id name } }", {
      as: admin,
    })
  ).cameras;
  await choose(page, "Camera", camera?.name as string);
  await expectSoon(
    () => total(page),
    await counted(`severities: ["HIGH"], acknowledged: false, cameraIds: ["${camera?.id}"]`),
  );
  await choose(page, "Period", "Last 24 hours");
  expect(parameters(page)).toEqual({
    view: "alerts",
    severity: "HIGH",
    acknowledged: "false",
    camera: camera?.id,
    period: "24h",
  });
  await page.reload();
  await buttonOf(page, `Camera ${camera?.name}`).waitFor();
  await page.goBack();
  await page.goBack();
  await expectSoon(() => total(page), unacknowledged);
  await tiles(page).first().getByRole("link").click();
  await details(page).waitFor();
  expect(parameters(page)).toMatchObject({ severity: "HIGH", acknowledged: "false" });
  await pressKeys(page, "Escape");
  await expectSoon(() => parameters(page), { view: "alerts", severity: "HIGH", acknowledged: "false" });
  await clickButton(page, "Clear all filters");
  await expectSoon(() => total(page), all);
  await page.goto(
    `${demo.origin}/?view=alerts&from=2000-01-01T00:00:00Z&to=2000-01-02T00:00:00Z&bookmark=perhaps`,
  );
  await waitForHeading(page, "No alert matches");
});

test("attributes of objects and a part of the picture are searched without a pointer", async () => {
  const { cameraId, openPage, raise } = await ownSite();
  const picture = { imageDimensions: { width: 1000, height: 500 } };
  const seen = (x: number, y: number, helmet: boolean) => ({
    ...{ ...picture, violatingCoordinates: [{ x, y }] },
    info: { objects: [{ label: "person", attributes: { helmet } }] },
  });
  await raise(seen(100, 100, false), seen(100, 100, true), seen(900, 100, false));
  const page = await openPage(`/?view=alerts&camera=${cameraId}`);
  await expectSoon(() => total(page), 3);
  await buttonOf(page.locator(".alert-filters"), "Search").press("Enter");
  const menu = page.getByRole("group", { name: "Search", exact: true });
  await fillIn(menu, "Attributes", "helmet: false");
  await pressKeys(page, "Enter");
  await expectSoon(() => total(page), 2);
  for (const [side, percent] of Object.entries({ Left: "5", Top: "10,5", Right: "50", Bottom: "60" }))
    await fillIn(menu, side, percent);
  await expectAccessible(page);
  await pressKeys(page, "Enter");
  await expectSoon(() => total(page), 1);
  expect(parameters(page)).toMatchObject({ attribute: "helmet: false", box: "0.05,0.105,0.5,0.6" });
  expect(await menu.getByLabel("Top").inputValue()).toBe("10.5");
});

test("a period that ends before it begins is said to be one", async () => {
  const { page } = await open("/?view=alerts&from=2026-11-20T12:00:00Z&to=2026-11-19T12:00:00Z");
  const reason = "“Until” is not after “From”";
  await waitForHeading(page, "No alert matches");
  await waitForText(page.getByRole("main"), reason);
  await clickButton(page, "Period");
  const menu = page.getByRole("group", { name: "Period", exact: true });
  await waitForText(menu.getByRole("alert"), reason);
  expect(await menu.getByLabel("Until").getAttribute("aria-invalid")).toBe("true");
  await expectAccessible(page);
  await fillIn(menu, "Until", "2026-11-22T12:00");
  await expectCount(page.getByText(reason), 0);
});

test("new alerts come in at the top, and wait while somebody looks further down", async () => {
  const { raiseMany, record, openPage } = await ownSite();
  await raiseMany(200);
  const page = await openPage("/?view=alerts&type=STATIC_DELIMITATION_AREA&type=FRESH");
  await expectSoon(() => total(page), 200);
  let recorded = 0;
  await repeatUntilShown(tiles(page).first().getByText("Fresh"), async () => {
    await record("FRESH", "NOT_ASKED_FOR");
    recorded += 1;
  });
  // What is recorded before the first is seen must not be told later.
  await expectCount(tiles(page).getByText("Fresh"), recorded);
  await expectNone(page.getByText("Not asked for"));
  await page.evaluate(() => window.scrollTo(0, 3000));
  await expect.poll(() => items(page).first().getAttribute("aria-posinset")).not.toBe("1");
  const places = () =>
    tiles(page).evaluateAll((all) =>
      all.map((tile) => `${tile.textContent} ${tile.getBoundingClientRect().top}`),
    );
  const before = await places();
  await record("FRESH", "FRESH", "FRESH");
  const pill = buttonOf(page, "3 new");
  await pill.waitFor();
  expect(await places()).toEqual(before);
  await pill.click();
  await expect.poll(() => tiles(page).getByText("Fresh").count()).toBeGreaterThan(3);
  await expectSoon(() => page.evaluate(() => window.scrollY), 0);
});

test("marks made in one window are seen in the other, and undone by one click", async () => {
  const { raise, openPage, as } = await ownSite();
  const ids = await raise({}, { bookmark: true }, {});
  const [one, other] = [await openPage(), await openPage(`/?alert=${ids[0]}`)];
  const bookmarked = (page: Page) => page.locator(".mark-badges [data-mark=bookmark]").count();
  await waitForHeading(details(other), "Person in a forbidden area");
  for (const index of [0, 1, 2]) await tiles(one).nth(index).getByRole("checkbox").check();
  await untilPainted(one);
  await pressKeys(one, "b");
  await expectSoon(() => bookmarked(one), 3);
  await expectSoon(() => bookmarked(other), 3);
  await waitForText(details(other), "Bookmarked by Grace Hopper");
  await waitForText(one, "2 alerts bookmarked");
  await clickButton(one, "Undo");
  await expectSoon(() => bookmarked(other), 1);
  expect(await counted("bookmark: true", as)).toBe(1);
  await pressKeys(other, "a");
  await waitForText(details(other), "Acknowledged by Grace Hopper");
  await expectCount(one.locator(".mark-badges [data-mark=acknowledged]"), 1);
});

test("comments written in one window appear in the other, also when they are changed or taken back", async () => {
  const { raise, openPage } = await ownSite();
  const [id] = await raise({});
  const [one, other] = [await openPage(`/?alert=${id}`), await openPage(`/?alert=${id}`)];
  for (const page of [one, other]) await waitForHeading(details(page), "0 comments");
  const expectComments = async (...texts: string[]) => {
    for (const page of [one, other])
      await expectSoon(() => details(page).locator(".comment-text").allTextContents(), texts);
  };
  const write = async () => {
    await pressKeys(other, "c");
    await other.keyboard.type("Ladder left in the way");
    await pressKeys(other, "Control+Enter");
    await expectComments("Ladder left in the way");
  };
  await write();
  await clickButton(other, "Undo");
  await expectComments();
  await write();
  await clickButton(other, "Change this comment");
  await other.getByRole("textbox", { name: "Change this comment" }).fill("Ladder taken away");
  await pressKeys(other, "Control+Enter");
  await expectComments("Ladder taken away");
  for (const page of [one, other]) await waitForText(details(page), "edited");
});

test("an alert is deleted after a question, and disappears from the list", async () => {
  const { workspaceId, raise, openPage } = await ownSite();
  const [id] = await raise({}, {});
  const page = await openPage(`/?view=alerts&alert=${id}`);
  await buttonOf(details(page), "Delete this alert").waitFor();
  await untilPainted(page);
  await clickButton(details(page), "Delete this alert");
  const dialog = page.getByRole("dialog");
  await waitForText(dialog, "This cannot be undone");
  await clickButton(dialog, "Delete");
  await expectCount(details(page), 0);
  await expectCount(page.locator(".alert-tile"), 1);
  expect(await demo.prisma.alert.count({ where: { workspaceId } })).toBe(1);
});

test("a hundred thousand alerts can all be reached where they are higher than browsers make an element, and the wheel goes as far as always", async () => {
  const newest = new Date("2026-11-20T12:00:00Z");
  const site = await ownSite();
  const alerts = listOf(100_000, () => site.place);
  await createAlerts(demo.prisma, alerts, newest);
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

  const page = await site.openPage();
  await expectSoon(() => total(page), 100_000);
  await page.evaluate(() => {
    document.documentElement.style.fontSize = "40px";
  });
  await pressKeys(page, "v");
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
    await expectSoon(() => wrong(page), 0);
    expect(await items(page).count()).toBeLessThanOrEqual(300);
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
  await expectSoon(() => items(page).last().getAttribute("aria-posinset"), "100000");
  await expectSoon(() => wrong(page), 0);
  const isInWindow = () =>
    items(page)
      .last()
      .evaluate((item) => item.getBoundingClientRect().bottom <= window.innerHeight);
  expect(await isInWindow()).toBe(true);
}, 120_000);

test("keys lead from one alert to its neighbours, also from one that a link has opened", async () => {
  const { cameraId, raiseMany, openPage } = await ownSite();
  const ids = await raiseMany(500);
  // Some programs write ids in upper case.
  const link = `/?alert=${ids[400]}&camera=${cameraId}`.replaceAll(/[0-9a-f-]{36}/g, (id) =>
    id.toUpperCase(),
  );
  const page = await openPage(link);
  await waitForText(details(page), "401 of 500");
  await buttonOf(page, "Camera Gate").waitFor();
  await pressKeys(page, "k");
  await waitForText(details(page), "400 of 500");
  expect(parameters(page)).toEqual({ alert: ids[399], camera: cameraId });
  await pressKeys(page, "ArrowRight", "ArrowRight");
  await waitForText(details(page), "402 of 500");
  await pressKeys(page, "Escape");
  const focused = () =>
    page.evaluate(() => document.activeElement?.closest("[data-alert]")?.getAttribute("data-alert"));
  await expectSoon(focused, ids[401]);
  await pressKeys(page, "j");
  await expectSoon(focused, ids[402]);
  await pressKeys(page, "Enter");
  await waitForText(details(page), "403 of 500");
  await goWithin(page, `/?alert=${randomUUID()}`);
  await waitForHeading(page, "This alert is not there");
});

test("the console offers no actions that the caller may not do", async () => {
  const { workspaceId, raise } = await ownSite();
  const [id] = await raise({});
  const keyOf = async (...permissions: Parameters<typeof createApiKey>[1]["permissions"]) =>
    (await createApiKey(demo.prisma, { workspaceId, permissions })).key;
  const { page } = await openSignedOutPage(demo.origin, "/?view=alerts");
  await signIn(page, await keyOf("alerts:read"));
  await tiles(page).first().waitFor();
  await expectNone(page.getByRole("checkbox"));
  await tiles(page).first().getByRole("link").click();
  await waitForHeading(details(page), "0 comments");
  await pressKeys(page, "a");
  await expectNone(buttonOf(details(page), "Acknowledge"));
  const writer = await openSignedOutPage(demo.origin, `/?alert=${id}`);
  await signIn(writer.page, await keyOf("alerts:read", "alerts:write"));
  await buttonOf(details(writer.page), "Acknowledge").waitFor();
  await untilPainted(writer.page);
  await clickButton(details(writer.page), "Acknowledge");
  await buttonOf(details(writer.page), "Acknowledged").waitFor();
  // Comments are written in a user's name, and a key has none.
  await expectNone(details(writer.page).getByRole("textbox"));
  await expectNone(page.locator("[role=status]").getByText("Nothing was changed"));
});

test.each(appearances)(
  "the alerts break no rule of accessibility and fit, $colorScheme and $viewport.width px wide",
  async (appearance) => {
    const { page } = await open("/?view=alerts&severity=HIGH", appearance);
    await tiles(page).first().getByRole("checkbox").check();
    await expectAccessible(page);
    await expectToFit(page);
    await clickButton(page, "Marks");
    await expectAccessible(page);
    await pressKeys(page, "Escape");
    await clickButton(page, "List");
    await tiles(page).first().waitFor();
    await expectAccessible(page);
    await tiles(page).nth(1).getByRole("link").click();
    await waitForHeading(details(page), "Why it was raised");
    await expectAccessible(page);
    await expectToFit(page);
  },
);
