import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import {
  createAlerts,
  createCamera,
  createFacility,
  createUser,
  createWorkspace,
} from "../support/factories.js";
import type { Sender } from "../support/harness.js";
import {
  browseOwnGateway,
  openConsolePage,
  openSignedOutPage,
  signIn,
  tokenOf,
  violations,
} from "./console-page.js";
import { numberIn, totalsOf } from "./linked-numbers.js";
import { noProblems } from "./monitored-page.js";

const admin: Sender = { user: "demo|admin" };

const demo = browseOwnGateway({ seed: "demo" });

/** The texts of a table, row by row. */
const rowsOf = (page: Page, name: string): Promise<string[][]> =>
  page
    .getByRole("region", { name })
    .getByRole("row")
    .evaluateAll((rows) =>
      rows.map((row) => [...(row as HTMLTableRowElement).cells].map((cell) => cell.innerText.trim())),
    );

const chart = (page: Page) => page.getByRole("figure", { name: "Alerts over time" });

/** A number on the page, with the address behind it. */
interface LinkedNumber {
  text: string;
  address: string;
}

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

/**
 * Expects that every linked number leads to that number of alerts. Returns the number of
 * links.
 */
async function expectNumbersToAgree(page: Page, as = admin): Promise<number> {
  const numbers = await linkedNumbers(page);
  const totals = await totalsOf(
    demo.gateway,
    numbers.map(({ address }) => address),
    as,
  );
  expect(numbers.map(({ text, address }) => `${numberIn(text)} at ${address}`)).toEqual(
    numbers.map(({ address }, index) => `${totals[index]} at ${address}`),
  );
  return numbers.length;
}

/** Two cameras with alerts of a night in Istanbul, where the day begins at 21:00 UTC. */
async function workspaceWithAlerts() {
  const workspaceId = await createWorkspace(demo.gateway.prisma, {});
  await createUser(demo.gateway.prisma, {
    workspaceId,
    authId: `test|${workspaceId}`,
    roles: ["facilities:read", "cameras:read", "alerts:read"],
  });
  const facilityId = await createFacility(demo.gateway.prisma, {
    workspaceId,
    name: "Plant",
    timeZoneId: "Europe/Istanbul",
  });
  const [gate, dock] = [
    await createCamera(demo.gateway.prisma, { workspaceId, facilityId, name: "Gate" }),
    await createCamera(demo.gateway.prisma, { workspaceId, facilityId, name: "Dock" }),
  ];
  const at = (createdAt: string, severity: string, cameraId = gate) => ({
    workspaceId,
    facilityId,
    cameraId,
    createdAt: new Date(createdAt),
    severity,
  });
  await createAlerts(demo.gateway.prisma, [
    at("2026-03-02T20:59:00Z", "HIGH"),
    at("2026-03-02T21:01:00Z", "HIGH"),
    at("2026-03-02T21:02:00Z", "LOW"),
    at("2026-03-03T08:00:00Z", "HIGH", dock),
    at("2026-02-24T08:00:00Z", "HIGH"),
  ]);
  return { token: await tokenOf(`test|${workspaceId}`), facilityId, gate, dock };
}

const week = "from=2026-03-01T21:00:00.000Z&to=2026-03-08T21:00:00.000Z";

test("the charts count by the calendar of the facility, beside the period before, and each number leads to its alerts", async () => {
  const { token } = await workspaceWithAlerts();
  const { page, problems } = await openSignedOutPage(demo.browser, demo.origin, `/?view=insight&${week}`);
  await signIn(page, token);
  await page.getByText("4 alerts", { exact: true }).waitFor();
  await chart(page).getByText("Show as a table").click();
  const rows = () => rowsOf(page, "Alerts over time");
  await expect
    .poll(rows)
    .toEqual([
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

  const parametersOf = async (name: string) =>
    Object.fromEntries(
      new URL(
        (await page.getByRole("link", { name, exact: true }).getAttribute("href")) as string,
        demo.origin,
      ).searchParams,
    );
  expect(await parametersOf("Dock")).toMatchObject({
    view: "alerts",
    from: "2026-03-01T21:00:00.000Z",
    to: "2026-03-08T21:00:00.000Z",
  });
  await chart(page).getByRole("row", { name: "3 Mar" }).getByRole("link", { name: "2", exact: true }).click();
  const { searchParams } = new URL(page.url());
  expect(Object.fromEntries(searchParams)).toEqual({
    view: "alerts",
    severity: "HIGH",
    days: "2026-03-03",
    from: "2026-03-01T21:00:00.000Z",
    to: "2026-03-08T21:00:00.000Z",
  });
  expect(problems).toEqual(noProblems);
}, 60_000);

test.each([
  "period=today",
  "period=24h&by=type",
  "period=7d&per=week",
  "period=7d&by=type&severity=HIGH&severity=LOW",
  "per=day",
  "by=type&weekday=1&weekday=5&hour=9&hour=10&hour=23",
  "from=2026-11-01T10:20:00.000Z&to=2026-11-18T11:00:00.000Z",
  "period=30d&days=2026-11-10..2026-11-20&per=month",
  "per=day&times=22:00..06:00",
  "from=2026-10-20T00:30:00.000Z&to=2026-11-10T02:00:00.000Z&per=week&times=18:00..06:30&weekday=1&weekday=6&weekday=0",
])(
  "every number of the demo leads to as many alerts, with %s",
  async (parameters) => {
    const { page } = await openConsolePage(demo.browser, demo.origin, `/?view=insight&${parameters}`);
    await page.getByRole("heading", { name: "Busiest cameras" }).waitFor();
    await page.getByRole("table").filter({ hasText: "Sum" }).waitFor();
    await chart(page).getByText("Show as a table").click();
    await page.getByRole("region", { name: "Alerts over time" }).waitFor();
    expect(await expectNumbersToAgree(page)).toBeGreaterThan(20);
  },
  60_000,
);

test("the number of today's alerts of each facility leads to as many alerts", async () => {
  const { page } = await openConsolePage(demo.browser, demo.origin, "/?view=fleet");
  await page
    .getByRole("link", { name: /alerts? today$/ })
    .first()
    .waitFor();
  expect(await page.getByRole("link", { name: /alerts? today$/ }).count()).toBe(4);
  const numbers = (await linkedNumbers(page)).filter(({ address }) => address.includes("period=today"));
  expect(numbers.map(({ text }) => numberIn(text))).toEqual(
    await totalsOf(
      demo.gateway,
      numbers.map(({ address }) => address),
      admin,
    ),
  );
  await page
    .getByRole("link", { name: /alerts? today$/ })
    .first()
    .click();
  await page.locator(".alert-toolbar h2", { hasText: `${numberIn(numbers[0]?.text ?? "")} alert` }).waitFor();
}, 60_000);

test("counts follow the address, and viewers who may not read alerts see a notice instead of an export", async () => {
  const { token, gate } = await workspaceWithAlerts();
  const { page } = await openSignedOutPage(
    demo.browser,
    demo.origin,
    `/?view=insight&${week}&camera=${gate}&severity=HIGH`,
  );
  await signIn(page, token);
  await page.getByText("2 alerts", { exact: true }).waitFor();
  await page.getByRole("button", { name: /^Severity High/ }).click();
  await page.getByRole("checkbox", { name: "High" }).uncheck();
  await page.keyboard.press("Escape");
  await page.getByText("3 alerts", { exact: true }).waitFor();
  await page.getByRole("group", { name: "Colour by" }).getByRole("button", { name: "Type" }).click();
  await expect.poll(() => new URL(page.url()).searchParams.get("by")).toBe("type");
  await page.getByRole("button", { name: "Week", exact: true }).click();
  await chart(page).getByText("Show as a table").click();
  await expect.poll(() => rowsOf(page, "Alerts over time").then((rows) => rows.length)).toBe(2);
  await page.getByRole("button", { name: "Export" }).waitFor();
  await page.getByRole("button", { name: "Account" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await signIn(page, await tokenOf("demo|nobody"));
  await page.getByRole("heading", { name: "This is not open to you" }).waitFor();
  expect(await page.getByRole("button", { name: "Export" }).count()).toBe(0);
}, 60_000);

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
    demo.browser,
    demo.origin,
    `/?view=insight&camera=${id}&from=${start}&to=${end}&per=month`,
  );
  const picture = page.getByRole("img", { name: `Picture of ${name} with the places of ` });
  await picture.waitFor();
  await expect
    .poll(() => picture.locator("img").evaluate((image) => (image as HTMLImageElement).naturalWidth))
    .toBeGreaterThan(0);
  const panel = page.locator("section").filter({ has: picture });
  await panel.getByText("Show as a table").click();
  const numbers = await panel.getByRole("cell").allTextContents();
  const sum = numbers.reduce((total, text) => total + Number(text.replaceAll(",", "")), 0);
  expect(sum).toBeGreaterThan(0);
  expect(sum).toBe(camera.alertHeatmap.counts.reduce((total, count) => total + count, 0));
  expect(problems).toEqual(noProblems);
}, 60_000);

/** Downloads a file by the menu for exports. */
async function downloaded(page: Page, format: string): Promise<{ name: string; lines: string[] }> {
  await page.getByRole("button", { name: "Export" }).click();
  const started = page.waitForEvent("download");
  await page.getByRole("button", { name: format }).click();
  const file = await started;
  return {
    name: file.suggestedFilename(),
    lines: (await readFile(await file.path(), "utf8")).trim().split("\n"),
  };
}

test("the shown alerts are downloaded as a spreadsheet, as CSV and as NDJSON", async () => {
  const { token, dock } = await workspaceWithAlerts();
  const { page, problems } = await openSignedOutPage(
    demo.browser,
    demo.origin,
    `/?view=insight&${week}&camera=${dock}`,
  );
  await signIn(page, token);
  const download = (format: string) => downloaded(page, format);
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
  expect(problems.consoleErrors).toEqual([]);
}, 60_000);

test("files are in the language of the console", async () => {
  const { page } = await openConsolePage(demo.browser, demo.origin, `/?view=insight&${week}`, {
    locale: "de-DE",
  });
  const { lines } = await downloaded(page, "CSV mit Semikolons");
  expect(lines[0]).toContain("Standort;Kamera");
}, 60_000);

test("a view shows the calls it is made of, without credentials, and they run in the playground and over REST", async () => {
  const { page, problems } = await openConsolePage(demo.browser, demo.origin, "/?view=fleet");
  await page.getByRole("article").first().waitFor();
  await page.keyboard.press("q");
  const dialog = page.getByRole("dialog", { name: "What this view is made of" });
  const curl = async () => (await dialog.getByRole("region", { name: "Request" }).textContent()) as string;
  await dialog.getByRole("button", { name: "FleetFacilities" }).click();
  const restUrl = /^curl -H "Authorization: Bearer \$TOKEN" '(http[^']+)'$/.exec(await curl())?.[1] as string;
  const { facilities } = await demo.gateway.data<{ facilities: unknown[] }>("{ facilities { id } }", {
    as: admin,
  });
  expect((await (await demo.gateway.fetch(restUrl, { as: admin })).json()).data).toHaveLength(
    facilities.length,
  );
  await dialog.getByRole("button", { name: "Close" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.keyboard.press("g");
  await page.keyboard.press("i");
  await page.getByRole("figure").waitFor();
  await page.getByRole("button", { name: "API calls of this view" }).click();
  expect(await dialog.getByRole("button", { name: "Fleet" }).count()).toBe(0);
  await dialog.getByRole("button", { name: "InsightCounts" }).click();
  const variables = JSON.parse(
    (await dialog.getByRole("region", { name: "Variables" }).textContent()) as string,
  );
  expect(variables).toMatchObject({ groupBy: ["DAY", "SEVERITY"] });
  const token = await page.evaluate(
    () => JSON.parse(document.getElementById("settings")?.textContent ?? "{}").initialToken as string,
  );
  expect(await page.content().then((html) => html.split(token).length)).toBe(2);
  const link = dialog.getByRole("link", { name: "Open in the playground" });
  expect(await link.getAttribute("href")).not.toContain(token);

  const [playground] = await Promise.all([page.context().waitForEvent("page"), link.click()]);
  await playground.locator(".graphiql-query-editor .view-lines", { hasText: "InsightCounts" }).waitFor();
  expect(new URL(playground.url()).hash).toBe("");
  const answered = playground.waitForResponse(
    (response) => response.request().postData()?.includes("InsightCounts") ?? false,
  );
  await playground.getByRole("button", { name: /^Execute/ }).click();
  const { data, errors } = await (await answered).json();
  expect(errors).toBeUndefined();
  expect(data.counts.length).toBeGreaterThan(0);
  expect(problems.consoleErrors).toEqual([]);
}, 90_000);

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
  const workspaceId = await createWorkspace(demo.gateway.prisma, {});
  const authId = `test|${workspaceId}`;
  await createUser(demo.gateway.prisma, {
    workspaceId,
    authId,
    roles: ["facilities:read", "cameras:read", "alerts:read", "alerts:write"],
  });
  const facilityId = await createFacility(demo.gateway.prisma, { workspaceId, name: "Plant", timeZoneId });
  const cameraId = await createCamera(demo.gateway.prisma, { workspaceId, facilityId, name: "Gate" });
  const createdAt = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  await createAlerts(
    demo.gateway.prisma,
    hoursAgo.map((hours) => ({
      workspaceId,
      facilityId,
      cameraId,
      severity: "HIGH",
      createdAt: createdAt(hours),
    })),
  );
  const { page } = await openSignedOutPage(demo.browser, demo.origin, "/");
  await prepare?.(page);
  await page.goto(`${demo.origin}${address}`);
  await signIn(page, await tokenOf(authId));
  return { page, as: { user: authId } };
}

const total = (page: Page, alerts: string) => page.locator(".alert-toolbar h2", { hasText: alerts });

test.each([
  { clock: "2 days behind", hours: -50 },
  { clock: "3 days ahead of", hours: 72 },
])(
  "periods go by the gateway's clock where the computer's is $clock it, and a notice says so",
  async ({ clock, hours }) => {
    // The period begins up to a quarter of an hour earlier.
    const { page } = await openWithAlerts("/?view=alerts&period=24h", [1, 23.9, 24.3], {
      prepare: (opened) => opened.clock.install({ time: Date.now() + hours * 3_600_000 }),
    });
    await total(page, "2 alerts").waitFor();
    await page.getByText(`The clock of this computer is ${clock} the gateway's.`).waitFor();
    await page.goto(`${demo.origin}/?view=insight&period=24h`);
    await page.getByRole("link", { name: "2 alerts", exact: true }).waitFor();
  },
  60_000,
);

test("the last 24 hours move on while the view is open", async () => {
  let passed = 0;
  const { page } = await openWithAlerts("/?view=alerts&period=24h", [1, 23], {
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
}, 60_000);

test("the days of a zone whose clocks skip midnight west of Greenwich lead to their own alerts", async () => {
  const workspaceId = await createWorkspace(demo.gateway.prisma, {});
  const authId = `test|${workspaceId}`;
  await createUser(demo.gateway.prisma, {
    workspaceId,
    authId,
    roles: ["facilities:read", "cameras:read", "alerts:read"],
  });
  const facilityId = await createFacility(demo.gateway.prisma, {
    workspaceId,
    name: "Plant",
    timeZoneId: "America/Santiago",
  });
  const cameraId = await createCamera(demo.gateway.prisma, { workspaceId, facilityId, name: "Gate" });
  const times = [
    "2026-09-05T12:00:00Z",
    "2026-09-06T02:30:00Z",
    "2026-09-06T03:59:00Z",
    "2026-09-06T04:00:00Z",
    "2026-09-06T20:00:00Z",
  ];
  await createAlerts(
    demo.gateway.prisma,
    times.map((createdAt) => ({
      workspaceId,
      facilityId,
      cameraId,
      severity: "HIGH",
      createdAt: new Date(createdAt),
    })),
  );
  const { page } = await openSignedOutPage(
    demo.browser,
    demo.origin,
    "/?view=insight&from=2026-09-01T00:00:00.000Z&to=2026-09-10T00:00:00.000Z",
  );
  await signIn(page, await tokenOf(authId));
  await chart(page).getByText("Show as a table").click();
  await expect
    .poll(() =>
      rowsOf(page, "Alerts over time").then((rows) => rows.filter(([, count]) => Number(count) > 0)),
    )
    .toEqual([
      ["5 Sept", "3", "3"],
      ["6 Sept", "2", "2"],
    ]);
  expect(await expectNumbersToAgree(page, { user: authId })).toBeGreaterThan(4);
}, 60_000);

test("a facility with a time zone unknown to the gateway says so, and names the zone in its place", async () => {
  const { page } = await openWithAlerts("/?view=fleet", [1, 2], { timeZoneId: "Mars/Olympus_Mons" });
  await page
    .getByText("The gateway does not know the time zone Mars/Olympus_Mons: times and days go by UTC.")
    .waitFor();
  await page.goto(`${demo.origin}/?view=insight`);
  await page.getByRole("link", { name: "2 alerts" }).first().waitFor();
}, 60_000);

test("a time zone that the browser does not know breaks no view, and is named at its facility", async () => {
  const { page } = await openWithAlerts("/?view=fleet", [1, 2], {
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
  await page
    .getByText("This browser does not know the time zone Asia/Kathmandu: times are in UTC.")
    .waitFor();
  for (const [view, ready] of [
    ["alerts", page.getByRole("article").first()],
    ["insight", page.getByRole("link", { name: "2 alerts" }).first()],
  ] as const) {
    await page.goto(`${demo.origin}/?view=${view}`);
    await ready.waitFor();
  }
}, 60_000);

test("on a phone, the numbers of hours can be read, and each leads to as many alerts", async () => {
  const { page } = await openConsolePage(demo.browser, demo.origin, "/?view=insight&period=7d", {
    viewport: { width: 360, height: 740 },
  });
  const table = page.locator(".week-hours");
  await table.getByRole("row", { name: "23:00" }).waitFor();
  await page.getByRole("heading", { name: "Facilities side by side" }).waitFor();
  await page.getByRole("heading", { name: "Weekdays against their own past" }).waitFor();
  await page.getByRole("heading", { name: "Busiest cameras" }).waitFor();
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
}, 60_000);

describe.each(["light", "dark"] as const)("in a %s scheme, insight", (colorScheme) => {
  test.each([1400, 360])(
    "has no violation of accessibility rules and fits into a window of %i px",
    async (width) => {
      const { page } = await openConsolePage(demo.browser, demo.origin, "/?view=insight", {
        colorScheme,
        viewport: { width, height: 900 },
      });
      await page.getByRole("img", { name: "Picture of" }).waitFor();
      await page.getByRole("table").filter({ hasText: "Sum" }).waitFor();
      for (const summary of await page.getByText("Show as a table").all()) await summary.click();
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      await page.getByRole("button", { name: "Export" }).click();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await page.keyboard.press("q");
      await page.getByRole("dialog").waitFor();
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    },
    120_000,
  );
});
