import type { Page } from "playwright-core";
import { createAlerts, createCamera, createFacility } from "../support/factories.js";
import { listOf } from "../support/list-of.js";
import {
  browseSharedGateway,
  buttonOf,
  clickButton,
  clickLink,
  expectCount,
  linkOf,
  pressKeys,
  waitForText,
} from "./console-page.js";
import { noProblems } from "./monitored-page.js";
import { newSite, newUser } from "./own-console.js";

const [hour, day] = [3_600_000, 86_400_000];

const shared = browseSharedGateway();

const roles = ["facilities:read", "cameras:read", "alerts:read", "alerts:write"] as const;

/** An instant by the clock of the facility. */
interface LocalTime {
  /** Days before the facility's today. */
  daysAgo: number;
  time: string;
}

/**
 * A workspace with a facility where it is past noon, so that today has a morning, and one
 * alert at each of some local times.
 */
async function siteWith(times: readonly LocalTime[]) {
  const now = new Date();
  const ahead = 12 - now.getUTCHours();
  // The signs of these zones are those of clocks behind UTC.
  const timeZoneId = `Etc/GMT${ahead > 0 ? "-" : "+"}${Math.abs(ahead)}`;
  const site = await newSite(shared, { facility: { timeZoneId }, user: { roles } });
  const today = new Date(now.getTime() + ahead * hour).toISOString().slice(0, 10);
  const at = ({ daysAgo, time }: LocalTime) =>
    new Date(Date.parse(`${today}T${time}:00Z`) - daysAgo * day - ahead * hour);
  await site.raise(...times.map((time) => ({ name: "PERSON", createdAt: at(time) })));
  return { ...site, timeZoneId };
}

const total = (page: Page, alerts: number) =>
  page
    .locator(".alert-toolbar h2", { hasText: alerts === 1 ? "1 alert" : `${alerts} alerts` })
    .or(page.getByRole("heading", { name: "No alert matches" }))
    .first();
const searchOf = (page: Page) => new URL(page.url()).searchParams;
const bar = (page: Page, from: string) => buttonOf(page.getByRole("complementary"), `From ${from}:`);

test("periods go by the clock of the facility, and stay from view to view", async () => {
  const times: LocalTime[] = [
    { daysAgo: 0, time: "00:30" },
    { daysAgo: 0, time: "05:59" },
    { daysAgo: 0, time: "06:00" },
    { daysAgo: 1, time: "00:00" },
    { daysAgo: 1, time: "17:59" },
    { daysAgo: 1, time: "18:00" },
    { daysAgo: 2, time: "23:59" },
  ];
  const { open } = await siteWith(times);
  // The reader's clock shows another day.
  const { page, problems } = await open("/?view=alerts", { timezoneId: "Pacific/Pago_Pago" });
  await total(page, times.length).waitFor();
  for (const name of ["Today", "Last night"]) {
    await clickButton(page, /^Period/);
    await page.getByRole("radio", { name, exact: true }).click();
    await buttonOf(page, `Period ${name}`).waitFor();
    await pressKeys(page, "Escape");
    await page.locator(".alert-toolbar h2", { hasText: /^3 alerts$/ }).waitFor();
  }
  expect(searchOf(page).toString()).toBe("view=alerts&times=18%3A00..06%3A00&relative=-1");

  await clickLink(page, "Insight", { exact: true });
  await buttonOf(page, "Period Last night").waitFor();
  await linkOf(page, "3 alerts", { exact: true }).first().waitFor();
  await clickLink(page, "Cameras", { exact: true });
  await page.getByRole("article", { name: "Gate" }).waitFor();
  await clickLink(page, "Alerts", { exact: true });
  await buttonOf(page, "Period Last night").waitFor();
  expect(searchOf(page).get("relative")).toBe("-1");
  await clickButton(page, /^Period/);
  await page.getByRole("radio", { name: "All time" }).click();
  await pressKeys(page, "Escape");
  expect(searchOf(page).toString()).toBe("view=alerts");
  expect(problems).toEqual(noProblems);
});

test("the stream tells days and times, and its hours narrow it down", async () => {
  const many = listOf(60, () => ({ daysAgo: 3, time: "08:15" }));
  const { open, timeZoneId } = await siteWith([
    { daysAgo: 0, time: "09:05" },
    { daysAgo: 1, time: "22:10" },
    ...many,
    { daysAgo: 3, time: "07:00" },
  ]);
  const { page, problems } = await open("/?view=alerts", { timezoneId: timeZoneId });
  await total(page, 63).waitFor();
  const heading = page.locator(".stream-day");
  await waitForText(heading, /^Today · /);
  await waitForText(page.getByRole("article").first(), /^09:05 · \d hr ago$/);
  await waitForText(page.getByRole("article").nth(1), /^22:10 · \d+ \w+$/);
  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
  await expect.poll(() => heading.textContent()).toMatch(/^\w+day, /);
  await page.evaluate(() => window.scrollTo(0, 0));

  await bar(page, "08:00").click();
  await page.locator(".alert-toolbar h2", { hasText: /^60 alerts$/ }).waitFor();
  expect(searchOf(page).getAll("hour")).toEqual(["8"]);
  expect(await bar(page, "22:00").getAttribute("aria-label")).toBe("From 22:00: 1 alert");
  await bar(page, "08:00").and(page.locator('[aria-pressed="true"]')).waitFor();

  // By keys: the next hour, too, then the first one no longer.
  await bar(page, "08:00").focus();
  await pressKeys(page, "ArrowUp", "Enter");
  await page.locator(".alert-toolbar h2", { hasText: /^61 alerts$/ }).waitFor();
  await pressKeys(page, "ArrowDown", "Space");
  await page.locator(".alert-toolbar h2", { hasText: /^1 alert$/ }).waitFor();
  expect(searchOf(page).getAll("hour")).toEqual(["9"]);

  // Dragged from 07:00 to 09:00.
  const middle = async (from: string) => {
    const box = (await bar(page, from).boundingBox()) as {
      x: number;
      y: number;
      width: number;
      height: number;
    };
    return [box.x + box.width / 2, box.y + box.height / 2] as const;
  };
  await page.mouse.move(...(await middle("07:00")));
  await page.mouse.down();
  await page.mouse.move(...(await middle("08:00")));
  await page.mouse.move(...(await middle("09:00")));
  await page.mouse.up();
  await page.locator(".alert-toolbar h2", { hasText: /^62 alerts$/ }).waitFor();
  expect(searchOf(page).getAll("hour")).toEqual(["7", "8", "9"]);
  expect(problems).toEqual(noProblems);
});

test("the hours of a night begin in the evening", async () => {
  const { open } = await siteWith([{ daysAgo: 1, time: "23:00" }]);
  const { page } = await open("/?view=alerts&relative=-1&times=18:00..06:00");
  await bar(page, "23:00").waitFor();
  const first = page.getByRole("complementary").getByRole("button").first();
  expect(await first.getAttribute("aria-label")).toBe("From 18:00: 0 alerts");
});

test("the cameras' view compares the alerts of today so far with those of yesterday by this time", async () => {
  const { open } = await siteWith([
    { daysAgo: 0, time: "00:30" },
    { daysAgo: 1, time: "00:30" },
    { daysAgo: 1, time: "11:30" },
    { daysAgo: 1, time: "13:30" },
  ]);
  const { page } = await open("/?view=fleet", { timezoneId: "Pacific/Pago_Pago" });
  await linkOf(page, "1 alert today").waitFor();
  await clickLink(page, "2 yesterday by this time");
  await total(page, 2).waitFor();
});

test("for a reader elsewhere, days, order and times go by the reader's clock, with the local time of each facility beside it", async () => {
  const { prisma } = shared;
  const { workspaceId, open } = await newUser(shared, { roles });
  const raise = async (name: string, timeZoneId: string, ...times: (string | Date)[]) => {
    const facilityId = await createFacility(prisma, { workspaceId, name, timeZoneId });
    const cameraId = await createCamera(prisma, { workspaceId, facilityId, name: "Gate" });
    const at = times.map((time) => new Date(time));
    const place = { workspaceId, facilityId, cameraId, name: "PERSON", severity: "HIGH" };
    return createAlerts(
      prisma,
      at.map((createdAt) => ({ ...place, createdAt })),
    );
  };
  const now = new Date(Date.now() - hour);
  // Tokyo's midnight is at 15:00 UTC.
  await raise("Berlin", "Europe/Berlin", now, "2024-11-20T15:10Z", "2024-11-20T14:55Z");
  await raise(
    "New York",
    "America/New_York",
    ...["2024-11-20T15:05Z", "2024-11-20T14:50Z", "2024-11-20T03:00Z"],
  );
  const reader = { timezoneId: "Asia/Tokyo", locale: "en-GB" };
  const { page, problems } = await open("/?view=alerts&to=2024-12-01T00:00Z", reader);
  await total(page, 5).waitFor();
  const times = page.locator(".alert-moment time");
  await expectCount(times, 5);
  const told = [
    "00:10 · 21 Nov 2024 · 20 Nov, 16:10 CET",
    "00:05 · 21 Nov 2024 · 20 Nov, 10:05 GMT‑5",
    "23:55 · 20 Nov 2024 · 15:55 CET",
    "23:50 · 20 Nov 2024 · 09:50 GMT‑5",
    "12:00 · 20 Nov 2024 · 19 Nov, 22:00 GMT‑5",
  ];
  expect(await times.allTextContents()).toEqual(told);
  await waitForText(page.locator(".stream-day"), "Thursday, 21 Nov 2024");
  await waitForText(page.getByRole("complementary"), /^Hours CES?T, GMT‑[45]/);

  // The same in the review.
  await clickButton(page, "Review");
  const dialog = page.locator(".alert-details");
  await waitForText(dialog, "21 Nov 2024, 00:10 GMT+9 (20 Nov, 16:10 CET)");
  await expect
    .poll(() =>
      dialog.locator(".neighbour").evaluateAll((links) => links.map((link) => (link as HTMLElement).title)),
    )
    .toContain("Person, 20 Nov 2024, 23:55 GMT+9");
  await page.goto(`${shared.gateway.url}/?view=alerts&to=2024-11-20T15:00Z`);
  await waitForText(page.locator(".stream-day"), "Wednesday, 20 Nov 2024");

  // Days and hours of statistics are those of the facilities, which is said.
  await page.goto(`${shared.gateway.url}/?view=insight&from=2024-11-19T00:00Z&to=2024-11-21T00:00Z&per=day`);
  await waitForText(
    page.locator(".insight-total"),
    /18 Nov 2024 – 21 Nov 2024\. By the clock of each facility \(CES?T, GMT‑[45]\)\./,
  );

  await page.goto(`${shared.gateway.url}/?view=today&period=7d`);
  const [here, there] = ["Asia/Tokyo", "Europe/Berlin"].map((timeZone) =>
    now.toLocaleTimeString("en-GB", { timeStyle: "short", timeZone }),
  );
  await waitForText(
    page.getByRole("region", { name: /^Newest open alerts/ }),
    new RegExp(`${here} · .*${there} CES?T`),
  );
  await waitForText(
    page.getByRole("region", { name: "Last night" }),
    /By the clock of each facility \(CES?T, GMT‑[45]\)/,
  );
  expect(problems).toEqual(noProblems);
});
