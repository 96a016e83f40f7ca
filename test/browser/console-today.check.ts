import { randomUUID } from "node:crypto";
import type { Locator, Page, Request } from "playwright-core";
import { fleetFilterOf } from "../../src/console/fleet/fleet-filter.js";
import {
  createAlertRule,
  createApiKey,
  createCamera,
  createFacility,
  createUser,
  createWorkspace,
} from "../support/factories.js";
import { listOf } from "../support/list-of.js";
import {
  browseOwnGateway,
  buttonOf,
  clickButton,
  clickLink,
  expectAccessible,
  expectNone,
  expectSearch,
  expectSoon,
  expectToFit,
  linkOf,
  openSignedOutPage,
  pressKeys,
  setVisibility,
  signIn,
  waitForHeading,
  waitForText,
} from "./console-page.js";
import { expectTotals, type LinkedNumber, numberIn } from "./linked-numbers.js";
import { noProblems } from "./monitored-page.js";
import { newSite, newUser, recordAlerts, type SiteOptions } from "./own-console.js";

const minute = 60_000;
const hour = 60 * minute;
const ago = (milliseconds: number) => new Date(Date.now() - milliseconds);

// Ahead of the pages, whose clocks run through ten seconds in no time: what they have seen
// must not be in the future.
const now = () => new Date(Date.now() + minute);
const own = browseOwnGateway({ now, environment: { HEARTBEAT_TIMEOUT: "3000" } });

/** A facility that is online, with a camera that works, and a user who was last there at a time. */
const siteSeen = (seenAt: Date | null = null, { facility, user }: SiteOptions = {}) =>
  newSite(own, {
    facility: { lastHeartbeatAt: new Date(), ...facility },
    camera: working,
    user: { seenAt, firstName: "Ada", lastName: "Admin", ...user },
  });
type Site = Awaited<ReturnType<typeof siteSeen>>;

const working = { url: null, streamType: "CLIENT", imageLink: "https://pictures.example/yard.jpg" };

const card = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const isShown = (page: Page) => card(page, "Worst hour").waitFor();
const seenAtOf = async ({ workspaceId, userId }: Site) =>
  (await own.prisma.user.findFirstOrThrow({ where: { workspaceId, id: userId } })).seenAt;

/** The linked numbers of alerts on Today. */
const linkedNumbers = (page: Page): Promise<LinkedNumber[]> =>
  page
    .locator('.today a[href*="view=alerts"]')
    .evaluateAll((links) =>
      links.map((link) => ({ text: link.textContent ?? "", address: link.getAttribute("href") ?? "" })),
    );

/** Six facilities all over the world, with alerts of ten days. */
async function siteOfSixZones(): Promise<Site> {
  const { prisma } = own;
  const site = await siteSeen(ago(15 * hour));
  const { workspaceId, addCamera, raise } = site;
  const colleague = await createUser(prisma, { workspaceId, firstName: "Ben", lastName: "Berg" });
  const zones = [
    "Pacific/Kiritimati",
    "Pacific/Pago_Pago",
    "Asia/Kathmandu",
    "Europe/Berlin",
    "America/St_Johns",
    "America/Sao_Paulo",
  ];
  for (const [zone, timeZoneId] of zones.entries()) {
    const facilityId = await createFacility(prisma, {
      workspaceId,
      name: timeZoneId,
      timeZoneId,
      lastHeartbeatAt: ago(zone < 2 ? 26 * hour : 0),
    });
    const cameraId = await addCamera({ ...working, facilityId, name: `Camera of ${timeZoneId}` });
    if (zone > 3)
      await addCamera({
        ...{ ...working, facilityId, name: `Lost at ${timeZoneId}` },
        statusDetail: "STREAM_ERROR",
        statusDetailChangedAt: ago(zone * hour),
      });
    const severities = ["CRITICAL", "HIGH", "LOW", null, "odd"];
    await raise(
      ...listOf(400, (index) => ({
        ...{ facilityId, cameraId },
        createdAt: ago(index * 37 * minute + zone * 11_000),
        severity: severities[(index + zone) % severities.length] as string | null,
        ...(index % 3 === 0 && { acknowledgedAt: ago(minute), acknowledgedById: colleague }),
        falsePositive: index % 11 === 5,
        observation: index % 13 === 7,
      })),
    );
  }
  return site;
}

test("every number is that of the list behind its link, with facilities in six time zones", async () => {
  const site = await siteOfSixZones();
  const { page, problems } = await site.open("/");
  await isShown(page);
  // Open, four severities and none, open in all; two of the night; two of hours; acknowledged.
  expect(await expectTotals(own.gateway, await linkedNumbers(page), site.as)).toBe(12);
  await linkOf(card(page, "Open alerts"), /^No severity \d+$/).waitFor();

  const places = await card(page, "Away")
    .locator('a[href*="view=fleet"]')
    .evaluateAll((links) =>
      links.map((link) => ({ text: link.textContent ?? "", address: link.getAttribute("href") ?? "" })),
    );
  const counted = places.filter(({ text }) => /\d/.test(text));
  for (const { text, address } of counted) {
    const { states } = fleetFilterOf(new URL(address, own.gateway.url).searchParams);
    const { searchCameras } = await own.gateway.data<{ searchCameras: { totalCount: number } }>(
      "query ($states: [CameraState!]) { searchCameras(filter: { states: $states }, first: 1) { totalCount } }",
      { as: site.as, variables: { states } },
    );
    expect(numberIn(text), address).toBe(searchCameras.totalCount);
  }
  expect(counted.map(({ text }) => text)).toEqual([
    "4 cameras need attention",
    "Facility offline 2",
    "No stream 2",
  ]);
  await waitForText(
    card(page, "Away").getByRole("listitem").filter({ hasText: "Pacific/Kiritimati" }),
    "day",
  );
  await waitForText(
    card(page, "Away").getByRole("listitem").filter({ hasText: "Lost at America/St_Johns" }),
    "4 hr ago",
  );
  await card(page, "Acknowledged").getByText("by Ben Berg").first().waitFor();
  expect(problems).toEqual(noProblems);
});

test("last night is beside the mean of the seven nights before, by the clock of the facility", async () => {
  const { raise, open } = await siteSeen(null, { facility: { timeZoneId: "Pacific/Kiritimati" } });
  // 14 hours ahead of UTC, where no clock is ever changed.
  const ahead = 14 * hour;
  const today = Math.floor((Date.now() + ahead) / (24 * hour)) * 24 * hour - ahead;
  const at = (days: number, hours: number) => new Date(today - days * 24 * hour + hours * hour);
  const times = [
    at(1, 18),
    at(1, 23),
    at(0, 5.9),
    at(1, 17.9),
    at(0, 6),
    at(2, 18),
    at(1, 5),
    at(8, 20),
    at(9, 20),
  ];
  await raise(...times.map((createdAt) => ({ createdAt })));
  const { page } = await open("/");
  const night = card(page, "Last night");
  await linkOf(night, "3 alerts", { exact: true }).waitFor();
  await linkOf(night, "3 alerts in the seven nights before").waitFor();
  expect(await night.locator(".today-pair p").allTextContents()).toEqual(["Last night3", "Usually0.4"]);
  await clickLink(night, "3 alerts", { exact: true });
  await buttonOf(page, "Period Last night").waitFor();
  await buttonOf(page, "18:00 – 06:00").waitFor();
  await page.locator(".alert-toolbar h2", { hasText: "3 alerts" }).waitFor();
});

test("a first visit shows the last 24 hours, and the next one what happened since", async () => {
  const { workspaceId, userId, raise, open } = await siteSeen();
  await raise(...[ago(2 * hour), ago(23 * hour), ago(25 * hour)].map((createdAt) => ({ createdAt })));
  const first = await open("/");
  await waitForText(first.page, "What happened in the last 24 hours");
  await linkOf(first.page, "2 open alerts raised since then").waitFor();
  await linkOf(first.page, "3 open in all").waitFor();
  const { prisma } = own;
  const key = { workspaceId_id: { workspaceId, id: userId } };
  await prisma.user.update({ where: key, data: { seenAt: ago(3 * hour) } });
  // What was shown stays while it is looked after, also when the page is loaded again.
  await first.page.reload();
  await linkOf(first.page, "2 open alerts raised since then").waitFor();
  const { page } = await open("/");
  await waitForText(page, /since you were last here \(.*, 3 hr ago\)/);
  await linkOf(page, "1 open alert raised since then").waitFor();
  await prisma.user.update({ where: key, data: { seenAt: ago(90 * 24 * hour) } });
  const late = await open("/");
  await waitForText(late.page, "What happened in the last 31 days");
  await waitForText(late.page, "You were last here on");
});

/** The instants that the page tells the gateway as seen. */
function instantsSeen(page: Page): string[] {
  const instants: string[] = [];
  page.on("request", (request: Request) => {
    const { operationName, variables } = JSON.parse(request.postData() || "{}");
    if (operationName === "MarkSeen") instants.push(variables.at);
  });
  return instants;
}

test("a glance is no visit: what was shown for a minute in all, or before going on, counts as seen", async () => {
  const site = await siteSeen();
  const { page, problems } = await site.open("/?view=alerts");
  await waitForHeading(page, "No alerts yet");
  const seen = instantsSeen(page);
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 1_000);
  // React shows what was loaded by a timer.
  const goTo = async (key: string, shown: Locator) => {
    await pressKeys(page, "g", key);
    await expectSoon(async () => {
      await page.clock.runFor(50);
      return shown.isVisible();
    }, true);
  };
  await goTo("t", card(page, "Worst hour"));
  await page.clock.runFor(50_000);
  await setVisibility(page, "hidden");
  await page.clock.runFor(20_000);
  expect(seen).toEqual([]);
  expect(await seenAtOf(site)).toBeNull();
  await setVisibility(page, "visible");
  await page.clock.runFor(11_000);
  await expectSoon(() => seen.length, 1);
  await expectSoon(async () => (await seenAtOf(site))?.toISOString(), seen[0]);
  const noAlerts = page.getByRole("heading", { name: "No alerts yet" });
  await goTo("a", noAlerts);
  await goTo("t", card(page, "Worst hour"));
  expect(seen).toHaveLength(1);
  // What is shown is read again meanwhile.
  for (let second = 0; second < 30; second += 1) await page.clock.runFor(1_000);
  await goTo("a", noAlerts);
  await expectSoon(() => seen.length, 2);
  expect(problems.consoleErrors).toEqual([]);
});

test("Today tells of the period that is chosen, also when its address is opened, with its gravest open alerts", async () => {
  const { raise, open } = await siteSeen(ago(minute));
  const high = { createdAt: ago(30 * hour), severity: "HIGH" };
  await raise(high, { ...high, severity: "LOW" }, { ...high, acknowledgedAt: ago(minute) });
  const { page } = await open("/");
  await page.getByText("None raised since then", { exact: true }).first().waitFor();
  await clickButton(page, "Last 7 days");
  await expectSearch(page, "?period=7d");
  await page.reload();
  await linkOf(page, "2 open alerts raised in the last 7 days").waitFor();
  await waitForText(page, "1 acknowledged of those raised in the last 7 days");
  const pictures = page.getByRole("region", { name: "Newest open alerts: High" });
  await expectSoon(() => pictures.getByRole("listitem").count(), 1);
  await pictures.getByRole("listitem").getByRole("link").click();
  await expectSoon(() => new URL(page.url()).searchParams.getAll("severity"), ["HIGH"]);
  await page.getByRole("dialog").or(page.locator(".alert-parts")).first().waitFor();
});

test("a key has no visits: it sees the last 24 hours, and nothing counts as seen", async () => {
  const { workspaceId, raise } = await siteSeen();
  await raise({ createdAt: ago(hour) });
  const { key } = await createApiKey(own.prisma, {
    workspaceId,
    permissions: ["facilities:read", "cameras:read", "alerts:read"],
  });
  const { page, problems } = await openSignedOutPage(own.gateway.url, "/?view=alerts");
  await signIn(page, key);
  await page.getByRole("article").first().waitFor();
  const seen = instantsSeen(page);
  await page.clock.install();
  await clickLink(page, "Today", { exact: true });
  await waitForText(page, "What happened in the last 24 hours");
  await linkOf(page, "1 open alert raised since then").waitFor();
  await page.clock.runFor(11_000);
  expect(seen).toEqual([]);
  expect(problems.consoleErrors).toEqual([]);
});

test("nothing to do looks like nothing to do", async () => {
  const { raise, open } = await siteSeen();
  const { page } = await open("/");
  await waitForText(page, "Nothing to do.");
  await waitForText(page, "Every camera works", { exact: true });
  await waitForText(page, "None is open");
  expect(await linkedNumbers(page)).toEqual([]);
  await raise({ createdAt: ago(72 * hour) });
  await page.reload();
  await page.getByText("None raised since then", { exact: true }).first().waitFor();
  await linkOf(page, "1 open in all").waitFor();
  await expectNone(page.getByText("Nothing to do."));
});

test("the numbers follow what is raised and acknowledged", async () => {
  const { as, cameraId, open } = await siteSeen();
  const { page } = await open("/");
  await waitForText(page, "Nothing to do.");
  const id = randomUUID();
  const openAlerts = card(page, "Open alerts").locator(".today-figure");
  await recordAlerts(own.gateway, as, [{ id, cameraId, name: "PERSON" }]);
  await expect
    .poll(() => openAlerts.allTextContents(), { timeout: 70_000 })
    .toEqual(["1 open alert raised since then"]);
  await own.gateway.data(
    "mutation ($id: UUID!) { markAlerts(ids: [$id], marks: { acknowledged: true }) { alerts { id } } }",
    { as, variables: { id } },
  );
  await linkOf(card(page, "Acknowledged"), "1 acknowledged of those raised since then").waitFor();
  await waitForText(page, "Nothing to do.");
  await waitForText(card(page, "Acknowledged"), "by Ada Admin");
});

test("whoever may not read alerts sees what is away", async () => {
  const { open } = await siteSeen(null, {
    facility: { lastHeartbeatAt: ago(5 * hour) },
    user: { roles: ["facilities:read", "cameras:read"] },
  });
  const { page, problems } = await open("/");
  await linkOf(card(page, "Away"), "1 camera needs attention").waitFor();
  await clickLink(card(page, "Away"), "Plant");
  await waitForHeading(page, "Cameras", 1);
  await page.goBack();
  await card(page, "Away").waitFor();
  expect(await page.locator(".today-card").count()).toBe(1);
  expect(problems).toEqual(noProblems);
});

test("links to the fleet from before it was a view of its own lead there, also without their last filter", async () => {
  const { facilityId, open } = await siteSeen();
  const { page } = await open(`/?facility=${facilityId}`);
  await page.getByRole("article", { name: "Gate" }).waitFor();
  await clickButton(page, /^Clear: .*Plant/);
  await expectSearch(page, "?view=fleet");
  await page.getByRole("article", { name: "Gate" }).waitFor();
});

test.each([
  { colorScheme: "light", locale: "en-GB", width: 3840 },
  { colorScheme: "dark", locale: "de-DE", width: 360 },
] as const)(
  "Today breaks no rule of accessibility and fits, $colorScheme, in $locale and $width px wide",
  async ({ width, ...options }) => {
    const viewport = { width, height: 900 };
    const { page } = await (await siteOfSixZones()).open("/", { ...options, viewport });
    await card(page, options.locale === "de-DE" ? "Schlimmste Stunde" : "Worst hour").waitFor();
    await expectAccessible(page);
    await expectToFit(page);
  },
);

test("until a site is set up, each browser leads to the next step, unless its reader has left the steps", async () => {
  const { prisma } = own;
  const workspaceId = await createWorkspace(prisma);
  const { open } = await newUser(own, { workspaceId });
  const facilityId = await createFacility(prisma, { workspaceId });
  const first = await open("/");
  await buttonOf(first.page, "Add a camera").waitFor();
  expect(await first.page.getByText("Nothing to do").isVisible()).toBe(false);
  const cameraId = await createCamera(prisma, { workspaceId, facilityId, ...working });
  await linkOf(first.page, "Add a rule").waitFor();
  await clickButton(first.page, "Not now");
  await expectNone(first.page.getByRole("heading", { name: /^Welcome/ }));
  await first.page.reload();
  await isShown(first.page);
  await expectNone(first.page.getByRole("heading", { name: /^Welcome/ }));

  await createAlertRule(prisma, { workspaceId, cameraId });
  const second = await open("/");
  await buttonOf(second.page, "Create a key for a detector").waitFor();
  await prisma.workspace.updateMany({ where: { id: workspaceId }, data: { createdAt: ago(15 * 24 * hour) } });
  const third = await open("/");
  await isShown(third.page);
  await expectNone(third.page.getByRole("heading", { name: /^Welcome/ }));
});
