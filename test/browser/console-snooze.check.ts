import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { permissions } from "../../src/access/permissions.js";
import { createAlertRule } from "../support/factories.js";
import { browseSharedGateway, violations } from "./console-page.js";
import { noProblems } from "./monitored-page.js";
import { equippedWorkspace, openOwnConsole } from "./own-console.js";

const hour = 3_600_000;
const shared = browseSharedGateway();

/** A camera with a rule, at a facility in Tokyo. */
async function newSite() {
  const site = await equippedWorkspace(shared.gateway);
  await shared.gateway.prisma.facility.updateMany({
    where: { id: site.facilityId },
    data: { timeZoneId: "Asia/Tokyo", effectiveTimeZoneId: "Asia/Tokyo" },
  });
  return { ...site, ruleId: await createAlertRule(shared.gateway.prisma, { cameraId: site.cameraId }) };
}

const untilOf = async (id: string, kind: "camera" | "alertRule" = "camera") => {
  const row =
    kind === "camera"
      ? await shared.gateway.prisma.camera.findFirstOrThrow({ where: { id } })
      : await shared.gateway.prisma.alertRule.findFirstOrThrow({ where: { id } });
  return row.snoozedUntil?.getTime() as number;
};

/** The time at a facility in Tokyo, such as 2026-11-28T06:00. */
const inTokyo = (instant: number) => new Date(instant + 9 * hour).toISOString().slice(0, 16);

const dialogOf = (page: Page) => page.getByRole("dialog");

test("a camera is snoozed for some time or until a time at its facility, and the snooze is ended", async () => {
  const { workspaceId, cameraId } = await newSite();
  const address = `/?view=camera&camera=${cameraId}`;
  const { page, problems } = await openOwnConsole(shared, { workspaceId, address });
  const snoozed = page.locator(".snoozed-until");
  const submit = () => dialogOf(page).getByRole("button", { name: "Snooze", exact: true }).click();
  const began = Date.now();
  await page.getByRole("button", { name: "Snooze" }).click();
  await dialogOf(page).getByLabel("1 hour").check();
  expect(await violations(page)).toEqual([]);
  await submit();
  await snoozed.getByText("by test.").waitFor();
  // The keyboard stays where it was.
  await page.locator("button:focus", { hasText: "Change the snooze" }).waitFor();
  expect(await untilOf(cameraId)).toBeGreaterThanOrEqual(began + hour - 1000);
  expect(await untilOf(cameraId)).toBeLessThanOrEqual(Date.now() + hour + 1000);
  expect(await violations(page)).toEqual([]);

  // By keyboard alone.
  await page.getByRole("button", { name: "Change the snooze" }).press("Enter");
  await dialogOf(page).getByLabel("1 hour").focus();
  await page.keyboard.press("ArrowDown");
  expect(await dialogOf(page).getByLabel("Until tomorrow, 06:00").isChecked()).toBe(true);
  const tomorrow = inTokyo(Date.now() + 24 * hour).slice(0, 10);
  await page.keyboard.press("Enter");
  await snoozed.getByText(", 06:00").waitFor();
  expect(inTokyo(await untilOf(cameraId))).toBe(`${tomorrow}T06:00`);

  await page.getByRole("button", { name: "Change the snooze" }).click();
  await dialogOf(page).getByLabel("Until", { exact: true }).check();
  await dialogOf(page).getByLabel("Day and time").fill("2020-01-01T10:00");
  await submit();
  await dialogOf(page).getByText("Choose a time in the next 30 days.").waitFor();
  expect(await violations(page)).toEqual([]);
  const day = inTokyo(Date.now() + 48 * hour).slice(0, 10);
  await dialogOf(page).getByLabel("Day and time").fill(`${day}T10:30`);
  await submit();
  await snoozed.getByText(", 10:30").waitFor();
  expect(inTokyo(await untilOf(cameraId))).toBe(`${day}T10:30`);

  await page.getByRole("button", { name: "End the snooze" }).click();
  await snoozed.waitFor({ state: "detached" });
  await page.locator("button:focus", { hasText: "Snooze" }).waitFor();
  expect(await untilOf(cameraId)).toBeLessThanOrEqual(Date.now());

  await page.goto(`${shared.gateway.url}/?view=settings&part=audit`);
  await page.getByText("snoozed a camera, or ended that").first().waitFor();
  await page.getByText(/^Snoozed until: .* → nothing$/).waitFor();
  expect(problems).toEqual(noProblems);
});

test("a rule is snoozed for a day where it is edited, and the camera's page says so, in German at 375 pixels", async () => {
  const { workspaceId, cameraId, ruleId } = await newSite();
  const address = `/?view=rules&camera=${cameraId}`;
  const { page } = await openOwnConsole(shared, { workspaceId, address, locale: "de-DE" });
  await page.setViewportSize({ width: 375, height: 800 });
  const card = page.getByRole("article");
  await card.getByRole("button", { name: "Stummschalten" }).click();
  await dialogOf(page).getByLabel("1 Tag").check();
  await dialogOf(page).getByRole("button", { name: "Stummschalten" }).click();
  await card.getByText("Stumm bis").waitFor();
  expect(await untilOf(ruleId, "alertRule")).toBeGreaterThan(Date.now() + 23 * hour);
  expect(await violations(page)).toEqual([]);
  const width = await page.evaluate("document.documentElement.scrollWidth");
  expect(width).toBe(375);
  await page.goto(`${shared.gateway.url}/?view=camera&camera=${cameraId}`);
  await page.getByRole("region", { name: "Regeln" }).getByText("Stumm bis").waitFor();
});

test("who may not change rules sees the snooze, and cannot change it", async () => {
  const { workspaceId, cameraId } = await newSite();
  const until = new Date(Date.now() + hour);
  await shared.gateway.prisma.camera.updateMany({
    where: { id: cameraId },
    data: { snoozedAt: new Date(), snoozedUntil: until },
  });
  const { page } = await openOwnConsole(shared, {
    workspaceId,
    address: `/?view=camera&camera=${cameraId}`,
    roles: permissions.filter((permission) => permission !== "alert-rules:write"),
  });
  await page.locator(".snoozed-until").waitFor();
  expect(await page.getByRole("button", { name: /snooze/i }).count()).toBe(0);
});
