import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createSavedView, createUser, createWorkspace } from "../support/factories.js";
import { browseSharedGateway, openSignedOutPage, signIn, tokenOf, violations } from "./console-page.js";
import { noProblems } from "./monitored-page.js";
import { equippedWorkspace, openOwnConsole } from "./own-console.js";

const shared = browseSharedGateway();

const openAs = (options?: Parameters<typeof openOwnConsole>[1]) =>
  openOwnConsole(shared, { address: "/?view=alerts&severity=HIGH&open=true", ...options });

const dialogOf = (page: Page) => page.getByRole("dialog");
const searchOf = (page: Page) => new URL(page.url()).search;

/** The saved views of a user, in their order. */
const savedBy = async (userId: string) => {
  const views = await shared.gateway.prisma.savedView.findMany({
    where: { userId },
    orderBy: { createdAt: "asc" },
  });
  return views.map(({ name, query }) => ({ name, query }));
};

async function openMenu(page: Page, name = "Saved views"): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
}

/** Saves what the view shows under a name. */
async function save(page: Page, name: string): Promise<void> {
  await openMenu(page);
  await page.getByRole("button", { name: "Save this view" }).click();
  await dialogOf(page).getByLabel("Name").fill(name);
  await page.keyboard.press("Enter");
}

test("the filters of a view are saved under a name, found again, renamed, replaced, and deleted with undo", async () => {
  const { workspaceId } = await equippedWorkspace(shared.gateway);
  const { page, problems, userId } = await openAs({ workspaceId });
  await page.getByRole("heading", { name: "Alerts", level: 1 }).waitFor();
  await openMenu(page);
  await page.getByText("Choose filters for the alerts").waitFor();
  await page.getByRole("button", { name: "Save this view" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await save(page, "Grave and open");
  await page.getByText("“Grave and open” is saved.").waitFor();
  const query = "view=alerts&severity=HIGH&open=true";
  expect(await savedBy(userId)).toEqual([{ name: "Grave and open", query }]);

  await page.getByRole("link", { name: "Insight", exact: true }).click();
  await openMenu(page);
  expect(await page.getByRole("button", { name: "Save this view" }).count()).toBe(0);
  await page.getByRole("link", { name: "Grave and open" }).click();
  await expect.poll(() => searchOf(page)).toBe(`?${query}`);
  await expect.poll(() => page.locator("#saved-views:popover-open").count()).toBe(0);

  await openMenu(page);
  await page.getByRole("link", { name: "Grave and open" }).and(page.locator("[aria-current=page]")).waitFor();
  await page.getByRole("button", { name: "Change: Grave and open" }).click();
  expect(await violations(page)).toEqual([]);
  await dialogOf(page).getByText(`${shared.gateway.url}/?${query}`).waitFor();
  await dialogOf(page).getByLabel("Name").fill("Grave");
  await page.keyboard.press("Enter");
  await page.getByText("“Grave” was changed.").waitFor();
  expect(await savedBy(userId)).toEqual([{ name: "Grave", query }]);

  await page.goto(`${shared.gateway.url}/?view=alerts&severity=LOW`);
  await openMenu(page);
  await page.getByRole("button", { name: "Save this view" }).click();
  await dialogOf(page).getByLabel("Name").fill("grave");
  await dialogOf(page).getByText("“Grave” is saved already.").waitFor();
  await dialogOf(page).getByRole("button", { name: "Replace" }).click();
  await page.getByText("“grave” was changed.").waitFor();
  expect(await savedBy(userId)).toEqual([{ name: "grave", query: "view=alerts&severity=LOW" }]);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Undone.").waitFor();
  expect(await savedBy(userId)).toEqual([{ name: "Grave", query }]);

  await openMenu(page);
  await page.getByRole("button", { name: "Change: Grave" }).click();
  await dialogOf(page).getByLabel("Replace its filters").check();
  await dialogOf(page).getByRole("button", { name: "Save" }).click();
  await dialogOf(page).waitFor({ state: "detached" });
  expect(await savedBy(userId)).toEqual([{ name: "Grave", query: "view=alerts&severity=LOW" }]);

  await openMenu(page);
  await page.getByRole("button", { name: "Change: Grave" }).click();
  await dialogOf(page).getByRole("button", { name: "Delete" }).click();
  await page.getByText("“Grave” was deleted.").waitFor();
  expect(await savedBy(userId)).toEqual([]);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Undone.").waitFor();
  expect(await savedBy(userId)).toEqual([{ name: "Grave", query: "view=alerts&severity=LOW" }]);
  expect(problems).toEqual(noProblems);
});

test("by keys alone a view is saved from the palette, which then leads to it", async () => {
  const { workspaceId } = await equippedWorkspace(shared.gateway);
  const { page, userId, problems } = await openAs({ workspaceId, address: "/?view=fleet&text=gate" });
  await page.locator(".shell h1").waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search views" }).waitFor();
  await page.keyboard.type("save this");
  await page.keyboard.press("Enter");
  await dialogOf(page).getByLabel("Name").waitFor();
  await page.keyboard.type("Gates");
  await page.keyboard.press("Enter");
  await page.getByText("“Gates” is saved.").waitFor();
  expect(await savedBy(userId)).toEqual([{ name: "Gates", query: "view=fleet&text=gate" }]);
  await page.goto(`${shared.gateway.url}/?view=settings`);
  await page.locator(".shell h1").waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search views" }).waitFor();
  await page.keyboard.type("gates");
  await page.getByRole("option", { name: "Gates" }).waitFor();
  await page.keyboard.press("Enter");
  await expect.poll(() => searchOf(page)).toBe("?view=fleet&text=gate");
  expect(problems).toEqual(noProblems);
});

test("whatever another client saved leads nowhere but to filters of this console", async () => {
  const { page, userId, workspaceId, problems } = await openAs();
  const queries = {
    Known: "view=alerts&severity=HIGH&token=secret&code=1&state=2&then=docs&alert=x&add=key&part=keys",
    Twice: "?view=fleet&state=NO_STREAM&state=FAULT_REPORTED&severity=HIGH",
    Elsewhere: "//elsewhere.example/?view=alerts&severity=HIGH",
    Script: "javascript:alert(1)",
    Unknown: "view=constructor&severity=HIGH",
    Markup: "view=alerts&type=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E",
  };
  for (const [name, query] of Object.entries(queries))
    await createSavedView(shared.gateway.prisma, { workspaceId, userId, name, query });
  await openMenu(page);
  const hrefOf = async (name: string) => {
    const link = page.locator("#saved-views").getByRole("link", { name });
    return link.evaluate((element) => (element as HTMLAnchorElement).href.replace(location.origin, ""));
  };
  expect(await hrefOf("Known")).toBe("/?view=alerts&severity=HIGH");
  expect(await hrefOf("Twice")).toBe("/?view=fleet&state=NO_STREAM&state=FAULT_REPORTED");
  for (const name of ["Elsewhere", "Script"]) expect(await hrefOf(name)).toMatch(/^\/(\?view=\w+)?$/);
  await page.locator("#saved-views").getByText("Unknown").waitFor();
  expect(await page.locator("#saved-views").getByRole("link", { name: "Unknown" }).count()).toBe(0);
  await page.getByRole("link", { name: "Markup" }).click();
  await page.getByRole("heading", { name: "No alert matches" }).waitFor();
  expect(problems).toEqual(noProblems);
});

test("a shared link shows another person the same filters", async () => {
  const workspaceId = await createWorkspace(shared.gateway.prisma, {});
  const { page } = await openAs({ workspaceId });
  await page.locator(".shell h1").waitFor();
  await save(page, "Grave and open");
  await openMenu(page);
  await page.getByRole("button", { name: "Change: Grave and open" }).click();
  const link = (await dialogOf(page).locator("pre").textContent()) ?? "";
  const authId = "test|another person";
  await createUser(shared.gateway.prisma, { workspaceId, authId, roles: ["facilities:read", "alerts:read"] });
  const { page: other } = await openSignedOutPage(
    shared.browser,
    shared.gateway.url,
    link.replace(shared.gateway.url, ""),
  );
  await signIn(other, await tokenOf(authId));
  await other.getByRole("button", { name: "Severity High" }).waitFor();
  await other.getByRole("button", { name: "Marks Open only" }).waitFor();
});

test("what the gateway refuses is said at the name in the reader's language, and nothing typed is lost", async () => {
  const { page, userId, workspaceId } = await openAs({ locale: "de-DE" });
  for (let count = 1; count <= 50; count += 1)
    await createSavedView(shared.gateway.prisma, {
      workspaceId,
      userId,
      name: `View ${count}`,
      query: "view=alerts",
    });
  await openMenu(page, "Gespeicherte Ansichten");
  await page.getByRole("link", { name: "View 50" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Diese Ansicht speichern" }).click();
  const name = dialogOf(page).getByLabel("Name");
  const submit = async (text: string) => {
    await name.fill(text);
    await page.keyboard.press("Enter");
  };
  await submit("Morgens");
  await dialogOf(page).getByText("Es gibt 50 gespeicherte Ansichten, mehr gehen nicht.").waitFor();
  expect(await name.getAttribute("aria-invalid")).toBe("true");
  expect(await dialogOf(page).getByText("Jemand anderes").count()).toBe(0);
  expect(await violations(page)).toEqual([]);
  await submit("rück\u202ewärts");
  await dialogOf(page).getByText("Ein Name hat 1 bis 200 druckbare Zeichen.").waitFor();
  expect(await name.inputValue()).toBe("rück\u202ewärts");
  expect(await savedBy(userId)).toHaveLength(50);
  await page.keyboard.press("Escape");
  await dialogOf(page).getByRole("button", { name: "Verwerfen" }).click();
  await openMenu(page, "Gespeicherte Ansichten");
  await page.getByRole("button", { name: "Ändern: View 7", exact: true }).click();
  await name.fill("view 8");
  await dialogOf(page).getByText("Eine gespeicherte Ansicht mit diesem Namen gibt es schon.").waitFor();
  await shared.gateway.prisma.savedView.deleteMany({ where: { workspaceId, userId, name: "View 7" } });
  await submit("Sieben");
  await dialogOf(page).getByText("Diese gespeicherte Ansicht wurde inzwischen gelöscht.").waitFor();
  expect(await name.inputValue()).toBe("Sieben");
});

test("filters that are too long to be saved are refused at the form", async () => {
  const types = Array.from({ length: 60 }, (_, index) => `&type=TYPE_WITH_A_VERY_LONG_NAME_NUMBER_${index}`);
  const { page, userId } = await openAs({ address: `/?view=alerts${types.join("")}` });
  await page.locator(".shell h1").waitFor();
  await save(page, "Too much");
  await dialogOf(page).getByText("These filters are too many to be saved").waitFor();
  expect(await savedBy(userId)).toEqual([]);
});

test("a lost answer keeps what was typed, and saving again doubles nothing", async () => {
  const { page, userId } = await openAs();
  await page.locator(".shell h1").waitFor();
  let losses = 0;
  await page.route("**/graphql", async (route) => {
    if (losses > 0 || !route.request().postData()?.includes("mutation SaveView")) return route.continue();
    losses += 1;
    await route.fetch();
    await route.abort("connectionreset");
  });
  await save(page, "Mornings");
  const dialog = dialogOf(page);
  await dialog.getByText("It is not known whether that was done.").waitFor();
  expect(await dialog.getByLabel("Name").inputValue()).toBe("Mornings");
  // The list was read again, so the form knows the name.
  await dialog.getByRole("button", { name: "Replace" }).click();
  await dialog.waitFor({ state: "detached" });
  expect((await savedBy(userId)).map(({ name }) => name)).toEqual(["Mornings"]);
});

test("on a phone the saved views are in the menu of the account", async () => {
  const { page, problems } = await openAs();
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByRole("button", { name: "Account" }).click();
  await openMenu(page);
  await page.getByRole("button", { name: "Save this view" }).click();
  await dialogOf(page).getByLabel("Name").fill("Mornings");
  await page.keyboard.press("Enter");
  await page.getByText("“Mornings” is saved.").waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  await page.getByRole("button", { name: "Account" }).click();
  await openMenu(page);
  await page.getByRole("link", { name: "Mornings" }).waitFor();
  expect(await violations(page)).toEqual([]);
  expect(problems).toEqual(noProblems);
});
