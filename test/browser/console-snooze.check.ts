import type { Page } from "playwright-core";
import { permissions } from "../../src/engine/access/permissions.js";
import { createFacility } from "../support/factories.js";
import {
  browseSharedGateway,
  buttonOf,
  clickButton,
  clickLink,
  expectAccessible,
  expectNone,
  expectToFit,
  fillIn,
  pressKeys,
  tick,
  waitForText,
} from "./console-page.js";
import { noProblems } from "./monitored-page.js";
import { newSite } from "./own-console.js";

const hour = 3_600_000;
const shared = browseSharedGateway();

/** A camera with a rule, at a facility in Tokyo. */
async function siteInTokyo(options: Parameters<typeof newSite>[1] = {}) {
  const facility = { timeZoneId: "Asia/Tokyo", effectiveTimeZoneId: "Asia/Tokyo" };
  const site = await newSite(shared, { facility, ...options });
  return { ...site, ruleId: await site.addRule() };
}

const untilOf = async (id: string, kind: "camera" | "alertRule" = "camera") => {
  const row =
    kind === "camera"
      ? await shared.prisma.camera.findFirstOrThrow({ where: { id } })
      : await shared.prisma.alertRule.findFirstOrThrow({ where: { id } });
  return row.snoozedUntil?.getTime() as number;
};

/** The time at a facility in Tokyo, such as 2026-11-28T06:00. */
const inTokyo = (instant: number) => new Date(instant + 9 * hour).toISOString().slice(0, 16);

const dialogOf = (page: Page) => page.getByRole("dialog");

test("a camera is snoozed for some time or until a time at its facility, and the snooze is ended", async () => {
  const { cameraId, open } = await siteInTokyo();
  const { page, problems } = await open(`/?view=camera&camera=${cameraId}`);
  const snoozed = page.locator(".snoozed-until");
  const submit = () => clickButton(dialogOf(page), "Snooze", { exact: true });
  const began = Date.now();
  await clickButton(page, "Snooze");
  await tick(dialogOf(page), "1 hour");
  await expectAccessible(page);
  await submit();
  await waitForText(snoozed, "by test.");
  // The keyboard stays where it was.
  await page.locator("button:focus", { hasText: "Change the snooze" }).waitFor();
  expect(await untilOf(cameraId)).toBeGreaterThanOrEqual(began + hour - 1000);
  expect(await untilOf(cameraId)).toBeLessThanOrEqual(Date.now() + hour + 1000);

  // By keyboard alone.
  await buttonOf(page, "Change the snooze").press("Enter");
  await dialogOf(page).getByLabel("1 hour").focus();
  await pressKeys(page, "ArrowDown");
  expect(await dialogOf(page).getByLabel("Until tomorrow, 06:00").isChecked()).toBe(true);
  const tomorrow = inTokyo(Date.now() + 24 * hour).slice(0, 10);
  await pressKeys(page, "Enter");
  await waitForText(snoozed, ", 06:00");
  expect(inTokyo(await untilOf(cameraId))).toBe(`${tomorrow}T06:00`);

  await clickButton(page, "Change the snooze");
  await dialogOf(page).getByLabel("Until", { exact: true }).check();
  await fillIn(dialogOf(page), "Day and time", "2020-01-01T10:00");
  await submit();
  await waitForText(dialogOf(page), "Choose a time in the next 30 days.");
  await expectAccessible(page);
  const day = inTokyo(Date.now() + 48 * hour).slice(0, 10);
  await fillIn(dialogOf(page), "Day and time", `${day}T10:30`);
  await submit();
  await waitForText(snoozed, "(10:30 GMT+9)");
  expect(inTokyo(await untilOf(cameraId))).toBe(`${day}T10:30`);

  await clickButton(page, "End the snooze");
  await snoozed.waitFor({ state: "detached" });
  await page.locator("button:focus", { hasText: "Snooze" }).waitFor();
  expect(await untilOf(cameraId)).toBeLessThanOrEqual(Date.now());

  await page.goto(`${shared.gateway.url}/?view=settings&part=audit`);
  await page.getByRole("heading", { name: "snoozed a camera, or ended that" }).first().waitFor();
  await waitForText(page, /^Snoozed until: .* → nothing$/);
  expect(problems).toEqual(noProblems);
});

test("offline, the form of a snooze says that nothing was done, and keeps what is written until it can be sent", async () => {
  const { cameraId, open } = await siteInTokyo();
  const { page } = await open(`/?view=camera&camera=${cameraId}`);
  await clickButton(page, "Snooze");
  await fillIn(dialogOf(page), "Reason", "Roof works");
  await page.context().setOffline(true);
  await clickButton(dialogOf(page), "Snooze", { exact: true });
  await waitForText(dialogOf(page).getByRole("alert"), "Nothing was done: the gateway is out of reach.");
  await page.context().setOffline(false);
  expect(await untilOf(cameraId)).toBeUndefined();
  await clickButton(dialogOf(page), "Snooze", { exact: true });
  await waitForText(page.locator(".snoozed-until"), "Roof works");
});

test("a rule is snoozed for a day where it is edited, and the camera's page says so, in German at 375 pixels", async () => {
  const { cameraId, ruleId, open } = await siteInTokyo();
  const { page } = await open(`/?view=rules&camera=${cameraId}`, { locale: "de-DE" });
  await page.setViewportSize({ width: 375, height: 800 });
  const card = page.getByRole("article");
  await clickButton(card, "Stummschalten");
  await tick(dialogOf(page), "1 Tag");
  await clickButton(dialogOf(page), "Stummschalten");
  await waitForText(card, "Stumm bis");
  expect(await untilOf(ruleId, "alertRule")).toBeGreaterThan(Date.now() + 23 * hour);
  await expectToFit(page);
  await page.goto(`${shared.gateway.url}/?view=camera&camera=${cameraId}`);
  await waitForText(page.getByRole("region", { name: "Regeln" }), "Stumm bis");
});

test("cameras are snoozed together from a time on, and a facility, each with a reason that the rules and cameras show", async () => {
  const { cameraId, facilityId, addCamera, open } = await siteInTokyo();
  const yardId = await addCamera({ name: "Yard" });
  const { page, problems } = await open("/?view=fleet");
  await clickButton(page, "Snooze cameras");
  await page.locator("dialog input[type=search]:focus").waitFor();
  await clickButton(dialogOf(page), "Snooze", { exact: true });
  await waitForText(dialogOf(page), "Choose at least one camera.");
  await waitForText(dialogOf(page), /now, unless given \(GMT\+9\)/);
  // Only those that are found are ticked.
  await fillIn(dialogOf(page), "Search cameras", "gate");
  await dialogOf(page).getByLabel("Yard").waitFor({ state: "hidden" });
  await clickButton(dialogOf(page), "Select all: Plant");
  const day = inTokyo(Date.now() + 24 * hour).slice(0, 10);
  await fillIn(dialogOf(page), "From", `${day}T10:00`);
  await fillIn(dialogOf(page), "Reason", "Fire drill");
  await expectAccessible(page);
  await clickButton(dialogOf(page), "Snooze", { exact: true });
  await waitForText(page, "1 camera is snoozed.");
  const told = page.locator(".camera-tile .snoozed-until");
  await waitForText(told, /Will be snoozed from .*\(11:00 GMT\+9\) by test\./);
  expect(inTokyo(await untilOf(cameraId))).toBe(`${day}T11:00`);
  expect(await untilOf(yardId)).toBeUndefined();

  await page.goto(`${shared.gateway.url}/?view=fleet&facility=${facilityId}`);
  await clickButton(page, "Snooze the facility");
  await page.locator("dialog [type=radio]:focus").waitFor();
  await fillIn(dialogOf(page), "Reason", "Holidays");
  await clickButton(dialogOf(page), "Snooze", { exact: true });
  await waitForText(page.locator(".facility-card .snoozed-until"), ": Holidays");
  await expectAccessible(page);
  await page.goto(`${shared.gateway.url}/?view=rules&camera=${cameraId}`);
  await waitForText(page.getByRole("article"), "Camera: Will be snoozed from");
  await waitForText(page.getByRole("article"), "Facility: Snoozed until");
  await page.goto(`${shared.gateway.url}/?view=camera&camera=${cameraId}`);
  await waitForText(page, "Facility: Snoozed until");
  expect(problems).toEqual(noProblems);
});

test("Today, alerts, Insight, tiles and settings say what is snoozed, until when and why", async () => {
  const snooze = (snoozeReason: string) => ({
    snoozedAt: new Date(Date.now() - hour),
    snoozedUntil: new Date(Date.now() + hour),
    snoozeReason,
  });
  const site = await newSite(shared, { facility: snooze("Holidays"), camera: snooze("Crane") });
  const { workspaceId, facilityId, cameraId, open } = site;
  await site.addRule(snooze("Welding"));
  const otherId = await createFacility(shared.prisma, { workspaceId, name: "Depot" });
  const doorId = await site.addCamera({ name: "Door", facilityId: otherId });
  await site.raise({});
  const { page, problems } = await open("/?view=today");
  const quiet = page.getByRole("list", { name: "Quiet at present" });
  const items = async () => {
    const texts = await quiet.getByRole("listitem").allTextContents();
    return texts.map((text) => text.replaceAll(/[\u2066-\u2069]| +Snoozed until .*(?=: )/g, ""));
  };
  const all = ["Plant:: Holidays", "Gate:: Crane", "All, Gate:: Welding"];
  await expect.poll(items).toEqual(all);
  await expectAccessible(page);
  await clickLink(quiet, "Plant");
  const tile = page.getByRole("article", { name: "Gate" });
  await waitForText(tile, /Snoozed until .*: Crane/);
  await waitForText(tile, /Facility: Snoozed until .*: Holidays/);
  for (const address of ["alerts", "insight", `alerts&facility=${facilityId}`, `alerts&camera=${cameraId}`]) {
    await page.goto(`${shared.gateway.url}/?view=${address}`);
    await expect.poll(items).toEqual(all);
  }
  await page.goto(`${shared.gateway.url}/?view=settings&facility=${facilityId}`);
  const cameras = page.getByRole("region", { name: "Cameras of Plant" });
  await waitForText(cameras.locator("header"), /Snoozed until .*: Holidays/);
  await waitForText(cameras.getByRole("listitem"), /Snoozed until .*: Crane/);
  for (const address of [`facility=${otherId}`, `camera=${doorId}`]) {
    await page.goto(`${shared.gateway.url}/?view=alerts&${address}`);
    await waitForText(page, /^No alert matches/);
    await expectNone(quiet);
  }
  expect(problems).toEqual(noProblems);
});

test("who may not change rules sees the snooze, and cannot change it", async () => {
  const { cameraId, open } = await siteInTokyo({
    camera: { snoozedAt: new Date(), snoozedUntil: new Date(Date.now() + hour) },
    user: { roles: permissions.filter((permission) => permission !== "alert-rules:write") },
  });
  const { page } = await open(`/?view=camera&camera=${cameraId}`);
  await page.locator(".snoozed-until").waitFor();
  await expectNone(buttonOf(page, /snooze/i));
});
