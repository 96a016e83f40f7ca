import { randomUUID } from "node:crypto";
import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import {
  createAlerts,
  createCamera,
  createFacility,
  createUser,
  createWorkspace,
} from "../support/factories.js";
import { browseSharedGateway, openSignedOutPage, tokenOf, violations } from "./console-page.js";
import { noProblems } from "./monitored-page.js";

const [hour, day] = [3_600_000, 86_400_000];

const shared = browseSharedGateway();

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
  const { prisma } = shared.gateway;
  const now = new Date();
  const ahead = 12 - now.getUTCHours();
  // The signs of these zones are those of clocks behind UTC.
  const timeZoneId = `Etc/GMT${ahead > 0 ? "-" : "+"}${Math.abs(ahead)}`;
  const workspaceId = await createWorkspace(prisma, {});
  const authId = `test|${randomUUID()}`;
  const roles = ["facilities:read", "cameras:read", "alerts:read", "alerts:write"];
  await createUser(prisma, { workspaceId, authId, roles });
  const facilityId = await createFacility(prisma, { workspaceId, name: "Plant", timeZoneId });
  const cameraId = await createCamera(prisma, { workspaceId, facilityId, name: "Gate" });
  const today = new Date(now.getTime() + ahead * hour).toISOString().slice(0, 10);
  const at = ({ daysAgo, time }: LocalTime) =>
    new Date(Date.parse(`${today}T${time}:00Z`) - daysAgo * day - ahead * hour);
  await createAlerts(
    prisma,
    times.map((time) => ({ workspaceId, facilityId, cameraId, name: "PERSON", createdAt: at(time) })),
  );
  // Monday is 0.
  return { authId, weekday: (new Date(`${today}T00:00:00Z`).getUTCDay() + 6) % 7 };
}

async function openAs(authId: string, address: string, options: BrowserContextOptions = {}) {
  const opened = await openSignedOutPage(shared.browser, shared.gateway.url, address, options);
  const isGerman = options.locale?.startsWith("de");
  await opened.page
    .getByLabel(isGerman ? "Token oder API-Schlüssel" : "Token or API key")
    .fill(await tokenOf(authId));
  await opened.page.getByRole("button", { name: isGerman ? "Weiter" : "Continue" }).click();
  return opened;
}

const total = (page: Page, alerts: number) =>
  page
    .locator(".alert-toolbar h2", { hasText: alerts === 1 ? "1 alert" : `${alerts} alerts` })
    .or(page.getByRole("heading", { name: "No alert matches" }))
    .first();
const searchOf = (page: Page) => new URL(page.url()).searchParams;
const bar = (page: Page, from: string) =>
  page.getByRole("complementary").getByRole("button", { name: `From ${from}:` });

test("periods go by the clock of the facility, and stay from view to view", async () => {
  const times: LocalTime[] = [
    { daysAgo: 0, time: "00:30" },
    { daysAgo: 0, time: "05:59" },
    { daysAgo: 0, time: "06:00" },
    { daysAgo: 1, time: "00:00" },
    { daysAgo: 1, time: "17:59" },
    { daysAgo: 1, time: "18:00" },
    ...[2, 3, 4, 5, 6, 7, 8, 9, 13, 14].flatMap((daysAgo) => [
      { daysAgo, time: "00:00" },
      { daysAgo, time: "23:59" },
    ]),
  ];
  const { authId, weekday } = await siteWith(times);
  const counted = (matches: (time: LocalTime) => boolean) => times.filter(matches).length;
  const expected: Record<string, number> = {
    Today: 3,
    Yesterday: 3,
    "Last night": 3,
    "This week": counted(({ daysAgo }) => daysAgo <= weekday),
    "Last week": counted(({ daysAgo }) => daysAgo > weekday && daysAgo <= weekday + 7),
    "Last 7 days": counted(({ daysAgo }) => daysAgo <= 6),
  };
  // The reader's clock shows another day.
  const { page, problems } = await openAs(authId, "/?view=alerts", { timezoneId: "Pacific/Pago_Pago" });
  await total(page, times.length).waitFor();
  for (const [name, alerts] of Object.entries(expected)) {
    await page.getByRole("button", { name: /^Period/ }).click();
    await page.getByRole("radio", { name, exact: true }).click();
    await page.getByRole("button", { name: `Period ${name}` }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".alert-toolbar h2", { hasText: new RegExp(`^${alerts} alerts?$`) }).waitFor();
  }
  await page.getByRole("button", { name: /^Period/ }).click();
  await page.getByRole("radio", { name: "Last night" }).click();
  await page.keyboard.press("Escape");
  expect(searchOf(page).toString()).toBe("view=alerts&times=18%3A00..06%3A00&relative=-1");

  await page.getByRole("link", { name: "Insight", exact: true }).click();
  await page.getByRole("button", { name: "Period Last night" }).waitFor();
  await page.getByRole("link", { name: "3 alerts", exact: true }).first().waitFor();
  await page.getByRole("link", { name: "Fleet", exact: true }).click();
  await page.getByRole("article", { name: "Gate" }).waitFor();
  await page.getByRole("link", { name: "Alerts", exact: true }).click();
  await page.getByRole("button", { name: "Period Last night" }).waitFor();
  expect(searchOf(page).get("relative")).toBe("-1");
  await page.getByRole("button", { name: /^Period/ }).click();
  await page.getByRole("radio", { name: "All time" }).click();
  await page.keyboard.press("Escape");
  expect(searchOf(page).toString()).toBe("view=alerts");
  expect(problems).toEqual(noProblems);
}, 90_000);

test("the stream tells days and times by the clock of the facility, and its hours narrow it down", async () => {
  const many = Array.from({ length: 60 }, () => ({ daysAgo: 3, time: "08:15" }));
  const { authId } = await siteWith([
    { daysAgo: 0, time: "09:05" },
    { daysAgo: 1, time: "22:10" },
    ...many,
    { daysAgo: 3, time: "07:00" },
  ]);
  const { page, problems } = await openAs(authId, "/?view=alerts", { timezoneId: "Pacific/Pago_Pago" });
  await total(page, 63).waitFor();
  const heading = page.locator(".stream-day");
  await heading.getByText(/^Today · /).waitFor();
  await page
    .getByRole("article")
    .first()
    .getByText(/^09:05 · \d hr ago$/)
    .waitFor();
  await page
    .getByRole("article")
    .nth(1)
    .getByText(/^22:10 · \d+ \w+$/)
    .waitFor();
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
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.locator(".alert-toolbar h2", { hasText: /^61 alerts$/ }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Space");
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
}, 90_000);

test("the hours of a night begin in the evening", async () => {
  const { authId } = await siteWith([{ daysAgo: 1, time: "23:00" }]);
  const { page } = await openAs(authId, "/?view=alerts&relative=-1&times=18:00..06:00");
  await bar(page, "23:00").waitFor();
  const first = page.getByRole("complementary").getByRole("button").first();
  expect(await first.getAttribute("aria-label")).toBe("From 18:00: 0 alerts");
});

describe.each(["light", "dark"] as const)("in a %s scheme, the stream with its hours", (colorScheme) => {
  test.each([
    [1400, "de-DE"],
    [360, "en-GB"],
    [360, "de-DE"],
  ])(
    "has no violation of accessibility rules and fits into a window of %i px, in %s",
    async (width, locale) => {
      const { authId } = await siteWith(
        Array.from({ length: 24 }, (_, index) => ({
          daysAgo: 1,
          time: `${String(index).padStart(2, "0")}:00`,
        })),
      );
      const { page } = await openAs(authId, "/?view=alerts&relative=-1", {
        ...{ colorScheme, locale, viewport: { width, height: 900 } },
      });
      await page.locator(".stream-hours").waitFor();
      await page.locator(".stream-day").getByText(/· /).waitFor();
      expect(await violations(page)).toEqual([]);
      await page.getByRole("button", { name: locale === "de-DE" ? /^Zeitraum/ : /^Period/ }).click();
      await page.getByRole("radio").first().waitFor();
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    },
    60_000,
  );
});

test("with several time zones, headings and times go by the reader's clock, and times of another day name it", async () => {
  const { prisma } = shared.gateway;
  const workspaceId = await createWorkspace(prisma, {});
  const authId = `test|${randomUUID()}`;
  await createUser(prisma, {
    workspaceId,
    authId,
    roles: ["facilities:read", "cameras:read", "alerts:read"],
  });
  // It is never the same day at the first of these places and at the reader's.
  const zones = ["Pacific/Kiritimati", "America/Sao_Paulo", "Asia/Kathmandu"];
  const timezoneId = "Pacific/Pago_Pago";
  const now = Date.now();
  for (const [minutes, timeZoneId] of zones.entries()) {
    const facilityId = await createFacility(prisma, { workspaceId, name: timeZoneId, timeZoneId });
    const cameraId = await createCamera(prisma, { workspaceId, facilityId, name: "Gate" });
    await createAlerts(
      prisma,
      [1, 30].map((hoursAgo) => ({
        ...{ workspaceId, facilityId, cameraId, name: "PERSON" },
        createdAt: new Date(now - hoursAgo * hour - minutes * 60_000),
      })),
    );
  }
  const { page } = await openAs(authId, "/?view=alerts", { timezoneId, locale: "en-GB" });
  await total(page, 6).waitFor();
  const dayOf = (instant: Date) => instant.toLocaleDateString("en-CA", { timeZone: timezoneId });
  const heading = page.locator(".stream-day");
  const newest = new Date(now - hour);
  const inWords = (style: Intl.DateTimeFormatOptions, instant: Date) =>
    instant.toLocaleString("en-GB", { ...style, timeZone: timezoneId });
  await heading
    .getByText(`${inWords({ weekday: "long" }, newest)}, ${inWords({ dateStyle: "medium" }, newest)}`)
    .waitFor();
  const times = await page
    .locator(".alert-moment time")
    .evaluateAll((all) =>
      all.map((time) => ({ instant: (time as HTMLTimeElement).dateTime, text: time.textContent ?? "" })),
    );
  expect(times).toHaveLength(6);
  for (const { instant, text } of times) {
    const at = new Date(instant);
    expect(text).toContain(inWords({ timeStyle: "short" }, at));
    if (dayOf(at) !== dayOf(new Date()))
      expect(text).toContain(inWords({ day: "numeric", month: "short" }, at));
  }
  // Of one facility, they go by its clock.
  const { id } = await prisma.facility.findFirstOrThrow({
    where: { workspaceId, timeZoneId: zones[0] as string },
  });
  await page.goto(`${shared.gateway.url}/?view=alerts&facility=${id}`);
  await total(page, 2).waitFor();
  const local = newest.toLocaleTimeString("en-GB", { timeStyle: "short", timeZone: zones[0] as string });
  await page.getByRole("article").first().getByText(local).waitFor();
}, 60_000);
