import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import type { Permission } from "../../src/engine/access/permissions.js";
import { createAlertRule, createApiKey, createSavedView, createUser } from "../support/factories.js";
import { listOf } from "../support/list-of.js";
import {
  browseSharedGateway,
  buttonOf,
  clickButton,
  expectAccessible,
  expectNone,
  expectSearch,
  expectSoon,
  expectToFit,
  openSignedOutPage,
  pressKeys,
  signIn,
  signOut,
  tokenOf,
  waitForHeading,
  waitForStatus,
  waitForText,
} from "./console-page.js";
import { noProblems } from "./monitored-page.js";
import { newSite, newUser } from "./own-console.js";

const shared = browseSharedGateway();

const field = (page: Page) =>
  page.getByRole("combobox", { name: /^(Search views, cameras|Ansichten, Kameras)/ });
const options = (page: Page) => page.getByRole("option");
const optionOf = (page: Page, name: string | RegExp) => page.getByRole("option", { name });
const activeOption = (page: Page) => page.locator("[role=option][aria-selected=true]");

/** Opens the palette by its keys, once the console listens to them. */
async function openPalette(page: Page): Promise<void> {
  await page.locator(".shell h1").waitFor();
  await pressKeys(page, "Control+k");
  await field(page).waitFor();
}

/** Closes the dialog in front of the view. */
async function closeDialog(page: Page): Promise<void> {
  await pressKeys(page, "Escape");
  await closed(page);
}

/**
 * Waits until no dialog is left. One that is hidden may still be closing, and a key that
 * opens it again has no effect until then.
 */
const closed = (page: Page) => page.locator("dialog").waitFor({ state: "detached" });

/** The titles and hints of the offered options. */
const offered = async (page: Page): Promise<string[]> =>
  (await options(page).allInnerTexts()).map((text) => text.replace(/\s+/g, " "));

test("one camera of thousands is found and opened by keys alone, and what is found is announced", async () => {
  const { workspaceId, facilityId, open } = await newSite(shared);
  await shared.prisma.camera.createMany({
    data: listOf(3000, (index) => ({ workspaceId, facilityId, name: `Yard ${index}` })),
  });
  const { page, problems } = await open("/?view=alerts");
  await openPalette(page);
  const active = () => field(page).getAttribute("aria-activedescendant");
  const isActive = async (name: string) =>
    expect.poll(async () => page.locator(`[id="${await active()}"]`).textContent()).toContain(name);
  await page.keyboard.type("YARD 29");
  await optionOf(page, "All 111 cameras with “YARD 29”").waitFor();
  await waitForStatus(page, "9 results");
  await isActive("Yard 29");
  await pressKeys(page, "ArrowUp");
  await isActive("All 111 cameras");
  await pressKeys(page, "ArrowDown");
  await isActive("Yard 29");
  await page.keyboard.type("99");
  await expectSoon(() => offered(page), ["Yard 2999 Plant"]);
  await pressKeys(page, "Enter");
  await waitForHeading(page, "Yard 2999", 1);
  await expectNone(page.getByRole("dialog"));
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("content");
  await openPalette(page);
  await page.keyboard.type("alerts");
  const tab = page.context().waitForEvent("page");
  await pressKeys(page, "Control+Enter");
  await expectSoon(async () => (await tab).url(), `${shared.gateway.url}/?view=alerts`);
  await (await tab).close();
  await field(page).fill("nowhere to be found");
  await waitForStatus(page, "Nothing matches");
  await pressKeys(page, "Enter");
  await closeDialog(page);
  expect(problems).toEqual(noProblems);
});

test("a search that is no longer wanted is cancelled, and its late answer is not shown", async () => {
  const { open } = await newSite(shared);
  const { page } = await open("/?view=alerts");
  const searched: string[] = [];
  const cancelled: string[] = [];
  const textOf = (data: string | null) => JSON.parse(data ?? "{}").variables?.text as string | undefined;
  page.on("requestfailed", (request) => cancelled.push(textOf(request.postData()) ?? ""));
  await page.route("**/graphql", async (route) => {
    const text = textOf(route.request().postData());
    if (text === undefined) return route.continue();
    searched.push(text);
    // The first search is never answered.
    if (text !== "no") await route.continue();
  });
  await openPalette(page);
  await page.keyboard.type("no");
  await expectSoon(() => searched, ["no"]);
  await field(page).fill("gate");
  await optionOf(page, "Gate Plant").first().waitFor();
  expect(searched).toEqual(["no", "gate"]);
  expect(cancelled).toContain("no");
});

test("rules are found by their types in the reader's language, and with the name of the camera", async () => {
  const { workspaceId, cameraId, open } = await newSite(shared);
  await createAlertRule(shared.prisma, { workspaceId, cameraId, name: "VEHICLE_IN_PEDESTRIAN_AREA" });
  const { page, problems } = await open("/?view=alerts", { locale: "de-DE" });
  await openPalette(page);
  await page.keyboard.type("fahrzeug gate");
  const rule = optionOf(page, /^Fahrzeug.*Gate · Plant$/);
  await rule.waitFor();
  await expectAccessible(page);
  await rule.click();
  await waitForHeading(page, "Regeln", 1);
  expect(new URL(page.url()).searchParams.get("camera")).toBe(cameraId);
  expect(problems).toEqual(noProblems);
});

test("a period alone finds its alerts, and people and the snooze of cameras are found", async () => {
  const { workspaceId, open } = await newSite(shared);
  await createUser(shared.prisma, { workspaceId, firstName: "Grace", lastName: "Hopper" });
  const { page, problems } = await open("/?view=fleet");
  const find = async (text: string, option: string | RegExp) => {
    await openPalette(page);
    await page.keyboard.type(text);
    await optionOf(page, option).click();
  };
  await find("yesterday", "Alerts yesterday");
  await waitForHeading(page, "Alerts", 1);
  expect(page.url()).toMatch(/[?&]relative\w*=-1/);
  await find("hopper", /^Grace Hopper/);
  await waitForHeading(page, "Grace Hopper");
  await expectNone(page.getByRole("heading", { name: "(you)" }));
  await find("snooze", "Snooze cameras");
  await waitForHeading(page.getByRole("dialog"), "Snooze cameras");
  expect(problems).toEqual(noProblems);
});

test("a language that is chosen offline is shown once the network is back", async () => {
  const { open } = await newSite(shared);
  const { page } = await open("/?view=alerts");
  await openPalette(page);
  await page.context().setOffline(true);
  await page.keyboard.type("deutsch");
  await optionOf(page, /Deutsch$/).click();
  await waitForStatus(page, "Connection lost");
  await page.context().setOffline(false);
  await waitForHeading(page, "Alarme", 1);
});

test("what was chosen lately is first, for this user alone, and the browser keeps no name of it", async () => {
  const { workspaceId, cameraId, userId, open } = await newSite(shared);
  const { page } = await open("/?view=alerts");
  await createSavedView(shared.prisma, {
    workspaceId,
    userId,
    name: "Mornings",
    query: "view=alerts&open=true",
  });
  await openPalette(page);
  await optionOf(page, "Mornings").click();
  await expectSearch(page, "?view=alerts&open=true");
  await openPalette(page);
  await page.keyboard.type("gate");
  await optionOf(page, "Gate Plant").first().click();
  await waitForHeading(page, "Gate", 1);
  await page.reload();
  await openPalette(page);
  await expectSoon(async () => (await offered(page)).slice(0, 2), ["Gate Plant", "Mornings Alerts"]);
  await page.getByRole("group", { name: "Recent" }).waitFor();
  const kept = await page.evaluate(() => localStorage.getItem("console.recent"));
  expect(kept).not.toMatch(/Gate|Mornings/);
  await shared.prisma.camera.deleteMany({ where: { workspaceId, id: cameraId } });
  await page.reload();
  await openPalette(page);
  await expectSoon(async () => (await offered(page))[0], "Mornings Alerts");
  await closeDialog(page);
  await signOut(page);
  const authId = `test|${randomUUID()}`;
  await createUser(shared.prisma, { workspaceId, authId, roles: [] });
  await signIn(page, await tokenOf(authId));
  await openPalette(page);
  await optionOf(page, "Settings").waitFor();
  await expectNone(page.getByRole("group", { name: "Recent" }));
});

test("only what the viewer may do is offered, and an action opens its form", async () => {
  const { workspaceId, open } = await newSite(shared);
  const restricted = ["Add a facility", "Add a camera Plant", "Invite somebody", "Create a key API keys"];
  const roles: Permission[] = ["facilities:read", "cameras:read", "alerts:read"];
  const plainUser = await newUser(shared, { workspaceId, roles });
  const { page: plain } = await plainUser.open("/?view=alerts");
  await openPalette(plain);
  await optionOf(plain, "Sign out").waitFor();
  await optionOf(plain, "Language: Deutsch").waitFor();
  await plain.keyboard.type("a");
  await optionOf(plain, /^Plant Alerts$/).waitFor();
  await field(plain).fill("");
  expect((await offered(plain)).filter((text) => restricted.includes(text))).toEqual([]);
  await field(plain).fill("audit");
  await waitForStatus(plain, "Nothing matches");

  const { page, problems } = await open("/?view=alerts");
  await openPalette(page);
  for (const text of restricted) await expect.poll(() => offered(page)).toContain(text);
  await page.keyboard.type("invite");
  await pressKeys(page, "Enter");
  const dialog = page.getByRole("dialog", { name: "Invite somebody" });
  await dialog.waitFor();
  await clickButton(dialog, "Cancel");
  await expectSearch(page, "?view=settings&part=people");
  await openPalette(page);
  await page.keyboard.type("add camera plant");
  await pressKeys(page, "Enter");
  await page.getByRole("dialog", { name: "Add a camera to “Plant”" }).waitFor();
  await closeDialog(page);
  await openPalette(page);
  await page.keyboard.type("audit");
  await pressKeys(page, "Enter");
  await waitForHeading(page, "Audit log");
  await openPalette(page);
  await page.keyboard.type("dark");
  await pressKeys(page, "Enter");
  await expectSoon(() => page.evaluate(() => document.documentElement.dataset.theme), "dark");
  expect(problems).toEqual(noProblems);
});

test("the keys work while the reader is typing, but neither in front of a dialog nor when all keys are off", async () => {
  const { page } = await (await newUser(shared)).open("/?view=fleet");
  await page.locator(".shell h1").waitFor();
  await pressKeys(page, "?");
  const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await waitForText(list, "Search and go to");
  await waitForText(list, "Ctrl+K", { exact: true });
  await pressKeys(page, "Control+k");
  await expectNone(field(page));
  await closeDialog(page);
  await clickButton(page, "Search and go to");
  await field(page).waitFor();
  await closeDialog(page);
  await page.evaluate(() => {
    document.querySelector("main")?.append(document.createElement("textarea"));
    document.querySelector<HTMLElement>("main textarea")?.focus();
  });
  await pressKeys(page, "Control+k");
  await field(page).waitFor();
  await pressKeys(page, "Control+k");
  await closed(page);
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("TEXTAREA");
  await pressKeys(page, "Control+k");
  await field(page).waitFor();
  // The list of keys offers to turn them off.
  await page.keyboard.type("shortcuts");
  await pressKeys(page, "Enter");
  await list.getByLabel("Listen to these keys").uncheck();
  await closeDialog(page);
  await pressKeys(page, "Control+k");
  await expectNone(page.getByRole("dialog"));
});

test("on a phone a button opens it, in both languages and appearances, with nothing beside the window", async () => {
  for (const { locale, colorScheme, name } of [
    { locale: "en-GB", colorScheme: "dark", name: "Search and go to" },
    { locale: "de-DE", colorScheme: "light", name: "Suchen und öffnen" },
  ] as const) {
    const { page, problems } = await (await newUser(shared)).open("/?view=alerts", { locale });
    await page.setViewportSize({ width: 360, height: 740 });
    await page.emulateMedia({ colorScheme });
    await clickButton(page, name);
    await expect.poll(() => options(page).count()).toBeGreaterThan(10);
    await expectAccessible(page);
    await activeOption(page).waitFor();
    await expectToFit(page);
    const box = await page
      .getByRole("button", { name: /^(Account|Konto)$/, includeHidden: true })
      .boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(360);
    await closeDialog(page);
    expect(problems).toEqual(noProblems);
  }
});

test("with an API key it offers no saved views, and says what could not be searched", async () => {
  const { workspaceId } = await newSite(shared);
  const permissions: Permission[] = ["facilities:read", "cameras:read"];
  const { key } = await createApiKey(shared.prisma, { workspaceId, permissions });
  const { page } = await openSignedOutPage(shared.gateway.url, "/?view=fleet&text=gate");
  await signIn(page, key);
  await openPalette(page);
  await optionOf(page, "Sign out").waitFor();
  await expectNone(optionOf(page, "Save this view"));
  await expectNone(buttonOf(page, "Saved views"));
  await page.route("**/graphql", (route) => route.abort());
  await page.keyboard.type("gate");
  await waitForText(page, "Not everything was searched: The gateway cannot be reached");
});
