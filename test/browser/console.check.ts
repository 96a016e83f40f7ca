import { gzipSync } from "node:zlib";
import type { BrowserContextOptions, Page } from "playwright-core";
import type { Permission } from "../../src/engine/access/permissions.js";
import {
  createAlertComment,
  createAlerts,
  createApiKey,
  createCamera,
  createFacility,
  grantAccess,
} from "../support/factories.js";
import type { Sender } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { TcpProxy } from "../support/tcp-proxy.js";
import {
  appearances,
  browseOwnGateway,
  buttonOf,
  clickButton,
  clickLink,
  expectAccessible,
  expectCount,
  expectNone,
  expectSearch,
  expectToFit,
  fillIn,
  linkOf,
  openConsolePage,
  openSignedOutPage,
  pictureWidth,
  pressKeys,
  repeatUntilShown,
  signIn,
  signOut,
  tokenOf,
  waitForHeading,
  waitForStatus,
  waitForText,
} from "./console-page.js";
import { noProblems, openMonitoredPage } from "./monitored-page.js";
import { newSite, newUser, recordAlerts, recordHeartbeat, reportStatus } from "./own-console.js";

const admin: Sender = { user: "demo|admin" };

/**
 * The demo's cameras without a stream, and all that need attention: also the six of a
 * facility that is offline.
 */
const lost = 1;
const concerning = lost + 6;

let clock = () => new Date();
/** Nobody sends heartbeats: three of the demo's facilities stay online, and one has been away for 26 hours. */
const heartbeatTimeout = 20 * 3600;
const demo = browseOwnGateway({
  seed: "demo",
  now: () => clock(),
  environment: { HEARTBEAT_TIMEOUT: `${heartbeatTimeout}` },
});

const fleet = "/?view=fleet";

const openConsole = (address = fleet, options?: BrowserContextOptions) =>
  openConsolePage(demo.origin, address, options);
const openSignedOut = (address = fleet, options?: BrowserContextOptions) =>
  openSignedOutPage(demo.origin, address, options);

const tiles = (page: Page) => page.getByRole("article");
const tileOf = (page: Page, camera: string) => page.getByRole("article", { name: camera, exact: true });
const facilityOf = (page: Page, name: string) =>
  page.getByRole("region", { name: "Facilities" }).getByRole("listitem").filter({ hasText: name });

/** Puts the gateway's clock forward until the test is finished. */
function setClock(seconds: number): Date {
  const later = new Date(Date.now() + seconds * 1000);
  clock = () => later;
  onTestFinished(() => {
    clock = () => new Date();
  });
  return later;
}

test("the fleet shows facilities and cameras with their pictures, and takes at most 200 KB of script", async () => {
  const scripts: Promise<number>[] = [];
  const { page, problems } = await openMonitoredPage(demo.origin, { locale: "en-GB" });
  onTestFinished(() => page.context().close());
  page.on("response", (response) => {
    if (response.request().resourceType() === "script")
      scripts.push(response.body().then((body) => gzipSync(body).length));
  });
  await page.goto(`${demo.origin}${fleet}`);
  await expectCount(tiles(page), 24);
  await expect.poll(() => pictureWidth(tiles(page).first().getByRole("img"))).toBeGreaterThan(0);
  const { facilities } = await demo.gateway.data<{ facilities: { name: string; cameraCount: number }[] }>(
    "{ facilities { name cameraCount } }",
    {
      as: admin,
    },
  );
  for (const { name, cameraCount } of facilities)
    expect(await facilityOf(page, name).textContent()).toMatch(
      new RegExp(`${cameraCount} cameras.*\\d\\d:\\d\\d`),
    );
  expect((await Promise.all(scripts)).reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(200 * 1024);
  expect(problems).toEqual(noProblems);
});

test("a type of alert may have any name that a detector chooses", async () => {
  const { addCamera, raise, open } = await newSite(demo);
  const names = ["__proto__", "constructor"];
  for (const name of names) await raise({ name, cameraId: await addCamera({ name: `Camera of ${name}` }) });
  const { page } = await open(fleet);
  for (const name of names)
    await linkOf(tileOf(page, `Camera of ${name}`), `Newest alert: ${name}`).waitFor();
  await clickLink(tiles(page).first(), "Newest alert");
  await waitForHeading(page, "Why it was raised");
});

test("alerts, statuses and heartbeats update the page as they happen", async () => {
  const { page } = await openConsole();
  const { cameras } = await demo.gateway.data<{
    cameras: { id: string; name: string; facility: { id: string; name: string } }[];
  }>("{ cameras { id name facility { id name } } }", { as: admin });
  const { id, name, facility } = cameras[0] as (typeof cameras)[number];
  await tileOf(page, name).waitFor();
  await repeatUntilShown(tileOf(page, name).getByText("A new kind of alert"), () =>
    recordAlerts(demo.gateway, admin, [{ cameraId: id, name: "A_NEW_KIND_OF_ALERT" }]),
  );
  await reportStatus(demo.gateway, admin, id, "LENS_COVERED");
  const isInState = (state: string) =>
    page.getByRole("region", { name: state }).getByRole("article", { name, exact: true }).waitFor();
  await waitForText(tileOf(page, name), "Lens covered");
  await isInState("Fault reported");
  await expect
    .poll(() => buttonOf(page, "Needs attention").textContent())
    .toBe(`Needs attention${concerning + 1}`);
  const later = setClock(heartbeatTimeout);
  await page.reload();
  await waitForText(facilityOf(page, facility.name), "Offline");
  await isInState("Facility offline");
  const authorization = `Bearer ${await tokenOf("demo|admin", 3600, later)}`;
  await repeatUntilShown(facilityOf(page, facility.name).getByText("Online"), () =>
    recordHeartbeat(demo.gateway, { authorization }, facility.id),
  );
  await isInState("Fault reported");
});

test("thousands of cameras are read page by page, and any is found by its name", async () => {
  const { workspaceId, facilityId, open } = await newSite(demo);
  const names = listOf(3000, (index) => `Camera ${String(index).padStart(4, "0")}`);
  await demo.prisma.camera.createMany({
    data: names.map((name) => ({ workspaceId, facilityId, name })),
  });
  const { page, problems } = await open(fleet);
  await tileOf(page, "Camera 0000").waitFor();
  expect(await tiles(page).count()).toBeLessThan(200);
  await expect
    .poll(async () => {
      await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
      return tiles(page).count();
    })
    .toBeGreaterThan(300);
  const shown = await tiles(page).evaluateAll((all) => all.map((tile) => tile.ariaLabel));
  expect(shown).toEqual([...new Set(shown)]);
  await page.getByRole("searchbox").fill("camera 2999");
  await tileOf(page, "Camera 2999").waitFor();
  expect(await tiles(page).count()).toBe(1);
  expect(problems).toEqual(noProblems);
});

test("fifty cameras without a picture are folded, and the working ones begin in sight", async () => {
  const { addCamera, open } = await newSite(demo);
  await addCamera({ name: "Works", pictureAt: new Date(), imageLink: "pictures/none.jpg" });
  await Promise.all(Array.from({ length: 50 }, (_, index) => addCamera({ name: `Imported ${index}` })));
  const { page } = await open(fleet);
  await tileOf(page, "Works").waitFor();
  expect((await tileOf(page, "Works").boundingBox())?.y).toBeLessThan(600);
  expect(await tiles(page).count()).toBe(1);
  await page.locator("summary", { hasText: "Never connected" }).click();
  await expectCount(tiles(page), 52);
});

test("a token or a key signs in, without being stored beyond the session, and a refused one is reported", async () => {
  const { page } = await openSignedOut(`${fleet}&operational=false`);
  for (const refused of ["not-a-token", "“quoted”", "cmk_…"]) {
    await fillIn(page, "Token or API key", "");
    await clickButton(page, "Continue");
    await waitForText(page.getByRole("alert"), "Enter a token");
    await signIn(page, refused);
    await waitForText(page.getByRole("alert"), "does not accept it");
  }
  await signIn(page, await tokenOf("demo|viewer"));
  await expect.poll(() => tiles(page).count()).toBeGreaterThan(1);
  await page.reload();
  await expect.poll(() => tiles(page).count()).toBeGreaterThan(1);
  await clickButton(page, "Account");
  await waitForText(page, "Vera Viewer");
  await clickButton(page, "Sign out");
  const { prisma } = demo;
  const { workspaceId } = await prisma.user.findFirstOrThrow({ where: { authId: "demo|admin" } });
  await signIn(
    page,
    (
      await createApiKey(prisma, {
        workspaceId,
        permissions: ["facilities:read", "cameras:read", "alerts:read"],
      })
    ).key,
  );
  await expect.poll(() => tiles(page).count()).toBeGreaterThan(1);
  // Only the time of signing out, for tabs that were at another site then.
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual(["console.signed-out-at"]);
  await expectSearch(page, "?view=fleet&operational=false");
});

test("viewers who see nothing learn why, and those who may add the first facility learn how", async () => {
  const { page } = await openSignedOut();
  await signIn(page, await tokenOf("demo|nobody"));
  await waitForHeading(page, "No facility is open to you");
  for (const view of ["Alerts", "Insight"]) {
    await clickLink(page, view, { exact: true });
    await waitForHeading(page, view, 1);
    await waitForHeading(page, "This is not open to you");
  }
  await clickLink(page, "Cameras", { exact: true });
  await signOut(page);
  await signIn(page, await tokenOf((await newUser(demo)).as.user));
  await waitForHeading(page, "Welcome. From here to the first alert");
  await buttonOf(page, "Add a facility").waitFor();
});

test("actions that are permitted at one facility only are offered there", async () => {
  const { prisma } = demo;
  const { workspaceId, userId, open } = await newUser(demo, { roles: [] });
  const alertAt = async (...actions: Permission[]) => {
    const facilityId = await createFacility(prisma, { workspaceId });
    await grantAccess(prisma, {
      workspaceId,
      userId,
      facilityId,
      actions: ["facilities:read", "cameras:read", "alerts:read", ...actions],
    });
    const cameraId = await createCamera(prisma, { workspaceId, facilityId });
    const place = { workspaceId, facilityId, cameraId };
    const [alertId] = (await createAlerts(prisma, [place])) as [string];
    await createAlertComment(prisma, { ...place, alertId });
    return alertId;
  };
  const { page } = await open(`/?alert=${await alertAt("alerts:write", "alerts:delete")}`);
  await clickButton(page, "Delete this comment");
  await waitForHeading(page, "0 comments");
  await page.goto(`${demo.gateway.url}/?alert=${await alertAt("alerts:write")}`);
  const acknowledge = buttonOf(page.locator(".alert-details"), "Acknowledge");
  await acknowledge.waitFor();
  await expectNone(buttonOf(page, "Delete this comment"));
  await page.goto(`${demo.gateway.url}/?alert=${await alertAt()}`);
  await waitForHeading(page, "1 comment");
  await expectNone(acknowledge);
});

test("an expired token ends the session, and after signing in again the view is the same", async () => {
  const { page } = await openSignedOut(`${fleet}&text=dock`);
  await signIn(page, await tokenOf("demo|viewer", 60));
  await expect.poll(() => tiles(page).count()).toBeGreaterThan(1);
  const later = setClock(120);
  // The gateway closes the socket of an expired token.
  await waitForHeading(page, "Your session has ended");
  await expectAccessible(page);
  await signIn(page, await tokenOf("demo|viewer", 3600, later));
  await expect.poll(() => tiles(page).count()).toBeGreaterThan(1);
  expect(await page.getByRole("searchbox").inputValue()).toBe("dock");
});

test("the page reports that the server goes away and comes back, and then everything is up to date", async () => {
  const proxy = await TcpProxy.open(demo.gateway.url);
  onTestFinished(() => proxy.disconnect());
  const { page } = await openMonitoredPage(demo.origin, { locale: "en-GB" });
  onTestFinished(() => page.context().close());
  await page.goto(new URL(fleet, proxy.url.replace("127.0.0.1", "localhost")).href);
  await expectCount(tiles(page), 24);
  await proxy.disconnect();
  await waitForStatus(page, "Connection lost");
  expect(await tiles(page).count()).toBe(24);
  const { cameras } = await demo.gateway.data<{ cameras: { id: string; facility: { online: boolean } }[] }>(
    "{ cameras { id facility { online } } }",
    { as: admin },
  );
  const { id } = cameras.findLast(({ facility }) => facility.online) as { id: string };
  await reportStatus(demo.gateway, admin, id, "MISSED_MEANWHILE");
  await proxy.reconnect();
  await waitForText(page.getByRole("region", { name: "Fault reported" }), "Missed meanwhile");
  await expectCount(page.getByText("Missed meanwhile"), 1);
  await expectCount(page.getByText("Connection lost"), 0);
});

test("failures are reported and can be retried", async () => {
  const { page } = await openConsole("/favicon.svg");
  // Unlike an unavailable gateway, this failure is not retried automatically.
  const fail = {
    status: 200,
    json: { errors: [{ message: "Internal server error", extensions: { code: "INTERNAL" } }] },
  };
  await page.route("**/graphql", (route) => route.fulfill(fail));
  await page.goto(`${demo.origin}${fleet}`);
  await waitForHeading(page.getByRole("alert"), "Something went wrong");
  await expectAccessible(page);
  await page.unroute("**/graphql");
  await clickButton(page, "Try again");
  await expectCount(tiles(page), 24);
});

test("a part of the console that cannot be loaded says so and is loaded again, and the rest stays", async () => {
  const { page } = await openConsole();
  await expectCount(tiles(page), 24);
  await page.route("**/console/assets/**", (route) => route.fulfill({ status: 404 }));
  await pressKeys(page, "q");
  const dialog = page.getByRole("dialog", { name: "What this view is made of" });
  await waitForHeading(dialog, "This part could not be shown");
  await pressKeys(page, "Escape");
  await clickLink(page, "Alerts", { exact: true });
  const failure = page.getByRole("main").getByRole("alert");
  await waitForHeading(failure, "This part could not be shown");
  await expectAccessible(page);
  await clickLink(page, "Cameras", { exact: true });
  await expectCount(tiles(page), 24);
  await page.goBack();
  await page.unroute("**/console/assets/**");
  await clickButton(failure, "Reload");
  await page.getByRole("list", { name: "Alerts" }).waitFor();
});

test("a language that cannot be loaded is replaced by English", async () => {
  const { page } = await openConsole("/favicon.svg", { locale: "de-DE" });
  await page.route("**/console/assets/de-*.js", (route) => route.fulfill({ status: 404 }));
  await page.goto(`${demo.origin}${fleet}`);
  await waitForHeading(page, "Cameras", 1);
  expect(await page.getAttribute("html", "lang")).toBe("en");
});

test("a console without any language, or without the one that is chosen, says to load the page again", async () => {
  const { page } = await openConsole("/favicon.svg");
  await page.route("**/console/assets/en-*.js", (route) => route.fulfill({ status: 404 }));
  await page.goto(`${demo.origin}${fleet}`);
  await page.waitForLoadState("networkidle");
  await waitForText(page, "load the page again");
  await page.unroute("**/console/assets/en-*.js");
  await page.reload();
  await waitForHeading(page, "Cameras", 1);
  await page.route("**/console/assets/de-*.js", (route) => route.fulfill({ status: 404 }));
  await clickButton(page, "Account");
  await page.getByLabel("Language").selectOption("Deutsch");
  await waitForText(page.getByRole("alert"), "Reload the page to try again.");
  await expectAccessible(page);
  await page.unroute("**/console/assets/de-*.js");
  await page.reload();
  await waitForHeading(page, "Kameras", 1);
});

test("keys lead everywhere, are listed on a question mark, and can be turned off", async () => {
  const { page } = await openConsole("/?view=constructor");
  await waitForHeading(page, "There is no such view");
  await pressKeys(page, "g", "f");
  await expectCount(tiles(page), 24);
  await pressKeys(page, "x");
  await expectSearch(page, "?view=fleet&operational=false");
  await pressKeys(page, "?");
  const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await waitForText(list, "Go to Cameras");
  await list.getByRole("checkbox").uncheck();
  await pressKeys(page, "Escape");
  await expectNone(list);
  await pressKeys(page, "x", "?");
  await expectNone(list);
  await expectSearch(page, "?view=fleet&operational=false");
});

test("a menu that is opened by a key is closed by Escape, and keys do nothing behind it", async () => {
  const { page } = await openConsole("/?view=alerts");
  const button = buttonOf(page, "Severity");
  const menu = page.getByRole("group", { name: "Severity", exact: true });
  await button.focus();
  await pressKeys(page, "Enter");
  await menu.waitFor();
  await pressKeys(page, "v", "Escape");
  await menu.waitFor({ state: "hidden" });
  await expectSearch(page, "?view=alerts");
  await pressKeys(page, "v");
  await expectSearch(page, "?view=alerts&layout=list");
});

test("the skip link leads past the header to the content", async () => {
  const { page } = await openConsole();
  await tiles(page).first().waitFor();
  await pressKeys(page, "Tab", "Enter");
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("content");
});

test.each([
  ["account", fleet, "#account"],
  ["profile", "/?view=settings&part=profile", "main"],
])("an appearance that is chosen in the %s stays", async (_name, address, place) => {
  const { page } = await openConsole(address, { colorScheme: "light" });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.getByRole("main").getByRole("heading").first().waitFor();
  const light = await background();
  await clickButton(page, "Account");
  await page.locator(place).getByRole("combobox", { name: "Appearance" }).selectOption("Dark");
  expect(await background()).not.toBe(light);
  await page.reload();
  await expect.poll(background).not.toBe(light);
});

test.each(appearances)(
  "the console has no violation of accessibility rules and fits, $colorScheme and $viewport.width px wide",
  async (appearance) => {
    const { page } = await openConsole(fleet, appearance);
    await expectCount(tiles(page), 24);
    await expectAccessible(page);
    await expectToFit(page);
    await clickButton(page, "Account");
    await expectAccessible(page);
    await clickButton(page, "Keyboard shortcuts");
    await expectAccessible(page);
    await pressKeys(page, "Escape");
    await signOut(page);
    await waitForHeading(page, "Sign in");
    await expectAccessible(page);
    await expectToFit(page);
  },
);
