import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { violations } from "./console-page.js";
import { noProblems } from "./monitored-page.js";
import { picturedConsole } from "./pictured-console.js";

const site = picturedConsole();

const details = (page: Page) => page.locator(".alert-details");
const opened = (page: Page) => new URL(page.url()).searchParams.get("alert");
const isShown = (page: Page) =>
  details(page)
    .locator(".alert-stage img")
    .evaluate((image) => (image as HTMLImageElement).naturalWidth > 0, undefined, { timeout: 1_000 })
    .catch(() => false);
const openAlerts = async (as: { user: string }) =>
  (
    await site.gateway.data<{ workspace: { openAlertCount: number } }>("{ workspace { openAlertCount } }", {
      as,
    })
  ).workspace.openAlertCount;

test("Space acknowledges and goes on through the open alerts, however fast, until nothing is left", async () => {
  const { raise, openPage, as } = await site.workspace();
  const url = await site.storePicture();
  const ids = await raise(
    ...Array.from({ length: 12 }, (_, index) => ({
      url,
      falsePositive: index === 1,
      name: `ALERT_${index}`,
    })),
  );
  const { page, problems } = await openPage("/?view=alerts");
  await page.getByRole("button", { name: "Review" }).click();
  await expect.poll(() => opened(page)).toBe(ids[0]);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Space");
  await expect.poll(() => opened(page)).toBe(ids[2]);
  await page.keyboard.press("z");
  await expect.poll(() => openAlerts(as)).toBe(11);
  // The others are all acknowledged before the gateway has answered the first time.
  for (let left = 10; left > 0; left -= 1) await page.keyboard.press("Space");
  // The one that was taken back comes last.
  await expect.poll(() => opened(page)).toBe(ids[0]);
  await page.keyboard.press("Space");
  await details(page).getByRole("heading", { name: "Nothing is left to review" }).waitFor();
  expect(await openAlerts(as)).toBe(0);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("z");
  await expect.poll(() => opened(page)).toBe(ids[0]);
  await page.keyboard.press("Escape");
  await expect.poll(() => page.getByRole("listitem").locator(".alert-tile").count()).toBe(1);
  expect(problems).toEqual(noProblems);
});

test("holding Space acknowledges one alert, and on a button it presses the button", async () => {
  const { raise, openPage, as } = await site.workspace();
  const ids = await raise({}, {}, {});
  const { page } = await openPage(`/?view=alerts&review=on&open=true`);
  await expect.poll(() => opened(page)).toBe(ids[0]);
  await page.keyboard.down("Space");
  for (const _ of [1, 2, 3]) await page.keyboard.down("Space");
  await page.keyboard.up("Space");
  await expect.poll(() => openAlerts(as)).toBe(2);
  expect(opened(page)).toBe(ids[1]);
  await details(page).getByRole("button", { name: "Bookmark" }).focus();
  await page.keyboard.press("Space");
  await details(page).getByText("Bookmarked by Grace Hopper").waitFor();
  expect([opened(page), await openAlerts(as)]).toEqual([ids[1], 2]);
});

test("in the grid, Space acknowledges the alert that has the focus and goes on to the next", async () => {
  const { raise, openPage, as } = await site.workspace();
  const ids = await raise({}, {}, {});
  const { page } = await openPage("/?view=alerts&open=true");
  await page.getByRole("article").first().waitFor();
  await page.keyboard.press("j");
  const focused = () => page.evaluate(() => document.activeElement?.closest("li")?.dataset.alert);
  await expect.poll(focused).toBe(ids[0]);
  await page.keyboard.press("Space");
  await expect.poll(focused).toBe(ids[1]);
  await page.locator("[data-mark=acknowledged]").waitFor();
  expect(await openAlerts(as)).toBe(2);
});

test("the next five pictures are there before they are shown", async () => {
  const { raise, openPage } = await site.workspace();
  const pictures = await Promise.all(Array.from({ length: 12 }, (_, index) => site.storePicture(index * 30)));
  // In the list behind, only small pictures are shown.
  const thumbnailUrl = await site.storePicture(0, 64, 36);
  const ids = await raise(...pictures.map((url) => ({ url, thumbnailUrl })));
  const { page } = await openPage(`/?view=alerts&alert=${ids[0]}`);
  await expect.poll(() => isShown(page)).toBe(true);
  const wanted = pictures.slice(1, 6);
  const loaded = () =>
    page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname));
  await expect.poll(loaded).toEqual(expect.arrayContaining(wanted.map((key) => `/files/${key}`)));
  expect(opened(page)).toBe(ids[0]);
  for (const id of ids.slice(1, 6)) {
    await page.keyboard.press("j");
    await expect.poll(() => opened(page)).toBe(id);
    await expect.poll(() => isShown(page)).toBe(true);
  }
});

test("a review is told in German, on a phone", async () => {
  const { raise, openPage, as } = await site.workspace();
  await raise({ url: await site.storePicture() });
  const { page } = await openPage("/?view=alerts", {
    locale: "de-DE",
    viewport: { width: 360, height: 740 },
  });
  await page.getByRole("button", { name: "Durchsehen" }).click();
  await expect.poll(() => isShown(page)).toBe(true);
  expect(await violations(page)).toEqual([]);
  await details(page).getByRole("button", { name: "Quittieren und weiter" }).click();
  await details(page).getByRole("heading", { name: "Alles durchgesehen" }).waitFor();
  expect(await openAlerts(as)).toBe(0);
  expect(await violations(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await page.getByRole("button", { name: "Zurück zu allen" }).click();
  await page.getByRole("heading", { name: "Kein Alarm gefunden" }).waitFor();
});
