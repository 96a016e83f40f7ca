import type { Page } from "playwright-core";
import {
  browseSharedGateway,
  buttonOf,
  clickButton,
  expectCount,
  goWithin,
  linkOf,
  pressKeys,
  waitForText,
} from "./console-page.js";
import { noProblems } from "./monitored-page.js";
import { newSite } from "./own-console.js";

const shared = browseSharedGateway();

/**
 * Does with a page what Chrome does when it translates one: two `font` elements around each
 * text, which either hold the text itself or another one in its place; and goes on with
 * what comes later.
 */
async function translate(page: Page, keepsTexts: boolean): Promise<void> {
  await page.evaluate((keepsTexts) => {
    const translateAll = () => {
      const texts: Text[] = [];
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) texts.push(walker.currentNode as Text);
      for (const text of texts) {
        if (text.parentElement?.closest("font, script, style, textarea, option")) continue;
        const [outer, inner] = [document.createElement("font"), document.createElement("font")];
        outer.append(inner);
        text.replaceWith(outer);
        inner.append(keepsTexts ? text : text.data);
      }
    };
    translateAll();
    new MutationObserver(translateAll).observe(document.body, { subtree: true, childList: true });
  }, keepsTexts);
}

async function siteWithAlerts() {
  const site = await newSite(shared);
  const alertRuleId = await site.addRule({ name: "PERSON" });
  await site.raise(...["PERSON", "PERSON", "FIRE"].map((name) => ({ name, alertRuleId })));
  return site;
}

describe.each([
  ["holds its texts", true],
  ["replaces its texts", false],
])("in a page that a browser translates, which %s", (_how, keepsTexts) => {
  test("filters, marks, dialogs and new alerts work, and numbers stay true", async () => {
    const { page, problems } = await (await siteWithAlerts()).open("/?view=alerts");
    const tiles = page.locator(".alert-tile");
    await expectCount(tiles, 3);
    await translate(page, keepsTexts);
    await clickButton(page, /^Type/);
    await page.getByLabel("Fire", { exact: true }).check();
    await pressKeys(page, "Escape");
    await expectCount(tiles, 1);
    await page.locator(".alert-toolbar h2", { hasText: /^1 alert$/ }).waitFor();
    await page.goBack();
    await expectCount(tiles, 3);
    await page.locator(".alert-toolbar h2", { hasText: /^3 alerts$/ }).waitFor();
    await tiles.first().getByRole("checkbox").check();
    await waitForText(page, "1 selected");
    await tiles.nth(1).getByRole("checkbox").check();
    await waitForText(page, "2 selected");
    await clickButton(page, /^Bookmark/);
    await waitForText(page, "2 alerts bookmarked");
    await clickButton(page, "Clear");
    await tiles.first().getByRole("link").click();
    await waitForText(page, "1 of 3");
    await pressKeys(page, "j");
    await waitForText(page, "2 of 3");
    await pressKeys(page, "Escape", "?");
    await page.getByRole("dialog").waitFor();
    await pressKeys(page, "Escape");
    await expectCount(tiles, 3);
    expect(problems).toEqual(noProblems);
  });
});

test("in a page whose texts a browser replaces, every view is left and entered, and its menus and forms open and close", async () => {
  const { cameraId, open } = await siteWithAlerts();
  const { page, problems } = await open("/?view=today");
  await page.locator("main").getByRole("heading").first().waitFor();
  await translate(page, false);
  const go = async (address: string) => {
    await goWithin(page, address);
    await page.locator("main").getByRole("heading").first().waitFor();
  };
  for (const [address, button] of [
    ["/?view=fleet", undefined],
    ["/?view=insight", undefined],
    [`/?view=rules&camera=${cameraId}`, "Add a rule"],
    [`/?view=camera&camera=${cameraId}`, undefined],
    ["/?view=settings&part=facilities", "Add a facility"],
    ["/?view=settings&part=people", "Invite somebody"],
    ["/?view=settings&part=keys", "Create a key"],
    ["/?view=settings&part=connectors", undefined],
    ["/?view=settings&part=notifications", undefined],
    ["/?view=settings&part=audit", undefined],
    ["/?view=settings&part=workspace", undefined],
    ["/?view=settings&part=profile", undefined],
    ["/?view=today", undefined],
  ] as const) {
    await go(address);
    if (button === undefined) continue;
    await buttonOf(page, button).or(linkOf(page, button)).first().click();
    const dialog = page.locator("dialog[open], .rule-page");
    for (const box of await dialog.getByRole("checkbox").all())
      await box.setChecked(!(await box.isChecked()));
    for (const choice of await dialog.getByRole("combobox").all()) {
      const last = await choice.locator("option").count();
      if (last > 1) await choice.selectOption({ index: last - 1 });
    }
    await clickButton(dialog, "Cancel");
    const discard = buttonOf(dialog, "Discard");
    const left = async () => {
      if ((await discard.count()) > 0) await discard.click();
      return dialog.count();
    };
    await expect.poll(left).toBe(0);
  }
  expect(problems).toEqual(noProblems);
});
