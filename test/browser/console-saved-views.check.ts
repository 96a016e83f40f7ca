import type { Page } from "playwright-core";
import { createSavedView } from "../support/factories.js";
import { listOf } from "../support/list-of.js";
import {
  browseSharedGateway,
  buttonOf,
  clickButton,
  clickLink,
  expectAccessible,
  expectCount,
  expectNone,
  expectToFit,
  fillIn,
  linkOf,
  loseAnswers,
  pressKeys,
  tick,
  waitForHeading,
  waitForText,
} from "./console-page.js";
import { noProblems } from "./monitored-page.js";
import { newSite, newUser } from "./own-console.js";

const shared = browseSharedGateway();

const filtered = "/?view=alerts&severity=HIGH&open=true";

const dialogOf = (page: Page) => page.getByRole("dialog");
const searchOf = (page: Page) => new URL(page.url()).search;

/** The saved views of a user, in their order. */
const savedBy = async (userId: string) => {
  const views = await shared.prisma.savedView.findMany({
    where: { userId },
    orderBy: { createdAt: "asc" },
  });
  return views.map(({ name, query }) => ({ name, query }));
};

async function openMenu(page: Page, name = "Saved views"): Promise<void> {
  await clickButton(page, name, { exact: true });
}

/** Saves what the view shows under a name. */
async function save(page: Page, name: string): Promise<void> {
  await openMenu(page);
  await clickButton(page, "Save this view");
  await fillIn(dialogOf(page), "Name", name);
  await pressKeys(page, "Enter");
}

test("the filters of a view are saved under a name, found again, renamed, replaced, and deleted with undo", async () => {
  const { userId, open } = await newSite(shared);
  const { page, problems } = await open(filtered);
  await waitForHeading(page, "Alerts", 1);
  await openMenu(page);
  await waitForText(page, "Choose filters for the alerts");
  await buttonOf(page, "Save this view").waitFor();
  await expectAccessible(page);
  await pressKeys(page, "Escape");
  await save(page, "Grave and open");
  await waitForText(page, "“Grave and open” is saved.");
  const query = "view=alerts&severity=HIGH&open=true";
  expect(await savedBy(userId)).toEqual([{ name: "Grave and open", query }]);

  await clickLink(page, "Insight", { exact: true });
  await openMenu(page);
  await expectNone(buttonOf(page, "Save this view"));
  await clickLink(page, "Grave and open");
  await expect.poll(() => searchOf(page)).toBe(`?${query}`);
  await expectCount(page.locator("#saved-views:popover-open"), 0);

  await openMenu(page);
  await linkOf(page, "Grave and open").and(page.locator("[aria-current=page]")).waitFor();
  await clickButton(page, "Change: Grave and open");
  await expectAccessible(page);
  await waitForText(dialogOf(page), `${shared.gateway.url}/?${query}`);
  await fillIn(dialogOf(page), "Name", "Grave");
  await pressKeys(page, "Enter");
  await waitForText(page, "“Grave” was changed.");
  expect(await savedBy(userId)).toEqual([{ name: "Grave", query }]);

  await page.goto(`${shared.gateway.url}/?view=alerts&severity=LOW`);
  await openMenu(page);
  await clickButton(page, "Save this view");
  await fillIn(dialogOf(page), "Name", "grave");
  await waitForText(dialogOf(page), "“Grave” is saved already.");
  await clickButton(dialogOf(page), "Replace");
  await waitForText(page, "“grave” was changed.");
  expect(await savedBy(userId)).toEqual([{ name: "grave", query: "view=alerts&severity=LOW" }]);
  await clickButton(page, "Undo");
  await waitForText(page, "Undone.");
  expect(await savedBy(userId)).toEqual([{ name: "Grave", query }]);

  await openMenu(page);
  await clickButton(page, "Change: Grave");
  await tick(dialogOf(page), "Replace its filters");
  await clickButton(dialogOf(page), "Save");
  await dialogOf(page).waitFor({ state: "detached" });
  expect(await savedBy(userId)).toEqual([{ name: "Grave", query: "view=alerts&severity=LOW" }]);

  await openMenu(page);
  await clickButton(page, "Change: Grave");
  await clickButton(dialogOf(page), "Delete");
  await waitForText(page, "“Grave” was deleted.");
  expect(await savedBy(userId)).toEqual([]);
  await clickButton(page, "Undo");
  await waitForText(page, "Undone.");
  expect(await savedBy(userId)).toEqual([{ name: "Grave", query: "view=alerts&severity=LOW" }]);
  expect(problems).toEqual(noProblems);
});

test("whatever another client saved leads nowhere but to filters of this console", async () => {
  const { userId, workspaceId, open } = await newUser(shared);
  const { page, problems } = await open(filtered);
  const queries = {
    Known: "view=alerts&severity=HIGH&token=secret&code=1&state=2&then=docs&alert=x&add=key&part=keys",
    Twice: "?view=fleet&state=NO_STREAM&state=FAULT_REPORTED&severity=HIGH",
    Elsewhere: "//elsewhere.example/?view=alerts&severity=HIGH",
    Script: "javascript:alert(1)",
    Unknown: "view=constructor&severity=HIGH",
    Markup: "view=alerts&type=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E",
  };
  for (const [name, query] of Object.entries(queries))
    await createSavedView(shared.prisma, { workspaceId, userId, name, query });
  await openMenu(page);
  const hrefOf = async (name: string) => {
    const link = linkOf(page.locator("#saved-views"), name);
    return link.evaluate((element) => (element as HTMLAnchorElement).href.replace(location.origin, ""));
  };
  expect(await hrefOf("Known")).toBe("/?view=alerts&severity=HIGH");
  expect(await hrefOf("Twice")).toBe("/?view=fleet&state=NO_STREAM&state=FAULT_REPORTED");
  for (const name of ["Elsewhere", "Script"]) expect(await hrefOf(name)).toMatch(/^\/(\?view=\w+)?$/);
  await waitForText(page.locator("#saved-views"), "Unknown");
  await expectNone(linkOf(page.locator("#saved-views"), "Unknown"));
  await clickLink(page, "Markup");
  await waitForHeading(page, "No alert matches");
  expect(problems).toEqual(noProblems);
});

test("what the gateway refuses is said at the name in the reader's language, and nothing typed is lost", async () => {
  const { userId, workspaceId, open } = await newUser(shared);
  const { page } = await open(filtered, { locale: "de-DE" });
  for (let count = 1; count <= 50; count += 1)
    await createSavedView(shared.prisma, {
      workspaceId,
      userId,
      name: `View ${count}`,
      query: "view=alerts",
    });
  await openMenu(page, "Gespeicherte Ansichten");
  await linkOf(page, "View 50").waitFor();
  await clickButton(page, "Diese Ansicht speichern");
  const name = dialogOf(page).getByLabel("Name");
  const submit = async (text: string) => {
    await name.fill(text);
    await pressKeys(page, "Enter");
  };
  await submit("Morgens");
  await waitForText(dialogOf(page), "Es gibt 50 gespeicherte Ansichten, mehr gehen nicht.");
  expect(await name.getAttribute("aria-invalid")).toBe("true");
  await expectNone(dialogOf(page).getByText("Jemand anderes"));
  await expectAccessible(page);
  await submit("rück\u202ewärts");
  await waitForText(dialogOf(page), "Ein Name hat 1 bis 200 druckbare Zeichen.");
  expect(await name.inputValue()).toBe("rück\u202ewärts");
  expect(await savedBy(userId)).toHaveLength(50);
  await pressKeys(page, "Escape");
  await clickButton(dialogOf(page), "Verwerfen");
  await openMenu(page, "Gespeicherte Ansichten");
  await clickButton(page, "Ändern: View 7", { exact: true });
  await name.fill("view 8");
  await waitForText(dialogOf(page), "Eine gespeicherte Ansicht mit diesem Namen gibt es schon.");
  await shared.prisma.savedView.deleteMany({ where: { workspaceId, userId, name: "View 7" } });
  await submit("Sieben");
  await waitForText(dialogOf(page), "Diese gespeicherte Ansicht wurde inzwischen gelöscht.");
  expect(await name.inputValue()).toBe("Sieben");
});

test("by keys alone a view is saved from the palette, and filters that are too long are refused at the form", async () => {
  const types = listOf(60, (index) => `&type=TYPE_WITH_A_VERY_LONG_NAME_NUMBER_${index}`);
  const { userId, open } = await newUser(shared);
  const { page } = await open(`/?view=alerts${types.join("")}`);
  await page.locator(".shell h1").waitFor();
  await pressKeys(page, "Control+k");
  await page.getByRole("combobox", { name: "Search views" }).waitFor();
  await page.keyboard.type("save this");
  await pressKeys(page, "Enter");
  await dialogOf(page).getByLabel("Name").waitFor();
  await page.keyboard.type("Too much");
  await pressKeys(page, "Enter");
  await waitForText(dialogOf(page), "These filters are too many to be saved");
  expect(await savedBy(userId)).toEqual([]);
});

test("a lost answer keeps what was typed, and saving again doubles nothing", async () => {
  const { userId, open } = await newUser(shared);
  const { page } = await open(filtered);
  await page.locator(".shell h1").waitFor();
  let saves = 0;
  await loseAnswers(page, (body) => {
    if (body.includes("mutation SaveView")) saves += 1;
    return saves === 1 && body.includes("mutation SaveView");
  });
  await save(page, "Mornings");
  const dialog = dialogOf(page);
  await waitForText(dialog, "It is not known whether that was done.");
  expect(await dialog.getByLabel("Name").inputValue()).toBe("Mornings");
  // The list was read again, so the form knows the name.
  await clickButton(dialog, "Replace");
  await dialog.waitFor({ state: "detached" });
  expect((await savedBy(userId)).map(({ name }) => name)).toEqual(["Mornings"]);
});

test("on a phone the saved views are in the menu of the account", async () => {
  const { page, problems } = await (await newUser(shared)).open(filtered);
  await page.setViewportSize({ width: 360, height: 740 });
  await clickButton(page, "Account");
  await openMenu(page);
  await clickButton(page, "Save this view");
  await fillIn(dialogOf(page), "Name", "Mornings");
  await pressKeys(page, "Enter");
  await waitForText(page, "“Mornings” is saved.");
  await expectToFit(page);
  await clickButton(page, "Account");
  await openMenu(page);
  await linkOf(page, "Mornings").waitFor();
  expect(problems).toEqual(noProblems);
});
