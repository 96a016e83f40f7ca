import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import {
  browseSharedGateway,
  buttonOf,
  clickButton,
  expectToFit,
  goWithin,
  holdRequests,
  linkOf,
  openConsolePage,
  pressKeys,
  waitForText,
} from "./console-page.js";

const demo = browseSharedGateway({ seed: "demo" });

const open = async (address: string, options: BrowserContextOptions = {}): Promise<Page> => {
  const { page } = await openConsolePage(demo.origin, address, options);
  return page;
};

/**
 * The views, each with an element that appears once the view is shown, and is not in the
 * one before.
 */
const views = [
  { address: "/", shown: ".today-severities" },
  { address: "/?view=alerts", shown: ".alert-tile img" },
  { address: "/?view=fleet", shown: ".newest-alert .severity" },
  { address: "/?view=alerts&layout=list", shown: ".alert-tile img" },
  { address: "/?view=insight", shown: ".heatmap-picture svg" },
  { address: "/?view=rules", shown: ".rule-card" },
];

/** Goes to another view, and waits until it is shown. */
async function goTo(page: Page, { address, shown }: { address: string; shown: string }): Promise<void> {
  await goWithin(page, address);
  await page.locator(shown).first().waitFor();
}

/** Opens a view, and an alert in front of the stream. */
async function openAlert(page: Page): Promise<void> {
  await goTo(page, { address: "/?view=alerts", shown: ".alert-tile img" });
  await pressKeys(page, "j", "Enter");
  await page.locator(".alert-stage img").waitFor();
}

/** A property of an element, or of a part of it, as the browser shows it. */
const styleOf = (element: Locator, property: string, part?: string): Promise<string> =>
  element
    .first()
    .evaluate((each, [name, pseudo]) => getComputedStyle(each, pseudo).getPropertyValue(name), [
      property,
      part,
    ] as const);

/** The system's colour for a purpose, in a page with forced colours. */
const systemColour = (page: Page, name: string): Promise<string> =>
  page.evaluate((colour) => {
    const sample = document.body.appendChild(document.createElement("span"));
    sample.style.color = colour;
    const { color } = getComputedStyle(sample);
    sample.remove();
    return color;
  }, name);

describe("with forced colours", () => {
  const openForced = (address: string, colorScheme: "light" | "dark" = "dark") =>
    open(address, { colorScheme, forcedColors: "active" });

  test("chosen elements have the system's colours for them", async () => {
    const page = await openForced("/?view=fleet");
    const [highlight, highlightText] = [
      await systemColour(page, "Highlight"),
      await systemColour(page, "HighlightText"),
    ];
    expect(highlight).not.toBe(await systemColour(page, "Canvas"));
    const expectChosen = async (element: Locator) => {
      expect(await styleOf(element, "background-color")).toBe(highlight);
      expect(await styleOf(element, "color")).toBe(highlightText);
    };
    const needsAttention = buttonOf(page, "Needs attention");
    await clickButton(page, "Amsterdam Terminal");
    await needsAttention.click();
    await expectChosen(page.locator("button[aria-pressed=true]", { hasText: "Needs attention" }));
    await expectChosen(page.locator(".views a[aria-current]"));
    expect(await styleOf(page.locator(".views a:not([aria-current])"), "background-color")).not.toBe(
      highlight,
    );
    expect(await styleOf(page.locator(".facility-card[data-selected=true]"), "outline-color")).toBe(
      highlight,
    );
    expect(await styleOf(page.locator(".facility-card[data-selected=false]"), "outline-style")).toBe("none");
    // The ring around the focused element lies on the page, not on the chosen element.
    await pressKeys(page, "Tab", "Shift+Tab");
    expect(await styleOf(needsAttention, "outline-style")).toBe("solid");
    expect(await styleOf(needsAttention, "outline-color")).toBe(await systemColour(page, "CanvasText"));

    await goTo(page, { address: "/?view=alerts&period=7d", shown: ".alert-tile img" });
    await expectChosen(page.locator(".filter-button[data-set=true]"));
    await expectChosen(page.locator(".layout-choice [aria-pressed=true]"));
    await pressKeys(page, "j", "x");
    await page.locator(".selection-bar").waitFor();
    expect(
      await styleOf(page.locator(".alert-item[data-selected=true] .alert-link"), "border-top-color"),
    ).toBe(highlight);
    expect(
      await styleOf(page.locator(".alert-item[data-selected=false] .alert-link"), "border-top-color"),
    ).not.toBe(highlight);

    await goTo(page, { address: "/?view=rules", shown: ".rule-card" });
    await expectChosen(page.locator(".rules-cameras a[aria-current]"));
    await page.locator(".rule-name").first().click();
    expect(await styleOf(page.locator(".rule-card[data-selected=true]"), "outline-color")).toBe(highlight);
  });

  test("bars, cells and marks differ from their backgrounds", async () => {
    const page = await openForced("/?view=insight");
    await page.locator(".heatmap-picture svg").waitFor();
    const canvas = await systemColour(page, "Canvas");
    const series = await page
      .locator(".comparison .series")
      .evaluateAll((elements) => elements.map((element) => getComputedStyle(element).backgroundColor));
    expect(series.length).toBeGreaterThan(2);
    expect(new Set([...series, canvas]).size).toBe(series.length + 1);
    expect(series).toContain(await styleOf(page.locator(".bars-stack .series"), "background-color"));
    expect(await styleOf(page.locator(".busiest-bar"), "background-color")).not.toBe(canvas);
    const cells = await page
      .locator(".week-hours tbody td")
      .evaluateAll((elements) => elements.map((element) => getComputedStyle(element).backgroundColor));
    expect(new Set(cells).size).toBeGreaterThan(10);

    await goTo(page, { address: "/?view=fleet", shown: ".newest-alert .severity" });
    expect(await styleOf(page.locator(".facility-state"), "background-color", "::before")).not.toBe(canvas);
    expect(await styleOf(page.locator(".severity"), "background-color", "::before")).not.toBe(canvas);
    expect(await styleOf(page.locator(".recent-days"), "stroke")).toBe(
      await systemColour(page, "CanvasText"),
    );
    expect(await styleOf(page.locator(".present-day"), "fill")).toBe(await systemColour(page, "Highlight"));
  });

  test("drawings over a picture keep their colours", async () => {
    const page = await openForced("/?view=rules");
    await linkOf(page, "Change the area").first().click();
    const corner = page.locator(".corner");
    expect(await styleOf(corner, "border-top-color")).toBe("rgb(255, 255, 255)");
    expect(await styleOf(corner, "background-color")).toBe("rgb(36, 80, 200)");
  });

  test.each([
    ["light", "dark"],
    ["dark", "light"],
  ] as const)("the colours that stay suit %s forced ones, also if %s was chosen", async (scheme, chosen) => {
    const page = await openForced("/?view=insight", scheme);
    await page.locator(".bars-stack .series").first().waitFor();
    const suitable = await styleOf(page.locator(".bars-stack .series"), "background-color");
    expect(suitable).not.toBe(await systemColour(page, "Canvas"));
    await page.evaluate((theme) => localStorage.setItem("console.theme", theme), chosen);
    await page.reload();
    await page.locator(`:root[data-theme=${chosen}]`).waitFor();
    await page.locator(".bars-stack .series").first().waitFor();
    expect(await styleOf(page.locator(".bars-stack .series"), "background-color")).toBe(suitable);
  });
});

describe("on paper", () => {
  const openDark = (address: string) => open(address, { colorScheme: "dark" });

  /** The number of sheets of paper for the page. */
  async function sheets(page: Page): Promise<number> {
    const document = await page.pdf({ format: "A4" });
    return document.toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  }

  /** The texts of controls that are printed nevertheless. */
  const printedControls = (page: Page): Promise<string[]> =>
    page
      .locator("button, .button, input, select, textarea, summary, dialog, nav, .floating-bar, .page-header")
      .evaluateAll((elements) =>
        elements
          .filter((element) => element.checkVisibility())
          .map((element) => {
            if (element instanceof HTMLInputElement) return element.value;
            if (element instanceof HTMLSelectElement) return element.ariaLabel ?? "";
            return (element as HTMLElement).innerText.replaceAll(/\s+/g, " ").trim();
          }),
      );

  test.each(["grid", "list"])(
    "the alerts that are listed as a %s take a few sheets, and it is said which of all they are",
    async (layout) => {
      const page = await openDark(`/?view=alerts&layout=${layout}`);
      await page.locator(".alert-tile img").first().waitFor();
      expect(await sheets(page)).toBeLessThanOrEqual(3);
      const listed = page.locator(".alerts-listed");
      expect(await listed.isVisible()).toBe(false);
      const before = await listed.textContent();
      expect(before).toMatch(/^Alerts 1 to \d+ of 20,\d{3}; the others are not on this printout\.$/);
      await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight / 2));
      await expect
        .poll(() => listed.textContent())
        .toMatch(/^Alerts (?:9|10),\d{3} to (?:9|10),\d{3} of 20,\d{3}/);
      expect(await sheets(page)).toBeLessThanOrEqual(3);
      await page.emulateMedia({ media: "print" });
      expect(await listed.isVisible()).toBe(true);
    },
  );

  test("an open alert is printed alone, without a dialog in front of it, on as many sheets as it takes", async () => {
    const page = await openDark("/");
    await openAlert(page);
    expect(await sheets(page)).toBeLessThanOrEqual(2);
    await pressKeys(page, "?");
    await page.getByRole("dialog").waitFor();
    await page.emulateMedia({ media: "print" });
    expect(await page.locator(".alert-tile").first().isVisible()).toBe(false);
    expect(await page.locator(".alert-stage img").isVisible()).toBe(true);
    expect(await printedControls(page)).toEqual([]);
  });

  test("every view is dark on white without what can be operated, whatever appearance was chosen", async () => {
    const page = await openDark("/");
    await page.evaluate(() => localStorage.setItem("console.theme", "dark"));
    await page.reload();
    const names: Record<string, RegExp> = {
      "/?view=fleet": /Terminal|Centre|Works|Plant/,
      "/?view=insight": /^Period Last 30 days$|^Camera$/,
    };
    for (const view of views) {
      await goTo(page, view);
      expect(await styleOf(page.locator(".shell"), "color")).toBe("rgb(227, 232, 239)");
      await page.emulateMedia({ media: "print" });
      expect(await styleOf(page.locator(".shell"), "color")).toBe("rgb(27, 36, 48)");
      expect(await styleOf(page.locator("body"), "background-color")).toBe("rgb(255, 255, 255)");
      const expected = names[view.address];
      if (view.address === "/?view=rules")
        expect((await printedControls(page)).length).toBe(await page.locator(".rule-card").count());
      else expect((await printedControls(page)).filter((text) => !expected?.test(text))).toEqual([]);
      await page.emulateMedia({ media: null });
      expect(await sheets(page)).toBeLessThanOrEqual(3);
    }
  });

  test("the filters of a view are printed as text", async () => {
    const page = await openDark("/?view=alerts&period=7d&severity=HIGH");
    await page.locator(".alert-tile img").first().waitFor();
    await page.emulateMedia({ media: "print" });
    expect(await printedControls(page)).toEqual(["Period Last 7 days", "Severity High"]);
    await page.emulateMedia({ media: null });
    await goTo(page, { address: "/?view=fleet&text=dock", shown: ".camera-tile" });
    await clickButton(page, "Amsterdam Terminal");
    await clickButton(page, "Needs attention");
    await page.locator(".chip").waitFor();
    await page.emulateMedia({ media: "print" });
    expect((await printedControls(page)).slice(-3)).toEqual([
      "dock",
      "Amsterdam Terminal",
      "Needs attention",
    ]);
  });

  test("nothing is cut off, and no card or row is broken across sheets", async () => {
    // The width of a sheet of A4 between usual margins.
    const page = await open("/", { viewport: { width: 718, height: 1000 } });
    for (const view of views) {
      await goTo(page, view);
      await page.locator("details").evaluateAll((all) => {
        for (const each of all as HTMLDetailsElement[]) each.open = true;
      });
      await page.emulateMedia({ media: "print" });
      const cutOff = await page.locator("main *").evaluateAll((elements) =>
        elements
          .filter((element) => element.checkVisibility() && getComputedStyle(element).overflow !== "visible")
          .filter((element) => !element.matches(".visually-hidden, .visually-hidden *, .camera-state"))
          .filter(
            ({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
              scrollWidth > clientWidth || scrollHeight > clientHeight,
          )
          .map((element) => element.className),
      );
      expect(cutOff).toEqual([]);
      await expectToFit(page);
      const broken = await page
        .locator(
          ".alert-item, .facility-cards > li, .camera-grid > li, .rule-cards > li, .scene, tr, .insight-panel:not(:has(.table-scroll))",
        )
        .evaluateAll((elements) =>
          elements
            .filter((element) => getComputedStyle(element).breakInside !== "avoid")
            .map((element) => element.className || element.localName),
        );
      expect(broken).toEqual([]);
      await page.emulateMedia({ media: null });
    }
  });

  test("colours that are numbers are printed, and when something was is said exactly", async () => {
    const page = await open("/?view=insight");
    await page.locator(".heatmap-picture svg").waitFor();
    await page.emulateMedia({ media: "print" });
    for (const coloured of [
      ".bars-stack .series",
      ".comparison .series",
      ".busiest-bar",
      ".week-hours tbody td",
    ])
      expect(await styleOf(page.locator(coloured), "print-color-adjust")).toBe("exact");
    await goTo(page, { address: "/?view=alerts", shown: ".alert-tile img" });
    const moment = page.locator(".alert-tile time").first();
    expect(await styleOf(moment, "content", "::after")).toContain(
      (await moment.getAttribute("title"))?.split("\n")[0],
    );
    expect((await page.locator(".alert-tile .severity").first().boundingBox())?.width).toBeGreaterThan(30);
  });
});

test.each([
  [1280, "light"],
  [1920, "dark"],
  [1920, "light"],
  [1280, "dark"],
] as const)(
  "console, playground and REST page share their header and colours to the pixel, %i px wide, %s",
  async (width, colorScheme) => {
    const looks: unknown[] = [];
    for (const [address, ground] of [
      ["/?view=fleet", "body"],
      ["/graphql", ".graphiql-container"],
      ["/docs", "body"],
    ] as const) {
      const page = await open(address, { colorScheme, viewport: { width, height: 900 } });
      await page.locator(".workspace-name", { hasText: "Demo" }).waitFor();
      const places = await page
        .locator(".page-header, .brand, .brand *, .pages > *, .workspace-name, [popovertarget=account]")
        .filter({ visible: true })
        .evaluateAll((elements) =>
          elements.map((element) => {
            const { x, y, width: wide, height } = element.getBoundingClientRect();
            return [x, y, wide, height, getComputedStyle(element).font];
          }),
        );
      looks.push([places, await styleOf(page.locator(ground), "background-color")]);
    }
    expect(looks[1]).toEqual(looks[0]);
    expect(looks[2]).toEqual(looks[0]);
  },
);

test.each([1280, 1920])("the columns of Today end together, %i px wide", async (width) => {
  const page = await open("/", { viewport: { width, height: 900 } });
  const links = page.locator(".grave-alerts li a");
  await links.first().waitFor();
  const ends = await page
    .locator(".today > div > :last-child")
    .evaluateAll((cards) => cards.map((card) => Math.round(card.getBoundingClientRect().bottom)));
  expect([ends.length, new Set(ends).size]).toEqual([2, 1]);
  // What is beyond the row of pictures cannot have the focus.
  const tops = await links.evaluateAll((all) =>
    all.filter((link) => link.checkVisibility()).map((link) => link.getBoundingClientRect().top),
  );
  expect(tops.length).toBeGreaterThan(4);
  expect(new Set(tops).size).toBe(1);
});

test.each(["en-GB", "de-DE"])(
  "on a phone, the first pictures of a view begin in the first 250 pixels, in %s",
  async (locale) => {
    const page = await open("/", { locale, viewport: { width: 375, height: 740 } });
    for (const [address, picture] of [
      ["/", ".grave-picture"],
      ["/?view=alerts", ".alert-picture"],
      ["/?view=fleet", ".camera-picture"],
      ["/?view=rules", ".camera-rules-scene"],
    ] as const) {
      await goTo(page, { address, shown: `${picture} img` });
      expect((await page.locator(picture).first().boundingBox())?.y, address).toBeLessThan(250);
      await expectToFit(page);
    }
  },
);

/** The elements that move by themselves, and smooth scrolling by scripts. */
const movements = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const moving = [...document.querySelectorAll("*")].flatMap((element) =>
      [undefined, "::before", "::after"].flatMap((part) => {
        const { animationName, transitionDuration, scrollBehavior } = getComputedStyle(element, part);
        const isStill =
          animationName === "none" &&
          /^(?:0s(?:, )?)+$/.test(transitionDuration) &&
          scrollBehavior === "auto";
        return isStill ? [] : [element.className.toString() || element.localName];
      }),
    );
    return [...moving, ...(window as unknown as { smooth: string[] }).smooth];
  });

/** Notes smooth scrolling by scripts. */
const noteSmoothScrolling = (page: Page) =>
  page.addInitScript(() => {
    const smooth: string[] = [];
    Object.assign(window, { smooth });
    const noted = (owner: object, name: string) => {
      const original = Reflect.get(owner, name) as (...given: unknown[]) => void;
      Reflect.set(owner, name, function (this: unknown, ...given: unknown[]) {
        if (given.some((each) => (each as ScrollOptions | undefined)?.behavior === "smooth"))
          smooth.push(name);
        return original.apply(this, given);
      });
    };
    for (const name of ["scrollTo", "scrollBy", "scroll"]) {
      noted(window, name);
      noted(Element.prototype, name);
    }
    noted(Element.prototype, "scrollIntoView");
  });

test.each([
  ["nothing moves by itself for whoever prefers that", "reduce", false],
  ["what is being loaded or pointed at moves for others", "no-preference", true],
] as const)(
  "%s",
  async (_name, reducedMotion, moves) => {
    const page = await open("/favicon.svg", { reducedMotion });
    await noteSmoothScrolling(page);
    // Shown until the answer arrives.
    const answer = await holdRequests(page, "**/graphql");
    await page.goto(`${demo.origin}/`);
    await page.locator(".placeholder").first().waitFor();
    expect((await movements(page)).some((name) => name.includes("placeholder"))).toBe(moves);
    answer();
    // Where things move, two views show that this is noticed.
    for (const view of moves ? views.slice(0, 2) : views) {
      await goTo(page, view);
      for (const key of ["j", "j", "k", "x", ".", "Escape"]) await pressKeys(page, key);
      expect((await movements(page)).length > 0).toBe(moves);
    }
    await openAlert(page);
    await pressKeys(page, "Escape");
    expect((await movements(page)).length > 0).toBe(moves);
    await pressKeys(page, "?");
    await page.getByRole("dialog").waitFor();
    expect((await movements(page)).length > 0).toBe(moves);
  },
  60_000,
);

describe("in a window of 1,280 pixels that is enlarged", () => {
  const [_twice, fourTimes] = [
    { width: 640, height: 400 },
    { width: 320, height: 256 },
  ];
  const openZoomed = (address: string, viewport = fourTimes) => open(address, { viewport });

  /** Whether all of an element is inside of the window, and in front. */
  const isReached = (element: Locator): Promise<boolean> =>
    element.evaluate((each) => {
      const { left, top, right, bottom } = each.getBoundingClientRect();
      const isInside = left >= 0 && top >= 0 && right <= window.innerWidth && bottom <= window.innerHeight;
      return (
        isInside &&
        [top + 2, bottom - 2].every((y) => each.contains(document.elementFromPoint((left + right) / 2, y)))
      );
    });

  test("the last button of a dialog and of a menu can be reached", async () => {
    const page = await openZoomed("/?view=rules");
    await clickButton(page.getByRole("article").first(), "More");
    await clickButton(page, "Copy", { exact: true });
    const cancel = buttonOf(page.getByRole("dialog"), "Cancel");
    await cancel.focus();
    expect(await isReached(cancel)).toBe(true);
    await pressKeys(page, "Escape");
    await linkOf(page, "Change", { exact: true }).first().click();
    const save = buttonOf(page, "Save", { exact: true });
    await save.focus();
    expect(await isReached(save)).toBe(true);
    await clickButton(page, "Account");
    const signOut = buttonOf(page, "Sign out");
    await signOut.focus();
    expect(await isReached(signOut)).toBe(true);
    await pressKeys(page, "Escape");
    await goTo(page, { address: "/?view=alerts", shown: ".alert-tile img" });
    await clickButton(page, "Export");
    const last = page.locator(".alert-toolbar .menu:popover-open button").last();
    await last.focus();
    // The filters above come once their choices are known, and move the menu.
    await expect.poll(() => isReached(last)).toBe(true);
  });

  test("a menu of filters has room for its choices", async () => {
    const page = await openZoomed("/?view=alerts");
    await page.locator(".alert-tile img").first().waitFor();
    await clickButton(page, "Period");
    const menu = page.getByRole("group", { name: "Period", exact: true }).first();
    await expect.poll(async () => (await menu.boundingBox())?.height).toBeGreaterThanOrEqual(200);
    const until = menu.getByLabel("Until");
    await until.focus();
    expect(await isReached(until)).toBe(true);
  });

  test("fixed elements do not cover the focused element", async () => {
    const page = await openZoomed("/?view=fleet");
    await page.locator(".camera-tile img").first().waitFor();
    const links = page.locator(".newest-alert[href]");
    await links.first().focus();
    for (const index of [1, 2, 3]) {
      await pressKeys(page, "Tab", "Tab");
      expect(await isReached(links.nth(index))).toBe(true);
    }
    await goTo(page, { address: "/?view=alerts&layout=list", shown: ".alert-tile img" });
    for (const _ of [1, 2, 3, 4]) {
      await pressKeys(page, "j");
      expect(await page.evaluate(() => document.activeElement?.className)).toBe("alert-link");
      expect(await isReached(page.locator(".alert-link:focus"))).toBe(true);
    }
  });

  test("no name of a page or view is broken, also where it is long", async () => {
    const page = await open("/", { viewport: fourTimes, locale: "de-DE" });
    await waitForText(page, "Mehr", { exact: true });
    const lines = await page
      .locator(".pages > :is(a, button), .views > :is(a, button):visible span")
      .evaluateAll((names) =>
        names.map((name) => {
          const range = document.createRange();
          range.selectNodeContents(name);
          return range.getClientRects().length;
        }),
      );
    expect(lines).toEqual([1, 1, 1, 1, 1, 1]);
  });
});
