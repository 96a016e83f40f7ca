import type { Page } from "playwright-core";
import type { Sender } from "../support/harness.js";
import {
  appearances,
  browseSharedGateway,
  buttonOf,
  clickButton,
  clickLink,
  downloadBy,
  expectAccessible,
  expectNone,
  expectSoon,
  expectToFit,
  linkOf,
  openConsolePage,
  openSignedOutPage,
  pictureWidth,
  pressKeys,
  signIn,
  signOut,
  tokenOf,
  waitForHeading,
  waitForText,
} from "./console-page.js";
import { expectTotals, type LinkedNumber, numberIn } from "./linked-numbers.js";
import { noProblems } from "./monitored-page.js";
import { newSite } from "./own-console.js";

const admin: Sender = { user: "demo|admin" };

const demo = browseSharedGateway({ seed: "demo" });

/** The texts of a table, row by row. */
const rowsOf = (page: Page, name: string): Promise<string[][]> =>
  page
    .getByRole("region", { name })
    .getByRole("row")
    .evaluateAll((rows) =>
      rows.map((row) => [...(row as HTMLTableRowElement).cells].map((cell) => cell.innerText.trim())),
    );

const chart = (page: Page) => page.getByRole("figure", { name: "Alerts over time" });

/**
 * The numbers of a view with their links. The numbers of bars and cells are in titles,
 * those of names beside them.
 */
const linkedNumbers = (page: Page): Promise<LinkedNumber[]> =>
  page.locator('main a[href*="view=alerts"]').evaluateAll((links) =>
    links.map((link) => {
      const isName = !/\d/.test(link.textContent ?? "") || link.closest("ol") !== null;
      const beside = link.closest("tr")?.cells[1] ?? link.nextElementSibling;
      const text =
        (link as HTMLElement).title ||
        link.getAttribute("aria-label") ||
        (isName ? beside : link)?.textContent;
      return { text: text ?? "", address: link.getAttribute("href") ?? "" };
    }),
  );

/** Expects that every linked number leads to that number of alerts. Returns the number of links. */
const expectNumbersToAgree = async (page: Page) =>
  expectTotals(demo.gateway, await linkedNumbers(page), admin);

const roles = ["facilities:read", "cameras:read", "alerts:read", "alerts:write"] as const;

/** Two cameras with alerts of a night in Istanbul, where the day begins at 21:00 UTC. */
async function siteWithAlerts() {
  const site = await newSite(demo, { user: { roles } });
  const dock = await site.addCamera({ name: "Dock" });
  const at = (createdAt: string, severity: string, cameraId = site.cameraId) => ({
    ...{ cameraId, severity },
    createdAt: new Date(createdAt),
  });
  await site.raise(
    at("2026-03-02T20:59:00Z", "HIGH"),
    at("2026-03-02T21:01:00Z", "HIGH"),
    at("2026-03-02T21:02:00Z", "LOW"),
    at("2026-03-03T08:00:00Z", "HIGH", dock),
    at("2026-02-24T08:00:00Z", "HIGH"),
  );
  return { ...site, dock };
}

const week = "from=2026-03-01T21:00:00.000Z&to=2026-03-08T21:00:00.000Z";

test("the charts count by the calendar of the facility, beside the period before, and each number leads to its alerts", async () => {
  const { page, problems } = await (await siteWithAlerts()).open(`/?view=insight&${week}`);
  await waitForText(page, "4 alerts", { exact: true });
  await chart(page).getByText("Show as a table").click();
  const rows = () => rowsOf(page, "Alerts over time");
  await expectSoon(rows, [
    ["", "High", "Low", "Total"],
    ["2 Mar", "1", "0", "1"],
    ["3 Mar", "2", "1", "3"],
    ...["4 Mar", "5 Mar", "6 Mar", "7 Mar", "8 Mar"].map((day) => [day, "0", "0", "0"]),
  ]);
  await page.getByRole("row", { name: "High 3 1 +200%" }).waitFor();
  await page.getByRole("row", { name: "Total 4 1 +300%" }).waitFor();
  const hours = page.getByRole("table").filter({ hasText: "Sum" });
  expect(await hours.getByTitle("Tuesday, from 00:00: 2 alerts").textContent()).toBe("2");
  await hours.getByTitle("Monday, from 23:00: 1 alert").waitFor();
  await hours.getByTitle("Tuesday, from 11:00: 1 alert").waitFor();

  await clickLink(chart(page).getByRole("row", { name: "3 Mar" }), "2", { exact: true });
  const { searchParams } = new URL(page.url());
  expect(Object.fromEntries(searchParams)).toEqual({
    view: "alerts",
    severity: "HIGH",
    days: "2026-03-03",
    from: "2026-03-01T21:00:00.000Z",
    to: "2026-03-08T21:00:00.000Z",
  });
  expect(problems).toEqual(noProblems);
});

test("the number of today's alerts of each facility leads to as many alerts, beside that of yesterday by this time", async () => {
  const { page } = await openConsolePage(demo.origin, "/?view=fleet");
  await linkOf(page, /alerts? today$/)
    .first()
    .waitFor();
  expect(await linkOf(page, /alerts? today$/).count()).toBe(4);
  expect(await linkOf(page, /^[\d,]+ yesterday by this time$/).count()).toBe(4);
  const numbers = (await linkedNumbers(page)).filter(({ address }) =>
    /period=today|relative=-1/.test(address),
  );
  await expectTotals(demo.gateway, numbers, admin);
  await linkOf(page, /alerts? today$/)
    .first()
    .click();
  await page.locator(".alert-toolbar h2", { hasText: `${numberIn(numbers[0]?.text ?? "")} alert` }).waitFor();
});

test("counts follow the address, and viewers who may not read alerts see a notice instead of an export", async () => {
  const { cameraId, open } = await siteWithAlerts();
  const { page } = await open(`/?view=insight&${week}&camera=${cameraId}&severity=HIGH`);
  await waitForText(page, "2 alerts", { exact: true });
  await clickButton(page, /^Severity High/);
  await page.getByRole("checkbox", { name: "High" }).uncheck();
  await pressKeys(page, "Escape");
  await waitForText(page, "3 alerts", { exact: true });
  await clickButton(page.getByRole("group", { name: "Colour by" }), "Type");
  await expectSoon(() => new URL(page.url()).searchParams.get("by"), "type");
  await clickButton(page, "Week", { exact: true });
  await chart(page).getByText("Show as a table").click();
  await expectSoon(() => rowsOf(page, "Alerts over time").then((rows) => rows.length), 2);
  await buttonOf(page, "Export").waitFor();
  await signOut(page);
  await signIn(page, await tokenOf("demo|nobody"));
  await waitForHeading(page, "This is not open to you");
  await expectNone(buttonOf(page, "Export"));
});

test("a camera's heat map lies over its picture, and the ninths of the picture add up to it", async () => {
  const { cameras } = await demo.gateway.data<{ cameras: { id: string; name: string }[] }>(
    "{ cameras { id name } }",
    { as: admin },
  );
  const { id, name } = cameras.find(
    (camera) => camera.name === "Finished goods dock",
  ) as (typeof cameras)[number];
  const [start, end] = ["2026-01-01T00:00:00.000Z", new Date().toISOString()];
  const { camera } = await demo.gateway.data<{ camera: { alertHeatmap: { counts: number[] } } }>(
    "query ($id: UUID!, $filter: AlertFilter!) { camera(id: $id) { alertHeatmap(filter: $filter) { counts } } }",
    { as: admin, variables: { id, filter: { start, end } } },
  );
  const { page, problems } = await openConsolePage(
    demo.origin,
    `/?view=insight&camera=${id}&from=${start}&to=${end}&per=month`,
  );
  const picture = page.getByRole("img", { name: `Picture of ${name} with the places of ` });
  await picture.waitFor();
  await expect.poll(() => pictureWidth(picture.locator("img"))).toBeGreaterThan(0);
  const panel = page.locator("section").filter({ has: picture });
  await panel.getByText("Show as a table").click();
  const numbers = await panel.getByRole("cell").allTextContents();
  const sum = numbers.reduce((total, text) => total + Number(text.replaceAll(",", "")), 0);
  expect(sum).toBeGreaterThan(0);
  expect(sum).toBe(camera.alertHeatmap.counts.reduce((total, count) => total + count, 0));
  expect(problems).toEqual(noProblems);
});

/** Downloads a file by the menu for exports. */
async function _downloaded(page: Page, format: string): Promise<{ name: string; lines: string[] }> {
  await clickButton(page, "Export");
  const { name, data } = await downloadBy(page, clickButton(page, format));
  return { name, lines: String(data).trim().split("\n") };
}

test("the shown alerts are downloaded as a spreadsheet, as CSV and as NDJSON", async () => {
  const { dock, open } = await siteWithAlerts();
  const { page, problems } = await open(`/?view=insight&${week}&camera=${dock}`);
  const download = (format: string) => _downloaded(page, format);
  expect((await download("Excel (xlsx)")).name).toMatch(/^alerts-.*\.xlsx$/);
  for (const [format, separator] of [
    ["CSV with commas", ","],
    ["CSV with semicolons", ";"],
  ] as const) {
    const csv = await download(format);
    expect(csv.name).toMatch(/\.csv$/);
    expect(csv.lines).toHaveLength(2);
    expect(csv.lines[0]).toContain(`Facility${separator}Camera`);
  }
  const { lines } = await download("NDJSON");
  expect(lines.map((line) => JSON.parse(line).cameraId)).toEqual([dock]);
  // Files are in the language of the console.
  await clickButton(page, "Account");
  await page.getByLabel("Language").selectOption("Deutsch");
  await pressKeys(page, "Escape");
  expect((await download("CSV mit Semikolons")).lines[0]).toContain("Standort;Kamera");
  expect(problems.consoleErrors).toEqual([]);
});

test("a view shows the calls it is made of, without credentials, and they run in the playground and over REST", async () => {
  const { page, problems } = await openConsolePage(demo.origin, "/?view=fleet");
  await page.getByRole("article").first().waitFor();
  await pressKeys(page, "q");
  const dialog = page.getByRole("dialog", { name: "What this view is made of" });
  const curl = async () => (await dialog.getByRole("region", { name: "Request" }).textContent()) as string;
  await clickButton(dialog, "FleetFacilities");
  const restUrl = /^curl -H "Authorization: Bearer \$TOKEN" '(http[^']+)'$/.exec(await curl())?.[1] as string;
  const { facilities } = await demo.gateway.data<{ facilities: unknown[] }>("{ facilities { id } }", {
    as: admin,
  });
  expect((await (await demo.gateway.fetch(restUrl, { as: admin })).json()).data).toHaveLength(
    facilities.length,
  );
  await clickButton(dialog, "Close");
  await dialog.waitFor({ state: "detached" });
  await pressKeys(page, "g", "i");
  await page.getByRole("figure").waitFor();
  await clickButton(page, "API calls of this view");
  await expectNone(buttonOf(dialog, "Fleet"));
  await clickButton(dialog, "InsightCounts");
  const variables = JSON.parse(
    (await dialog.getByRole("region", { name: "Variables" }).textContent()) as string,
  );
  expect(variables).toMatchObject({ groupBy: ["DAY", "SEVERITY"] });
  const token = await page.evaluate(
    () => JSON.parse(document.getElementById("settings")?.textContent ?? "{}").initialToken as string,
  );
  expect(await page.content().then((html) => html.split(token).length)).toBe(2);
  const link = linkOf(dialog, "Open in the playground");
  expect(await link.getAttribute("href")).not.toContain(token);

  const [playground] = await Promise.all([page.context().waitForEvent("page"), link.click()]);
  await playground.locator(".graphiql-query-editor .view-lines", { hasText: "InsightCounts" }).waitFor();
  expect(new URL(playground.url()).hash).toBe("");
  const answered = playground.waitForResponse(
    (response) => response.request().postData()?.includes("InsightCounts") ?? false,
  );
  await clickButton(playground, /^Execute/);
  const { data, errors } = await (await answered).json();
  expect(errors).toBeUndefined();
  expect(data.counts.length).toBeGreaterThan(0);
  expect(problems.consoleErrors).toEqual([]);
});

/**
 * Opens a page of the console for a workspace with a facility, and alerts from the given
 * numbers of hours ago.
 */
async function openWithAlerts(
  address: string,
  hoursAgo: number[],
  options: { timeZoneId?: string; prepare?: (page: Page) => Promise<unknown> } = {},
) {
  const { timeZoneId = "Europe/Istanbul", prepare } = options;
  const { as, raise } = await newSite(demo, { facility: { timeZoneId }, user: { roles } });
  await raise(...hoursAgo.map((hours) => ({ createdAt: new Date(Date.now() - hours * 3_600_000) })));
  const { page } = await openSignedOutPage(demo.origin, "/favicon.svg");
  await prepare?.(page);
  await page.goto(`${demo.origin}${address}`);
  await signIn(page, await tokenOf(as.user));
  return page;
}

const total = (page: Page, alerts: string) => page.locator(".alert-toolbar h2", { hasText: alerts });

test.each([
  { clock: "2 days behind", hours: -50 },
  { clock: "3 days ahead of", hours: 72 },
])(
  "periods go by the gateway's clock where the computer's is $clock it, and a notice says so",
  async ({ clock, hours }) => {
    // The period begins up to a quarter of an hour earlier.
    const page = await openWithAlerts("/?view=alerts&period=24h", [1, 23.9, 24.3], {
      prepare: (opened) => opened.clock.install({ time: Date.now() + hours * 3_600_000 }),
    });
    await total(page, "2 alerts").waitFor();
    await waitForText(page, `The clock of this computer is ${clock} the gateway's.`);
    await page.goto(`${demo.origin}/?view=insight&period=24h`);
    await linkOf(page, "2 alerts", { exact: true }).waitFor();
  },
  60_000,
);

test("the last 24 hours move on while the view is open", async () => {
  let passed = 0;
  const page = await openWithAlerts("/?view=alerts&period=24h", [1, 23], {
    prepare: async (opened) => {
      await opened.clock.install();
      await opened.route("**/graphql", async (route) => {
        const response = await route.fetch();
        const date = new Date(Date.now() + passed).toUTCString();
        await route.fulfill({ response, headers: { ...response.headers(), date } });
      });
    },
  });
  await total(page, "2 alerts").waitFor();
  passed = 2 * 3_600_000;
  await page.clock.fastForward(passed);
  await total(page, "1 alert").waitFor();
});

test("a facility with a time zone unknown to the gateway says so, and names the zone in its place", async () => {
  const page = await openWithAlerts("/?view=fleet", [1, 2], { timeZoneId: "Mars/Olympus_Mons" });
  await waitForText(
    page,
    "The gateway does not know the time zone Mars/Olympus_Mons: times and days go by UTC.",
  );
  await page.goto(`${demo.origin}/?view=insight`);
  await linkOf(page, "2 alerts").first().waitFor();
});

test("a time zone that the browser does not know breaks no view, and is named at its facility", async () => {
  const page = await openWithAlerts("/?view=fleet", [1, 2], {
    timeZoneId: "Asia/Kathmandu",
    prepare: (opened) =>
      opened.addInitScript(() => {
        Intl.DateTimeFormat = new Proxy(Intl.DateTimeFormat, {
          construct: (target, given) => {
            if (given[1]?.timeZone === "Asia/Kathmandu")
              throw new RangeError("Invalid time zone specified: Asia/Kathmandu");
            return Reflect.construct(target, given) as object;
          },
        });
      }),
  });
  await waitForText(page, "This browser does not know the time zone Asia/Kathmandu: times are in UTC.");
  for (const [view, ready] of [
    ["alerts", page.getByRole("article").first()],
    ["insight", linkOf(page, "2 alerts").first()],
  ] as const) {
    await page.goto(`${demo.origin}/?view=${view}`);
    await ready.waitFor();
  }
});

test("on a phone, the numbers of hours can be read, and each leads to as many alerts", async () => {
  const { page } = await openConsolePage(demo.origin, "/?view=insight&period=7d", {
    viewport: { width: 360, height: 740 },
  });
  const table = page.locator(".week-hours");
  await table.getByRole("row", { name: "23:00" }).waitFor();
  await waitForHeading(page, "Facilities side by side");
  await waitForHeading(page, "Weekdays against their own past");
  await waitForHeading(page, "Busiest cameras");
  const numbers = await table.locator("td a span").evaluateAll((spans) =>
    spans.map((span) => {
      const { width } = span.getBoundingClientRect();
      const cell = (span.closest("td") as HTMLElement).getBoundingClientRect().width;
      return { fits: width > 0 && width <= cell, size: Number.parseFloat(getComputedStyle(span).fontSize) };
    }),
  );
  expect(numbers.length).toBeGreaterThan(20);
  expect(numbers.filter(({ fits, size }) => !fits || size < 11)).toEqual([]);
  expect(await expectNumbersToAgree(page)).toBeGreaterThan(50);
});

test.each(appearances)(
  "insight has no violation of accessibility rules and fits, $colorScheme and $viewport.width px wide",
  async (appearance) => {
    const { page } = await openConsolePage(demo.origin, "/?view=insight", appearance);
    await page.getByRole("img", { name: "Picture of" }).waitFor();
    await page.getByRole("table").filter({ hasText: "Sum" }).waitFor();
    for (const summary of await page.getByText("Show as a table").all()) await summary.click();
    await expectAccessible(page);
    await expectToFit(page);
    await clickButton(page, "Export");
    await expectAccessible(page);
    await pressKeys(page, "Escape", "q");
    await page.getByRole("dialog").waitFor();
    await expectAccessible(page);
    await expectToFit(page);
  },
);
