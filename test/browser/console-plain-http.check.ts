import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createAlertRule, createAlerts, createCamera } from "../support/factories.js";
import { browseSharedGateway, openSignedOutPage } from "./console-page.js";
import { noProblems, plainHost } from "./monitored-page.js";
import { equippedWorkspace, openOwnConsole } from "./own-console.js";

const shared = browseSharedGateway();

const plainOrigin = () => shared.gateway.url.replace("127.0.0.1", plainHost);
const dialogOf = (page: Page) => page.getByRole("dialog");

/** The console at a site without https, where browsers withhold what they give secure origins. */
async function openPlain(options: Omit<Parameters<typeof openOwnConsole>[1], "origin">) {
  const opened = await openOwnConsole(shared, { ...options, origin: plainOrigin() });
  expect(await opened.page.evaluate(() => isSecureContext)).toBe(false);
  return opened;
}

/** What was copied last, as it is pasted into a field. */
async function pasted(page: Page): Promise<string> {
  const paper = await page.context().newPage();
  await paper.setContent("<textarea autofocus></textarea>");
  await paper.locator("textarea").focus();
  await paper.keyboard.press("Control+V");
  const text = await paper.locator("textarea").inputValue();
  await paper.close();
  return text;
}

test("without https, rules are added and copied to other cameras", async () => {
  const { workspaceId, facilityId, cameraId } = await equippedWorkspace(shared.gateway);
  const other = await createCamera(shared.gateway.prisma, { workspaceId, facilityId, name: "Yard" });
  const address = `/?view=rules&camera=${cameraId}`;
  const { page, problems } = await openPlain({ workspaceId, address });
  await page.getByRole("button", { name: "Add a rule" }).click();
  await dialogOf(page).getByLabel("Name", { exact: false }).first().fill("Dock");
  await dialogOf(page).getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("article", { name: /^Dock/ }).getByRole("button", { name: "Copy" }).click();
  await dialogOf(page).getByLabel("Yard").check();
  await dialogOf(page)
    .getByRole("button", { name: /^Copy to/ })
    .click();
  await expect
    .poll(() =>
      shared.gateway.prisma.alertRule.count({ where: { workspaceId, cameraId: other, evaluated: true } }),
    )
    .toBe(1);
  expect(problems).toEqual(noProblems);
});

test("without https, cameras are added from a table", async () => {
  const { workspaceId } = await equippedWorkspace(shared.gateway);
  const address = "/?view=settings&part=facilities&import=cameras";
  const { page, problems } = await openPlain({ workspaceId, address });
  await page.getByLabel(/^Table/).fill("name,url,streamType,facility\nYard,rtsp://192.0.2.1/1,DIRECT,Plant");
  await page.getByRole("button", { name: /^Add 1/ }).click();
  await expect.poll(() => shared.gateway.prisma.camera.count({ where: { workspaceId } })).toBe(2);
  expect(problems).toEqual(noProblems);
});

test("without https, keys, links and API calls are copied", async () => {
  const { workspaceId, facilityId, cameraId } = await equippedWorkspace(shared.gateway);
  const [id] = await createAlerts(shared.gateway.prisma, [{ workspaceId, facilityId, cameraId }]);
  const { page, problems } = await openPlain({ workspaceId, address: `/?view=alerts&alert=${id}` });
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByText("Copied").waitFor();
  expect(await pasted(page)).toContain(`/?alert=${id}`);
  await page.keyboard.press("Escape");
  await page.keyboard.press("q");
  await dialogOf(page).getByRole("button", { name: /^Copy/ }).first().click();
  await dialogOf(page).getByText("Copied").waitFor();
  expect(await pasted(page)).toContain("query");
  expect(problems).toEqual(noProblems);
});

test.each([
  "/?view=today",
  "/?view=fleet",
  "/?view=alerts",
  "/?view=insight",
  "/?view=rules",
  "/?view=settings&part=facilities&add=facility",
  "/?view=settings&part=people&add=person",
  "/?view=settings&part=keys&add=key",
  "/?view=settings&part=profile",
])("without https, %s opens", async (address) => {
  const { workspaceId, cameraId } = await equippedWorkspace(shared.gateway);
  await createAlertRule(shared.gateway.prisma, { cameraId });
  const { page, problems } = await openPlain({ workspaceId, address });
  await page.locator("main").getByRole("heading").first().waitFor();
  await page.waitForLoadState("networkidle");
  expect(problems).toEqual(noProblems);
});

test.each([
  ["/graphql", ".graphiql-query-editor .view-lines"],
  ["/docs", "form .curl"],
])("without https, the page %s opens, and copies", async (address, ready) => {
  const { page, problems } = await openSignedOutPage(shared.browser, plainOrigin(), address);
  await page.locator(ready).first().waitFor();
  await page.getByRole("button", { name: /^Copy/ }).first().click();
  await expect.poll(() => pasted(page)).toMatch(/curl|\{/);
  expect(problems).toEqual(noProblems);
});
