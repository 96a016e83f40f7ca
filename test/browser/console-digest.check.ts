import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { permissions } from "../../src/access/permissions.js";
import { createFacility, createUser, createWorkspace } from "../support/factories.js";
import { browseOwnGateway, openSignedOutPage, signIn, tokenOf, violations } from "./console-page.js";
import { noProblems } from "./monitored-page.js";

const own = browseOwnGateway({
  // Nothing listens there, so deliveries wait.
  environment: { SMTP_URL: "smtp://127.0.0.1:9", MAIL_FROM: "gateway@test.example" },
});

/** Opens the profile of a new user, whose workspace has two facilities. */
async function openProfile(values: { email?: string } = {}) {
  const workspaceId = await createWorkspace(own.gateway.prisma, {});
  const [plant] = await Promise.all(
    ["Plant", "Depot"].map((name) => createFacility(own.gateway.prisma, { workspaceId, name })),
  );
  const authId = `test|${randomUUID()}`;
  await createUser(own.gateway.prisma, { workspaceId, authId, roles: [...permissions], ...values });
  const address = "/?view=settings&part=profile";
  const { page, problems } = await openSignedOutPage(own.browser, own.gateway.url, address, {
    locale: "en-GB",
  });
  await signIn(page, await tokenOf(authId));
  return { page, problems, workspaceId, plant };
}

const digestOf = (page: Page) => page.getByRole("region", { name: "Daily digest" });

test("the digest is set in the profile, by the keyboard alone", async () => {
  const { page, workspaceId, plant } = await openProfile();
  await digestOf(page).getByText("Off", { exact: true }).waitFor();
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Edit: Daily digest" }).press("Enter");
  await dialog.getByLabel("Time", { exact: true }).fill("18:30");
  await dialog.getByLabel("Time zone").fill("Europe/Nowhere");
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Save" }).press("Enter");
  await dialog.getByText("Enter the name of a time zone, such as Europe/Berlin.").waitFor();
  await dialog.getByLabel("Time zone").fill("Asia/Kolkata");
  await dialog.getByLabel("Plant").press("Space");
  await dialog.getByRole("button", { name: "Save" }).press("Enter");
  await digestOf(page).getByText("At 18:30 (Asia/Kolkata), 1 facility").waitFor();
  const [digest] = await own.gateway.prisma.digest.findMany({ where: { workspaceId } });
  expect(digest).toMatchObject({ enabled: true, at: "18:30", facilityIds: [plant] });

  await page.getByRole("button", { name: "Edit: Daily digest" }).press("Enter");
  expect(await dialog.getByLabel("Plant").isChecked()).toBe(true);
  await dialog.getByLabel("Send it each day").press("Space");
  await dialog.getByRole("button", { name: "Save" }).press("Enter");
  await digestOf(page).getByText("Off", { exact: true }).waitFor();
  await page.setViewportSize({ width: 360, height: 700 });
  expect(await violations(page)).toEqual([]);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
});

test("who has no email address reads why there is no digest", async () => {
  const { page } = await openProfile({ email: "" });
  await digestOf(page)
    .getByText(/you have no email address/)
    .waitFor();
  expect(await page.getByRole("button", { name: "Edit: Daily digest" }).count()).toBe(0);
});

test("language and appearance are chosen in the profile as in the menu of the account", async () => {
  const { page, problems } = await openProfile();
  const display = page.getByRole("region", { name: "Language and appearance in this browser" });
  await display.getByLabel("Appearance").selectOption("dark");
  expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
  await page.getByRole("button", { name: "Account" }).click();
  const menu = page.locator("#account");
  expect(await menu.getByLabel("Appearance").inputValue()).toBe("dark");
  await page.keyboard.press("Escape");
  expect(await violations(page)).toEqual([]);
  await display.getByLabel("Language").selectOption("de");
  await page.getByRole("region", { name: "Tägliche Übersicht" }).waitFor();
  expect(problems).toEqual(noProblems);
});
