import type { Page, Request } from "playwright-core";
import { listOf } from "../support/list-of.js";
import {
  buttonOf,
  clickButton,
  clickLink,
  expectAccessible,
  expectCount,
  expectNone,
  expectSoon,
  holdRequests,
  pressKeys,
  untilPainted,
  waitForHeading,
  waitForStatus,
  waitForText,
} from "./console-page.js";
import { noProblems } from "./monitored-page.js";
import { picturedConsole } from "./pictured-console.js";

const site = picturedConsole();

const details = (page: Page) => page.locator(".alert-details");
const opened = (page: Page) => new URL(page.url()).searchParams.get("alert");
const expectOpened = (page: Page, id: string | undefined) => expectSoon(() => opened(page), id);
const isShown = (page: Page) =>
  details(page)
    .locator(".alert-stage img")
    .evaluate((image) => (image as HTMLImageElement).naturalWidth > 0, undefined, { timeout: 1_000 })
    .catch(() => false);
const untilShown = (page: Page) => expectSoon(() => isShown(page), true);
const openAlerts = async (as: { user: string }) =>
  (
    await site.gateway.data<{ workspace: { openAlertCount: number } }>("{ workspace { openAlertCount } }", {
      as,
    })
  ).workspace.openAlertCount;

const expectOpen = (as: { user: string }, count: number) => expectSoon(() => openAlerts(as), count);

const isMark = (request: Request) => request.postData()?.includes("mutation MarkAlerts") ?? false;

test("Space acknowledges and goes on through the open alerts, however fast, until nothing is left", async () => {
  const { raise, open, as } = await site.workspace();
  const url = await site.storePicture();
  const ids = await raise(
    ...listOf(12, (index) => ({
      url,
      falsePositive: index === 1,
      name: `ALERT_${index}`,
    })),
  );
  const { page, problems } = await open("/?view=alerts");
  await clickButton(page, "Review");
  await expectOpened(page, ids[0]);
  await expectAccessible(page);
  // Keys count as soon as the picture has been painted.
  const pressSpace = async (next: string | null | undefined) =>
    expect
      .poll(
        async () => {
          if (opened(page) !== next) await pressKeys(page, "Space");
          return opened(page);
        },
        { interval: 100 },
      )
      .toBe(next);
  await pressSpace(ids[2]);
  await pressKeys(page, "z");
  await expectOpen(as, 11);
  for (const next of ids.slice(3)) await pressSpace(next);
  // The one that was taken back comes last.
  await pressSpace(ids[0]);
  await pressSpace(null);
  await waitForHeading(details(page), "Nothing is left to review");
  expect(await openAlerts(as)).toBe(0);
  await expectAccessible(page);
  await pressKeys(page, "z");
  await expectOpened(page, ids[0]);
  await pressKeys(page, "Escape");
  await expectCount(page.getByRole("listitem").locator(".alert-tile"), 1);
  expect(problems).toEqual(noProblems);
});

test("a review goes on after an alert was marked as a false positive, by key or button, and its button names its key", async () => {
  const { raise, open, as } = await site.workspace();
  const ids = await raise({}, {}, {});
  const { page } = await open("/?view=alerts&review=on&open=true");
  await expectOpened(page, ids[0]);
  await waitForText(buttonOf(details(page), "Acknowledge and go on"), "Space");
  await expectSoon(async () => {
    await pressKeys(page, "f");
    return opened(page);
  }, ids[1]);
  await details(page).getByText("No picture").first().waitFor();
  await untilPainted(page);
  await clickButton(details(page), "False positive");
  await expectOpened(page, ids[2]);
  await expectOpen(as, 1);
});

test("in the grid, Space acknowledges the alert that has the focus, goes on to the next, and counts one less until that is undone", async () => {
  const { raise, open, as } = await site.workspace();
  const ids = await raise({}, {}, {});
  const { page } = await open("/?view=alerts&open=true");
  await page.getByRole("article").first().waitFor();
  await pressKeys(page, "j");
  const focused = () => page.evaluate(() => document.activeElement?.closest("li")?.dataset.alert);
  await expectSoon(focused, ids[0]);
  await untilPainted(page);
  await pressKeys(page, "Space");
  await expectSoon(focused, ids[1]);
  await page.locator("[data-mark=acknowledged]").waitFor();
  expect(await openAlerts(as)).toBe(2);
  await waitForText(page.locator(".alert-toolbar h2"), "2 alerts");
  await pressKeys(page, "z");
  await waitForText(page.locator(".outcome"), "Undone.");
  await waitForText(page.locator(".alert-toolbar h2"), "3 alerts");
});

test("the next five pictures are there before they are shown", async () => {
  const { raise, open } = await site.workspace();
  const pictures = await Promise.all(listOf(12, (index) => site.storePicture(index * 30)));
  // In the list behind, only small pictures are shown.
  const thumbnailUrl = await site.storePicture(0, 64, 36);
  const ids = await raise(...pictures.map((url) => ({ url, thumbnailUrl })));
  const { page } = await open(`/?view=alerts&alert=${ids[0]}`);
  await untilShown(page);
  const wanted = pictures.slice(1, 6);
  const loaded = () =>
    page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname));
  await expectSoon(loaded, expect.arrayContaining(wanted.map((key) => `/files/${key}`)));
  expect(opened(page)).toBe(ids[0]);
  for (const id of ids.slice(1, 6)) {
    await pressKeys(page, "j");
    await expectOpened(page, id);
    await untilShown(page);
  }
});

const refusal = (page: Page) => page.getByText("Nothing was done: not all of it had been shown yet.");

test("no key and no button acts on an alert whose picture has not been painted", async () => {
  const { raise, open, as } = await site.workspace(["alerts:read", "alerts:write", "alerts:delete"]);
  const url = await site.storePicture();
  const ids = await raise({ url }, { url }, { url });
  const { page } = await open("/?view=fleet");
  await page.locator("main").getByRole("heading").first().waitFor();
  const release = await holdRequests(page, "**/files/**");
  await clickLink(page, "Alerts", { exact: true });
  await page.getByRole("article").first().waitFor();
  // In the grid, whose tiles have no pictures yet.
  await pressKeys(page, "j", "Space");
  await refusal(page).waitFor();
  await page
    .getByRole("checkbox", { name: /^Select/ })
    .first()
    .check();
  for (const key of ["a", "b", "f"]) await pressKeys(page, key);
  await clickButton(page.locator(".selection-bar"), /^Acknowledge/);
  await pressKeys(page, "Escape");
  await clickButton(page, "Review");
  await expectOpened(page, ids[0]);
  await details(page).getByRole("heading", { level: 2 }).waitFor();
  for (const key of ["Space", "a", "b", "f", "Space"]) await pressKeys(page, key);
  for (const name of [/^Acknowledge$/, /^Bookmark/, /^False positive/, /^Delete/, /^Acknowledge and go on/])
    await clickButton(details(page), name);
  await refusal(page).waitFor();
  await expectNone(page.getByRole("dialog"));
  expect(opened(page)).toBe(ids[0]);
  expect(await openAlerts(as)).toBe(3);
  expect(await site.gateway.prisma.alert.count({ where: { id: { in: ids }, bookmark: true } })).toBe(0);
  release();
  await untilShown(page);
  await expectSoon(async () => {
    await pressKeys(page, "Space");
    return opened(page);
  }, ids[1]);
});

test.each([
  ["de-DE", 375],
  ["en-GB", 1280],
])(
  "in %s at %i px, what tells that nothing was done covers no button that stays in place",
  async (locale, width) => {
    const { raise, open } = await site.workspace();
    const url = await site.storePicture();
    const ids = await raise({ url }, { url });
    const { page } = await open("/?view=fleet", { locale, viewport: { width, height: 800 } });
    await page.locator("main").getByRole("heading").first().waitFor();
    await holdRequests(page, "**/files/**");
    await page.locator(".views a[href*='view=alerts']").click();
    await page.getByRole("checkbox").first().check();
    await pressKeys(page, "a");
    const outcome = page.locator(".outcome");
    await outcome.locator("span").waitFor();
    const coveredBy = async (buttons: string) => {
      const told = await outcome.boundingBox();
      const boxes = await Promise.all(
        (await page.locator(buttons).all()).map((button) => button.boundingBox()),
      );
      expect(boxes.length).toBeGreaterThan(1);
      return boxes.filter(
        (box) =>
          !box ||
          !told ||
          (box.x < told.x + told.width &&
            told.x < box.x + box.width &&
            box.y < told.y + told.height &&
            told.y < box.y + box.height),
      );
    };
    expect(await coveredBy(".selection-bar button")).toEqual([]);
    await pressKeys(page, "Escape");
    await page.locator(`[data-alert="${ids[0]}"] .alert-link`).click();
    await details(page).getByRole("heading", { level: 2 }).waitFor();
    await pressKeys(page, "a");
    expect(await coveredBy(".alert-stage button, .alert-steps button, .views > a:visible")).toEqual([]);
  },
);

test("on a phone, four views are in the bar, and a review is a picture to swipe and big buttons", async () => {
  const { raise, open } = await site.workspace();
  const url = await site.storePicture();
  const ids = await raise({ url }, { url });
  const { page } = await open("/?view=alerts", { viewport: { width: 375, height: 740 }, hasTouch: true });
  await page.locator(".alert-picture img").first().waitFor();
  const views = page.locator(".views > :is(a, button):visible");
  expect(await views.allInnerTexts()).toEqual(["Today", "Alerts", "Cameras", "More"]);
  await clickButton(page, "Review");
  await untilShown(page);
  await expectAccessible(page);
  expect(await details(page).boundingBox()).toEqual({ x: 0, y: 0, width: 375, height: 740 });
  expect((await details(page).locator(".alert-stage").boundingBox())?.width).toBe(375);
  const goOn = await buttonOf(details(page), "Acknowledge and go on").boundingBox();
  expect(goOn?.height).toBeGreaterThan(48);
  expect(goOn?.y).toBeGreaterThan(550);
  const touch = await page.context().newCDPSession(page);
  const swipe = async (from: number, to: number) => {
    await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x: from, y: 100 }] });
    await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: [{ x: to, y: 100 }] });
    await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  };
  await swipe(300, 100);
  await expectOpened(page, ids[1]);
  await swipe(100, 300);
  await expectOpened(page, ids[0]);
});

test("a picture that cannot be loaded says so, and the alert can be acknowledged then", async () => {
  const { raise, open, as } = await site.workspace();
  const ids = await raise({ url: "pictures/gone.jpg" }, {});
  const { page } = await open("/?view=alerts&review=on&open=true");
  await details(page).getByText("The picture could not be loaded").first().waitFor();
  await expectSoon(async () => {
    await pressKeys(page, "Space");
    return opened(page);
  }, ids[1]);
  await expectOpen(as, 1);
});

test("without a connection, a review stops, no key, comment or menu does anything, the page says so, and is brought up to date later", async () => {
  const { raise, open, as, place } = await site.workspace();
  const ids = await raise({}, {});
  const { page } = await open(`/?view=alerts&review=on&alert=${ids[0]}`);
  const field = details(page).getByRole("textbox", { name: "Write a comment" });
  await field.fill("Ladder left");
  await clickButton(details(page), "Send");
  await buttonOf(details(page), "Delete this comment").waitFor();
  await untilPainted(page);
  await pressKeys(page, "a");
  await expectOpen(as, 1);
  const sent: string[] = [];
  page.on("request", (request) => {
    if (/"query":"mutation/.test(request.postData() ?? "")) sent.push(request.postData() ?? "");
  });
  const isRefused = async (act: () => Promise<void>) => {
    const refusal = page.locator(".outcome").getByText("Do it again when it is back");
    await act();
    await refusal.waitFor();
  };
  await page.context().setOffline(true);
  await waitForStatus(page, "is brought up to date when it is back");
  await isRefused(() => pressKeys(page, "z"));
  await isRefused(() => pressKeys(page, "b", "Space"));
  expect(opened(page)).toBe(ids[0]);
  await isRefused(() => clickButton(details(page), "Delete this comment"));
  await clickButton(details(page), "Change this comment");
  await isRefused(() => clickButton(details(page), "Save"));
  await field.fill("Still there");
  await isRefused(() => clickButton(details(page), "Send"));
  expect(await field.inputValue()).toBe("Still there");
  await pressKeys(page, "Escape", "Escape");
  await expectCount(details(page), 0);
  await clickButton(page.locator(".alert-toolbar"), "More");
  await isRefused(() => clickButton(page, "Acknowledge all"));
  await raise({ ...place, createdAt: new Date() });
  await page.context().setOffline(false);
  await waitForStatus(page, "Connected again");
  await expectCount(page.getByRole("article"), 3);
  expect([sent, await openAlerts(as)]).toEqual([[], 2]);
});

test("what is typed on while a comment is sent or a dialog closes marks no alert", async () => {
  const { raise, open, as } = await site.workspace();
  const ids = await raise({});
  const { page } = await open(`/?view=alerts&alert=${ids[0]}`);
  await details(page).getByText("No picture").first().waitFor();
  await untilPainted(page);
  // Keys count by the page's clock, which stands still until it is moved.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 1_000);
  const typeOnUntil = async (isClosed: () => Promise<boolean>, isHeld: (text: string) => boolean) => {
    const release = await holdRequests(page, "**/graphql", (request) => isHeld(request.postData() ?? ""));
    await pressKeys(page, "Control+Enter");
    await page.clock.runFor(5_000);
    release();
    await expectSoon(isClosed, true);
    await page.keyboard.type("fab");
    await page.clock.runFor(100);
    await page.keyboard.type(" a");
    await page.unroute("**/graphql");
  };
  await pressKeys(page, "c");
  await page.keyboard.type("Ladder");
  await typeOnUntil(
    async () => (await details(page).locator(".comment-text").count()) === 1,
    (text) => text.includes("CommentAlert"),
  );
  await clickButton(details(page), "Change this comment");
  await page.keyboard.type("s");
  await typeOnUntil(
    async () => (await details(page).getByRole("textbox").count()) === 1,
    (text) => text.includes("EditAlertComment"),
  );
  await pressKeys(page, "Control+k");
  await page.getByRole("combobox").fill("Keyboard shortcuts");
  await pressKeys(page, "Enter");
  await page.keyboard.type("fab");
  await pressKeys(page, "Escape");
  expect(await openAlerts(as)).toBe(1);
  await page.clock.runFor(1_000);
  await expectSoon(async () => {
    await pressKeys(page, "a");
    return openAlerts(as);
  }, 0);
  expect(
    await site.gateway.prisma.alert.count({
      where: { OR: [{ falsePositive: true }, { bookmark: true }], id: { in: ids } },
    }),
  ).toBe(0);
});

test("an acknowledgement that fails stops the review, and can be tried again", async () => {
  const { raise, open, as } = await site.workspace();
  const ids = await raise({}, {}, {});
  const { page } = await open("/?view=alerts&review=on&open=true");
  await expectOpened(page, ids[0]);
  await page.route("**/graphql", (route) =>
    isMark(route.request()) ? route.abort("connectionreset") : route.continue(),
  );
  const pressSpace = (next: string) =>
    expectSoon(async () => {
      await pressKeys(page, "Space");
      return opened(page);
    }, next);
  await pressSpace(ids[1] as string);
  const tryAgain = buttonOf(page.locator(".outcome"), "Try again");
  await tryAgain.waitFor();
  await pressKeys(page, "Space", "Space");
  expect(opened(page)).toBe(ids[1]);
  await page.unroute("**/graphql");
  await tryAgain.click();
  await expectOpen(as, 2);
  await pressSpace(ids[2] as string);
  await expectOpen(as, 1);
});

test("a held key acts once, and on a button it presses the button once", async () => {
  const { raise, open, as } = await site.workspace();
  const ids = await raise({}, {}, {}, {});
  const { page } = await open("/?view=alerts&review=on&open=true");
  await expectOpened(page, ids[0]);
  const hold = async (key: string) => {
    for (const _ of [1, 2, 3, 4]) await page.keyboard.down(key);
    await page.keyboard.up(key);
  };
  await details(page).getByText("No picture").first().waitFor();
  await untilPainted(page);
  await hold("b");
  await waitForText(page, "1 alert bookmarked");
  await waitForText(details(page), "Bookmarked by Grace Hopper");
  await hold("Space");
  await expectOpen(as, 3);
  expect(opened(page)).toBe(ids[1]);
  await buttonOf(details(page), "Bookmark").focus();
  await pressKeys(page, "Space");
  await waitForText(details(page), "Bookmarked by Grace Hopper");
  expect([opened(page), await openAlerts(as)]).toEqual([ids[1], 3]);
  await buttonOf(details(page), /^Acknowledge and go on/).focus();
  await hold("Enter");
  await expectOpen(as, 2);
  expect(opened(page)).toBe(ids[2]);
});

test("while the gateway takes long, no mark is lost or taken back, and leaving the page asks first", async () => {
  const { raise, open, as } = await site.workspace();
  const ids = await raise({}, {}, {});
  const { page } = await open(`/?view=alerts&alert=${ids[0]}`);
  await details(page).getByText("No picture").first().waitFor();
  const release = await holdRequests(page, "**/graphql", isMark);
  for (const id of ids) {
    await expectOpened(page, id);
    await untilPainted(page);
    // Twice, as somebody does who sees no answer.
    for (const key of ["f", "f", "a", "j"]) await pressKeys(page, key);
  }
  await pressKeys(page, "z");
  const asked = page.waitForEvent("dialog");
  await page.close({ runBeforeUnload: true });
  await (await asked).dismiss();
  release();
  const marked = () =>
    site.gateway.prisma.alert.findMany({
      where: { id: { in: ids } },
      orderBy: { createdAt: "desc" },
      select: { falsePositive: true, acknowledgedAt: true },
    });
  await expectSoon(
    async () =>
      (await marked()).map(({ falsePositive, acknowledgedAt }) => [falsePositive, acknowledgedAt !== null]),
    [
      [true, true],
      [true, true],
      // The last mark was undone.
      [true, false],
    ],
  );
  expect(await openAlerts(as)).toBe(0);
});

test("tiles that were loaded beyond the window and never seen cannot be marked", async () => {
  const { raise, open, as } = await site.workspace();
  const ids = await raise(...listOf(40, () => ({})));
  const { page } = await open("/?view=alerts&layout=list", { viewport: { width: 1280, height: 800 } });
  const checkbox = (id: string | undefined) => page.locator(`[data-alert="${id}"]`).getByRole("checkbox");
  await checkbox(ids[0]).check();
  const { y, height } = (await page.locator(`[data-alert="${ids[0]}"]`).boundingBox()) as {
    y: number;
    height: number;
  };
  await untilPainted(page);
  const inSight = Math.ceil((800 - y) / height);
  // Leaps over two rows, which were loaded before and are behind the window then.
  await page.evaluate((top) => window.scrollTo(0, top), Math.ceil(y + (inSight + 2) * height));
  await untilPainted(page);
  const last = ids[inSight + 6];
  await checkbox(last).click({ modifiers: ["Shift"] });
  await pressKeys(page, "a");
  await refusal(page).waitFor();
  expect(await openAlerts(as)).toBe(40);
});
