import { randomUUID } from "node:crypto";
import type { Locator, Page } from "playwright-core";
import { createInvitation, createSavedView } from "../support/factories.js";
import {
  browseSharedGateway,
  buttonOf,
  clickButton,
  clickLink,
  downloadBy,
  fillIn,
  goWithin,
  openSignedOutPage,
  pressKeys,
  tick,
  waitForText,
} from "./console-page.js";
import { noProblems, plainHost } from "./monitored-page.js";
import { newSite } from "./own-console.js";

const shared = browseSharedGateway();

const plainOrigin = () => shared.gateway.url.replace("127.0.0.1", plainHost);
const dialogOf = (page: Page) => page.getByRole("dialog");

/** A site without https, where browsers withhold from the console what they give secure origins. */
async function plainSite() {
  const site = await newSite(shared);
  const open = async (address?: string) => {
    const opened = await site.open(address, { origin: plainOrigin() });
    expect(await opened.page.evaluate(() => isSecureContext)).toBe(false);
    return opened;
  };
  return { ...site, open };
}

/** What was copied last, as it is pasted into a field. */
async function pasted(page: Page): Promise<string> {
  const paper = await page.context().newPage();
  await paper.setContent("<textarea autofocus></textarea>");
  await paper.locator("textarea").focus();
  await pressKeys(paper, "Control+V");
  const text = await paper.locator("textarea").inputValue();
  await paper.close();
  return text;
}

test("without https, rules are added and copied to other cameras", async () => {
  const { workspaceId, cameraId, addCamera, open } = await plainSite();
  const other = await addCamera({ name: "Yard" });
  const { page, problems } = await open(`/?view=rules&camera=${cameraId}`);
  await clickLink(page, "Add a rule");
  await fillIn(page, /^Name in alerts/, "Dock");
  await tick(page, "Watch the whole picture");
  await clickButton(page, "Save", { exact: true });
  const card = page.getByRole("article", { name: /^Dock/ });
  await clickButton(card, "More");
  await clickButton(card, "Copy");
  await tick(dialogOf(page), "Yard");
  await clickButton(dialogOf(page), /^Copy to/);
  await expect
    .poll(() => shared.prisma.alertRule.count({ where: { workspaceId, cameraId: other, evaluated: true } }))
    .toBe(1);
  expect(problems).toEqual(noProblems);
});

/** Presses each Copy button of a place, and expects the text beside it to be what is pasted. */
async function expectCopies(place: Page | Locator, page: Page): Promise<void> {
  const copyable = place.locator(".copyable");
  await copyable.first().waitFor();
  for (const each of await copyable.all()) {
    await clickButton(each, /^Copy/);
    await waitForText(each, "Copied");
    expect(await pasted(page)).toBe(await each.locator("pre").textContent());
  }
}

test("without https, every Copy button copies", async () => {
  const { workspaceId, userId, cameraId, raise, open } = await plainSite();
  const { prisma } = shared;
  const [id] = await raise({});
  await createSavedView(prisma, { workspaceId, userId, name: "Open" });
  await createInvitation(prisma, { workspaceId, invitedById: userId });
  await prisma.cameraFeed.create({
    data: {
      ...{ workspaceId, cameraId, streamRequestId: randomUUID(), errorCode: "ADDRESS_NOT_ALLOWED" },
      ...{ failures: 1, failingSince: new Date() },
    },
  });
  const { page, problems } = await open(`/?view=alerts&alert=${id}`);
  await clickButton(page, "Copy link");
  await waitForText(page, "Copied");
  expect(await pasted(page)).toContain(`/?alert=${id}`);
  await pressKeys(page, "Escape", "q");
  await expectCopies(dialogOf(page), page);
  await pressKeys(page, "Escape");
  await clickButton(page, "Saved views", { exact: true });
  await clickButton(page, "Change: Open");
  await expectCopies(dialogOf(page), page);
  await pressKeys(page, "Escape");
  await dialogOf(page).waitFor({ state: "detached" });
  await goWithin(page, `/?view=camera&camera=${cameraId}`);
  await expectCopies(page, page);
  await goWithin(page, "/?view=settings&part=people");
  await expectCopies(page, page);
  await goWithin(page, "/?view=settings&part=keys&add=key");
  await dialogOf(page).getByLabel("Name").fill("Detector");
  await clickButton(dialogOf(page), "Read only");
  await clickButton(dialogOf(page), "Create a key");
  await dialogOf(page).getByRole("region", { name: "Key" }).waitFor();
  await expectCopies(dialogOf(page), page);
  expect(problems).toEqual(noProblems);
});

test("without https, the profile says what notifications need, and tables are downloaded", async () => {
  const { open } = await plainSite();
  const { page, problems } = await open("/?view=settings&part=profile");
  await page.getByLabel("Show a notification").click();
  await waitForText(page, "They need HTTPS");
  await goWithin(page, "/?view=settings&part=audit");
  const log = await downloadBy(page, clickButton(page, "Export as CSV"));
  expect(String(log.data)).toContain("Time,Who");
  await goWithin(page, "/?view=settings");
  await clickButton(page, "Export cameras (CSV)");
  const cameras = await downloadBy(page, clickButton(dialogOf(page), "Download 1 camera"));
  expect(String(cameras.data)).toContain("Gate");
  expect(problems).toEqual(noProblems);
});

test("without https, cameras are imported from a CSV", async () => {
  const { workspaceId, open } = await plainSite();
  const { page, problems } = await open("/?view=settings&import=cameras");
  await page.getByLabel(/^Table/).fill("name,url,facility\nNorth,rtsp://192.0.2.1/a,Plant");
  await clickButton(page, "Save 1 camera");
  await expect.poll(() => shared.prisma.camera.count({ where: { workspaceId, name: "North" } })).toBe(1);
  expect(problems).toEqual(noProblems);
});

test("without https, every view and form opens", async () => {
  const { addRule, open } = await plainSite();
  await addRule();
  const { page, problems } = await open();
  for (const [address, heading] of [
    ["/?view=today", "Today"],
    ["/?view=fleet", "Cameras"],
    ["/?view=alerts", "Alerts"],
    ["/?view=insight", "Insight"],
    ["/?view=rules", "Rules"],
    ["/?view=settings&part=facilities&add=facility", "Add a facility"],
    ["/?view=settings&part=people&add=person", "Invite somebody"],
    ["/?view=settings&part=keys&add=key", "Create an API key"],
    ["/?view=settings&part=profile", "Profile"],
  ] as const) {
    await goWithin(page, address);
    await page.getByRole("heading", { name: heading, exact: true }).first().waitFor();
  }
  await page.waitForLoadState("networkidle");
  expect(problems).toEqual(noProblems);
});

test.each([
  ["/graphql", ".graphiql-query-editor .view-lines"],
  ["/docs", "form .curl"],
])("without https, the page %s opens, and copies", async (address, ready) => {
  const { page, problems } = await openSignedOutPage(plainOrigin(), address);
  await page.locator(ready).first().waitFor();
  await buttonOf(page, /^Copy/).first().click();
  await expect.poll(() => pasted(page)).toMatch(/curl|\{/);
  expect(problems).toEqual(noProblems);
});
