import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Permission } from "../../src/access/permissions.js";
import {
  createAlertComment,
  createAlerts,
  createApiKey,
  createCamera,
  createFacility,
  createUser,
  createWorkspace,
  grantAccess,
} from "../support/factories.js";
import type { Sender } from "../support/harness.js";
import { TcpProxy } from "../support/tcp-proxy.js";
import {
  browseOwnGateway,
  openConsolePage,
  openSignedOutPage,
  signIn,
  tokenOf,
  violations,
} from "./console-page.js";
import { noProblems, openMonitoredPage } from "./monitored-page.js";

const admin: Sender = { user: "demo|admin" };

/**
 * The demo's cameras without a stream, and all that need attention: also the six of a
 * facility that is offline.
 */
const lost = 1;
const concerning = lost + 6;

let clock = () => new Date();
// Nobody sends heartbeats, and three of four facilities stay online.
const demo = browseOwnGateway({
  seed: "demo",
  now: () => clock(),
  environment: { HEARTBEAT_TIMEOUT: "3000" },
});

const fleet = "/?view=fleet";

const openConsole = (address = fleet, options?: BrowserContextOptions) =>
  openConsolePage(demo.browser, demo.origin, address, options);
const openSignedOut = (address = fleet, options?: BrowserContextOptions) =>
  openSignedOutPage(demo.browser, demo.origin, address, options);

const tiles = (page: Page) => page.getByRole("article");
const tileOf = (page: Page, camera: string) => page.getByRole("article", { name: camera, exact: true });
const facilityOf = (page: Page, name: string) =>
  page.getByRole("region", { name: "Facilities" }).getByRole("listitem").filter({ hasText: name });

/** A separate workspace, with a user who has all permissions. */
async function ownWorkspace(): Promise<{ workspaceId: string; token: string }> {
  const workspaceId = await createWorkspace(demo.gateway.prisma, {});
  const authId = `test|${randomUUID()}`;
  await createUser(demo.gateway.prisma, {
    workspaceId,
    authId,
    roles: ["facilities:read", "facilities:write", "cameras:read", "alerts:read"],
  });
  return { workspaceId, token: await tokenOf(authId) };
}

test("the fleet shows facilities and cameras with their pictures, and takes at most 200 KB of script", async () => {
  const scripts: Promise<number>[] = [];
  const { page, problems } = await openMonitoredPage(demo.browser, demo.origin, { locale: "en-GB" });
  onTestFinished(() => page.context().close());
  page.on("response", (response) => {
    if (response.request().resourceType() === "script")
      scripts.push(response.body().then((body) => gzipSync(body).length));
  });
  await page.goto(`${demo.origin}${fleet}`);
  await expect.poll(() => tiles(page).count()).toBe(24);
  await expect
    .poll(() =>
      tiles(page)
        .first()
        .getByRole("img")
        .evaluate((image) => (image as HTMLImageElement).naturalWidth),
    )
    .toBeGreaterThan(0);
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
}, 60_000);

test("a facility shows today's alerts beside the usual number for the weekday", async () => {
  const { workspaceId, token } = await ownWorkspace();
  const facilityId = await createFacility(demo.gateway.prisma, {
    workspaceId,
    name: "Plant",
    timeZoneId: "Pacific/Kiritimati",
  });
  const cameraId = await createCamera(demo.gateway.prisma, { workspaceId, facilityId });
  const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 3600_000);
  const times = [0, 0, 0, 7, 7, 14, 14, 14, 14, 21, 21, 21, 1, 2].map(daysAgo);
  await createAlerts(
    demo.gateway.prisma,
    times.map((createdAt) => ({ workspaceId, facilityId, cameraId, createdAt })),
  );
  const { page } = await openSignedOut();
  await signIn(page, token);
  const weekday = new Intl.DateTimeFormat("en-GB", {
    weekday: "long",
    timeZone: "Pacific/Kiritimati",
  }).format(new Date());
  await facilityOf(page, "Plant").getByText("3 alerts today").waitFor();
  await facilityOf(page, "Plant").getByText(`usually 3 on a ${weekday}`).waitFor();
});

test("a type of alert may have any name that a detector chooses", async () => {
  const { workspaceId, token } = await ownWorkspace();
  const facilityId = await createFacility(demo.gateway.prisma, { workspaceId });
  const names = ["__proto__", "constructor"];
  for (const name of names) {
    const cameraId = await createCamera(demo.gateway.prisma, {
      workspaceId,
      facilityId,
      name: `Camera of ${name}`,
    });
    await createAlerts(demo.gateway.prisma, [{ workspaceId, facilityId, cameraId, name }]);
  }
  const { page } = await openSignedOut();
  await signIn(page, token);
  for (const name of names)
    await tileOf(page, `Camera of ${name}`)
      .getByRole("link", { name: `Newest alert: ${name}` })
      .waitFor();
});

test("a camera leads to its page, and its newest alert to that", async () => {
  const { page } = await openConsole();
  const tile = tiles(page).first();
  const name = (await tile.getAttribute("aria-label")) as string;
  // Click the picture, which the link covers completely.
  await tile.click({ position: { x: 100, y: 60 } });
  await page.getByRole("heading", { name, level: 1 }).waitFor();
  await page.goBack();
  await tile.getByRole("link", { name: "Newest alert" }).click();
  await page.getByRole("heading", { name: "Why it was raised" }).waitFor();
});

test("filters are in the address, and going back takes them away again", async () => {
  const { page, problems } = await openConsole(`${fleet}&operational=false`);
  await expect.poll(() => tiles(page).count()).toBe(concerning);
  await page.getByRole("button", { name: "No stream" }).click();
  await expect.poll(() => tiles(page).count()).toBe(lost);
  await tiles(page).first().getByText("No stream").waitFor();
  await page.goBack();
  await expect.poll(() => tiles(page).count()).toBe(concerning);
  await page.getByRole("button", { name: "Needs attention" }).click();
  await expect.poll(() => tiles(page).count()).toBe(24);
  await facilityOf(page, "Kathmandu Works").getByRole("button").click();
  await expect.poll(() => tiles(page).count()).toBe(6);
  await page.keyboard.press("/");
  await page.keyboard.type("gate");
  await expect.poll(() => tiles(page).count()).toBe(1);
  await expect.poll(() => new URL(page.url()).searchParams.get("text")).toBe("gate");
  await page.goBack();
  await expect.poll(() => tiles(page).count()).toBe(24);
  await page.goBack();
  await expect.poll(() => tiles(page).count()).toBe(concerning);
  await page.goForward();
  await page.goForward();
  await expect.poll(() => page.getByRole("searchbox").inputValue()).toBe("gate");
  await page.getByRole("searchbox").fill("no such camera");
  await page.getByRole("button", { name: "Clear all filters" }).click();
  await expect.poll(() => tiles(page).count()).toBe(24);
  expect(new URL(page.url()).search).toBe("?view=fleet");
  expect(problems.consoleErrors).toEqual([]);
});

test("alerts, statuses and heartbeats update the page as they happen", async () => {
  const { page } = await openConsole();
  const { cameras } = await demo.gateway.data<{
    cameras: { id: string; name: string; facility: { id: string; name: string } }[];
  }>("{ cameras { id name facility { id name } } }", { as: admin });
  const { id, name, facility } = cameras[0] as (typeof cameras)[number];
  await tileOf(page, name).waitFor();
  await expect
    .poll(() => page.evaluate(() => performance.getEntriesByType("resource").length))
    .toBeGreaterThan(0);
  const record = () =>
    demo.gateway.data(
      "mutation ($input: [RecordAlertInput!]!) { recordAlerts(input: $input) { recorded } }",
      {
        as: admin,
        variables: {
          input: [{ id: randomUUID(), cameraId: id, name: "A_NEW_KIND_OF_ALERT", createdAt: new Date() }],
        },
      },
    );
  // The subscription may be a moment behind the tiles.
  await expect
    .poll(
      async () => {
        await record();
        return tileOf(page, name).getByText("A new kind of alert").isVisible();
      },
      { interval: 200 },
    )
    .toBe(true);
  await demo.gateway.data(
    'mutation ($id: UUID!) { setCameraStatusDetail(id: $id, input: { source: DASHBOARD, statusDetail: "LENS_COVERED" }) { id } }',
    {
      as: admin,
      variables: { id },
    },
  );
  await tileOf(page, name).getByText("Lens covered").waitFor();
  await expect
    .poll(() => page.getByRole("button", { name: "Needs attention" }).textContent())
    .toBe(`Needs attention${concerning + 1}`);
  clock = () => new Date(Date.now() + 3600_000);
  onTestFinished(() => {
    clock = () => new Date();
  });
  await page.reload();
  await facilityOf(page, facility.name).getByText("Offline").waitFor();
  const beat = () =>
    demo.gateway.data("mutation ($id: UUID!) { recordHeartbeat(facilityId: $id) { id } }", {
      as: admin,
      variables: { id: facility.id },
    });
  await expect
    .poll(
      async () => {
        await beat();
        return facilityOf(page, facility.name).getByText("Online").isVisible();
      },
      { interval: 200 },
    )
    .toBe(true);
});

test("thousands of cameras are read page by page, and any is found by its name", async () => {
  const { workspaceId, token } = await ownWorkspace();
  const facilityId = await createFacility(demo.gateway.prisma, { workspaceId, name: "Plant" });
  const names = Array.from({ length: 3000 }, (_, index) => `Camera ${String(index).padStart(4, "0")}`);
  await demo.gateway.prisma.camera.createMany({
    data: names.map((name) => ({ workspaceId, facilityId, name })),
  });
  const { page, problems } = await openSignedOut();
  await signIn(page, token);
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

test("a token or a key signs in, without being stored beyond the session, and a refused one is reported", async () => {
  const { page } = await openSignedOut(`${fleet}&operational=false`);
  for (const refused of ["not-a-token", "“quoted”", "cmk_…"]) {
    await page.getByLabel("Token or API key").fill("");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("alert").getByText("Enter a token").waitFor();
    await signIn(page, refused);
    await page.getByRole("alert").getByText("does not accept it").waitFor();
  }
  await signIn(page, await tokenOf("demo|viewer"));
  await expect.poll(() => tiles(page).count()).toBeGreaterThan(1);
  await page.reload();
  await expect.poll(() => tiles(page).count()).toBeGreaterThan(1);
  await page.getByRole("button", { name: "Account" }).click();
  await page.getByText("Vera Viewer").waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  const { prisma } = demo.gateway;
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
  expect(new URL(page.url()).search).toBe("?view=fleet&operational=false");
});

test("viewers who see nothing learn why, and those who may add the first facility learn how", async () => {
  const { page } = await openSignedOut();
  await signIn(page, await tokenOf("demo|nobody"));
  await page.getByRole("heading", { name: "No facility is open to you" }).waitFor();
  for (const view of ["Alerts", "Insight"]) {
    await page.getByRole("link", { name: view, exact: true }).click();
    await page.getByRole("heading", { name: view, level: 1 }).waitFor();
    await page.getByRole("heading", { name: "This is not open to you" }).waitFor();
  }
  await page.getByRole("link", { name: "Fleet", exact: true }).click();
  await page.getByRole("button", { name: "Account" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await signIn(page, (await ownWorkspace()).token);
  await page.getByRole("heading", { name: "Four steps to the first notification" }).waitFor();
  await page.getByRole("button", { name: "Add a facility" }).waitFor();
});

test("actions that are permitted at one facility only are offered there", async () => {
  const { prisma } = demo.gateway;
  const { workspaceId } = await ownWorkspace();
  const authId = `test|${randomUUID()}`;
  const userId = await createUser(prisma, { workspaceId, authId, roles: [] });
  const alertAt = async (...actions: Permission[]) => {
    const facilityId = await createFacility(prisma, { workspaceId });
    await grantAccess(prisma, {
      workspaceId,
      userId,
      facilityId,
      actions: ["facilities:read", "cameras:read", "alerts:read", ...actions],
    });
    const place = {
      workspaceId,
      facilityId,
      cameraId: await createCamera(prisma, { workspaceId, facilityId }),
    };
    const [alertId] = (await createAlerts(prisma, [place])) as [string];
    await createAlertComment(prisma, { ...place, alertId });
    return alertId;
  };
  const { page } = await openSignedOut(`/?alert=${await alertAt("alerts:write", "alerts:delete")}`);
  await signIn(page, await tokenOf(authId));
  await page.getByRole("button", { name: "Delete this comment" }).click();
  await page.getByRole("heading", { name: "0 comments" }).waitFor();
  await page.goto(`${demo.origin}/?alert=${await alertAt("alerts:write")}`);
  const acknowledge = page.locator(".alert-details").getByRole("button", { name: "Acknowledge" });
  await acknowledge.waitFor();
  expect(await page.getByRole("button", { name: "Delete this comment" }).count()).toBe(0);
  await page.goto(`${demo.origin}/?alert=${await alertAt()}`);
  await page.getByRole("heading", { name: "1 comment" }).waitFor();
  expect(await acknowledge.count()).toBe(0);
});

test("an expired token ends the session, and after signing in again the view is the same", async () => {
  const { page } = await openSignedOut(`${fleet}&text=dock`);
  await signIn(page, await tokenOf("demo|viewer", 60));
  await expect.poll(() => tiles(page).count()).toBeGreaterThan(1);
  const later = new Date(Date.now() + 120_000);
  clock = () => later;
  onTestFinished(() => {
    clock = () => new Date();
  });
  // The gateway closes the socket of an expired token.
  await page.getByRole("heading", { name: "Your session has ended" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await signIn(page, await tokenOf("demo|viewer", 3600, later));
  await expect.poll(() => tiles(page).count()).toBeGreaterThan(1);
  expect(await page.getByRole("searchbox").inputValue()).toBe("dock");
}, 90_000);

test("the page reports that the server goes away and comes back, and then everything is up to date", async () => {
  const proxy = await TcpProxy.open(demo.gateway.url);
  onTestFinished(() => proxy.disconnect());
  const { page } = await openMonitoredPage(demo.browser, demo.origin, { locale: "en-GB" });
  onTestFinished(() => page.context().close());
  await page.goto(new URL(fleet, proxy.url.replace("127.0.0.1", "localhost")).href);
  await expect.poll(() => tiles(page).count()).toBe(24);
  await proxy.disconnect();
  await page.getByRole("status").getByText("Connection lost").waitFor();
  expect(await tiles(page).count()).toBe(24);
  const { cameras } = await demo.gateway.data<{ cameras: { id: string; facility: { online: boolean } }[] }>(
    "{ cameras { id facility { online } } }",
    { as: admin },
  );
  const { id } = cameras.findLast(({ facility }) => facility.online) as { id: string };
  await demo.gateway.data(
    'mutation ($id: UUID!) { setCameraStatusDetail(id: $id, input: { source: DASHBOARD, statusDetail: "MISSED_MEANWHILE" }) { id } }',
    {
      as: admin,
      variables: { id },
    },
  );
  await proxy.reconnect();
  await page.getByRole("region", { name: "Fault reported" }).getByText("Missed meanwhile").waitFor();
  await expect.poll(() => page.getByText("Missed meanwhile").count()).toBe(1);
  await expect.poll(() => page.getByText("Connection lost").count()).toBe(0);
}, 60_000);

test("failures are reported and can be retried", async () => {
  const { page } = await openConsole("/favicon.svg");
  // Unlike an unavailable gateway, this failure is not retried automatically.
  const fail = {
    status: 200,
    json: { errors: [{ message: "Internal server error", extensions: { code: "INTERNAL" } }] },
  };
  await page.route("**/graphql", (route) => route.fulfill(fail));
  await page.goto(`${demo.origin}${fleet}`);
  await page.getByRole("alert").getByRole("heading", { name: "Something went wrong" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.unroute("**/graphql");
  await page.getByRole("button", { name: "Try again" }).click();
  await expect.poll(() => tiles(page).count()).toBe(24);
});

test("a part of the console that cannot be loaded says so and is loaded again, and the rest stays", async () => {
  const { page } = await openConsole();
  await expect.poll(() => tiles(page).count()).toBe(24);
  await page.route("**/console/assets/**", (route) => route.fulfill({ status: 404 }));
  await page.keyboard.press("q");
  const dialog = page.getByRole("dialog", { name: "What this view is made of" });
  await dialog.getByRole("heading", { name: "This part could not be shown" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Alerts", exact: true }).click();
  const failure = page.getByRole("main").getByRole("alert");
  await failure.getByRole("heading", { name: "This part could not be shown" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("link", { name: "Fleet", exact: true }).click();
  await expect.poll(() => tiles(page).count()).toBe(24);
  await page.goBack();
  await page.unroute("**/console/assets/**");
  await failure.getByRole("button", { name: "Reload" }).click();
  await page.getByRole("list", { name: "Alerts" }).waitFor();
});

test("a language that cannot be loaded is replaced by English", async () => {
  const { page } = await openConsole("/favicon.svg", { locale: "de-DE" });
  await page.route("**/console/assets/de-*.js", (route) => route.fulfill({ status: 404 }));
  await page.goto(`${demo.origin}${fleet}`);
  await page.getByRole("heading", { name: "Fleet", level: 1 }).waitFor();
  expect(await page.getAttribute("html", "lang")).toBe("en");
});

test("a console without any language, or without the one that is chosen, says to load the page again", async () => {
  const { page } = await openConsole("/favicon.svg");
  await page.route("**/console/assets/en-*.js", (route) => route.fulfill({ status: 404 }));
  await page.goto(`${demo.origin}${fleet}`);
  await page.waitForLoadState("networkidle");
  await page.getByText("load the page again").waitFor();
  await page.unroute("**/console/assets/en-*.js");
  await page.reload();
  await page.getByRole("heading", { name: "Fleet", level: 1 }).waitFor();
  await page.route("**/console/assets/de-*.js", (route) => route.fulfill({ status: 404 }));
  await page.getByRole("button", { name: "Account" }).click();
  await page.getByLabel("Language").selectOption("Deutsch");
  await page.getByRole("alert").getByText("Reload the page to try again.").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.unroute("**/console/assets/de-*.js");
  await page.reload();
  await page.getByRole("heading", { name: "Standorte", level: 1 }).waitFor();
});

test("keys lead everywhere, are listed on a question mark, and can be turned off", async () => {
  const { page } = await openConsole("/?view=constructor");
  await page.getByRole("heading", { name: "There is no such view" }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("f");
  await expect.poll(() => tiles(page).count()).toBe(24);
  await page.keyboard.press("x");
  await expect.poll(() => new URL(page.url()).search).toBe("?view=fleet&operational=false");
  await page.keyboard.press("?");
  const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await list.getByText("Go to Fleet").waitFor();
  await list.getByRole("checkbox").uncheck();
  await page.keyboard.press("Escape");
  expect(await list.count()).toBe(0);
  await page.keyboard.press("x");
  await page.keyboard.press("?");
  expect(await list.count()).toBe(0);
  expect(new URL(page.url()).search).toBe("?view=fleet&operational=false");
});

test("a menu that is opened by a key is closed by Escape, and keys do nothing behind it", async () => {
  const { page } = await openConsole("/?view=alerts");
  const button = page.getByRole("button", { name: "Severity" });
  const menu = page.getByRole("group", { name: "Severity", exact: true });
  await button.focus();
  await page.keyboard.press("Enter");
  await menu.waitFor();
  await page.keyboard.press("v");
  await page.keyboard.press("Escape");
  await menu.waitFor({ state: "hidden" });
  expect(new URL(page.url()).search).toBe("?view=alerts");
  await page.keyboard.press("v");
  await expect.poll(() => new URL(page.url()).search).toBe("?view=alerts&layout=list");
});

test("the skip link leads past the header to the content", async () => {
  const { page } = await openConsole();
  await tiles(page).first().waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("content");
});

test("the console speaks the reader's language, and another when it is chosen", async () => {
  const { page } = await openConsole(fleet, { locale: "de-AT" });
  await page.getByRole("heading", { name: "Standorte", level: 1 }).waitFor();
  expect(await page.getAttribute("html", "lang")).toBe("de");
  await page.getByRole("link", { name: "Konsole" }).waitFor();
  await page.getByRole("button", { name: "Konto" }).click();
  await page.getByLabel("Sprache").selectOption("English");
  await page.getByRole("heading", { name: "Fleet", level: 1 }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Fleet", level: 1 }).waitFor();
});

test("an appearance that is chosen stays", async () => {
  const { page } = await openConsole(fleet, { colorScheme: "light" });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await tiles(page).first().waitFor();
  const light = await background();
  await page.getByRole("button", { name: "Account" }).click();
  await page.getByLabel("Appearance").selectOption("Dark");
  expect(await background()).not.toBe(light);
  await page.reload();
  await expect.poll(background).not.toBe(light);
});

describe.each(["light", "dark"] as const)("in a %s scheme, the console", (colorScheme) => {
  test.each([1400, 360])(
    "has no violation of accessibility rules and fits into a window of %i px",
    async (width) => {
      const { page } = await openConsole(fleet, { colorScheme, viewport: { width, height: 900 } });
      await expect.poll(() => tiles(page).count()).toBe(24);
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      await page.getByRole("button", { name: "Account" }).click();
      expect(await violations(page)).toEqual([]);
      await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Account" }).click();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    },
    120_000,
  );
});
