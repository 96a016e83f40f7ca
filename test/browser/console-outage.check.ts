import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import {
  createAlertRule,
  createAlerts,
  createApiKey,
  createCamera,
  createFacility,
  createUser,
  createWorkspace,
} from "../support/factories.js";
import { TcpProxy } from "../support/tcp-proxy.js";
import { browseOwnGateway, openConsolePage, openSignedOutPage, signIn, tokenOf } from "./console-page.js";

let clock = () => new Date();
const demo = browseOwnGateway({ seed: "demo", now: () => clock() });

const details = (page: Page) => page.locator(".alert-details");

/** Opens the console through a proxy, which can cut it off from the gateway. */
async function openThroughProxy(address: string): Promise<{ page: Page; proxy: TcpProxy }> {
  const proxy = await TcpProxy.open(demo.gateway.url);
  onTestFinished(() => proxy.disconnect());
  const { page } = await openConsolePage(
    demo.browser,
    proxy.url.replace("127.0.0.1", "localhost").replace(/\/$/, ""),
    address,
  );
  return { page, proxy };
}

const isLost = (page: Page) => page.getByRole("status").getByText("Connection lost").waitFor();

/** A separate workspace with an alert, and a user with all permissions on it. */
async function ownWorkspace() {
  const { prisma } = demo.gateway;
  const workspaceId = await createWorkspace(prisma, {});
  const facilityId = await createFacility(prisma, { workspaceId, name: "Plant" });
  const cameraId = await createCamera(prisma, { workspaceId, facilityId, name: "Gate" });
  const authId = `test|${randomUUID()}`;
  await createUser(prisma, {
    workspaceId,
    authId,
    roles: ["facilities:read", "cameras:read", "alerts:read", "alerts:write", "alert-rules:write"],
  });
  await createAlertRule(prisma, { workspaceId, cameraId });
  const [alertId] = (await createAlerts(prisma, [{ workspaceId, facilityId, cameraId }])) as [string];
  return { workspaceId, cameraId, authId, alertId };
}

/** Opens the console for somebody whose token expires when {@link expire} is called. */
async function openForAWhile(address: string, user: string): Promise<Page> {
  const { page } = await openSignedOutPage(demo.browser, demo.origin, address);
  await signIn(page, await tokenOf(user, 60));
  return page;
}

/**
 * Lets the tokens of {@link openForAWhile} expire while the requests of an action are on
 * their way, and waits until the page notices. The returned function makes tokens for
 * then.
 */
async function expireDuring(
  page: Page,
  request: () => Promise<void>,
): Promise<(user: string) => Promise<string>> {
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  // Otherwise a request of the page's own could end the session before this one is made.
  await page.route("**/graphql", async (route) => {
    await held;
    await route.continue();
  });
  await request();
  const later = new Date(Date.now() + 120_000);
  clock = () => later;
  onTestFinished(() => {
    clock = () => new Date();
  });
  letGo();
  await page.getByRole("heading", { name: "Your session has ended" }).waitFor();
  await page.unroute("**/graphql");
  return (user) => tokenOf(user, 3600, later);
}

test("a view that is opened while the gateway is away says so, and loads by itself when it is back", async () => {
  const { page, proxy } = await openThroughProxy("/?view=fleet");
  await page.getByRole("article").first().waitFor();
  await proxy.disconnect();
  await isLost(page);
  await page.getByRole("link", { name: "Alerts", exact: true }).click();
  const alert = page.getByRole("main").getByRole("alert");
  await alert.getByRole("heading", { name: "The gateway cannot be reached" }).waitFor();
  expect(await page.getByText("updated").count()).toBe(0);
  await proxy.reconnect();
  await page.getByRole("list", { name: "Alerts" }).getByRole("article").first().waitFor();
  await expect.poll(() => alert.count()).toBe(0);
}, 60_000);

test("failed reads are repeated automatically when the browser is back on the network", async () => {
  const { page } = await openConsolePage(demo.browser, demo.origin, "/?view=alerts");
  const list = page.getByRole("list", { name: "Alerts" }).getByRole("article");
  await list.first().waitFor();
  for (const address of ["/?view=alerts&severity=HIGH", "/?view=rules", "/?view=alerts&severity=LOW"]) {
    await page.getByRole("link", { name: "Rules", exact: true }).click();
    await page.getByRole("article").first().waitFor();
    await page.context().setOffline(true);
    await page.evaluate((to) => {
      history.pushState(null, "", to);
      dispatchEvent(new PopStateEvent("popstate"));
    }, address);
    if (address.includes("alerts"))
      await page.getByRole("alert").getByText("The gateway cannot be reached").waitFor();
    await page.context().setOffline(false);
    await page.getByRole("article").first().waitFor();
    await expect
      .poll(() => page.getByRole("alert").getByText("The gateway cannot be reached").count())
      .toBe(0);
  }
}, 60_000);

test("unanswered requests are repeated automatically, even if the connection was never lost", async () => {
  const { page } = await openSignedOutPage(demo.browser, demo.origin, "/?view=alerts");
  const fail = {
    status: 503,
    json: { errors: [{ message: "Try again later", extensions: { code: "UNAVAILABLE" } }] },
  };
  await page.route("**/graphql", (route) => route.fulfill(fail));
  await signIn(page, await tokenOf("demo|admin"));
  await page
    .getByRole("alert")
    .getByRole("heading", { name: "The gateway cannot answer right now" })
    .waitFor();
  await page.unroute("**/graphql");
  // The page cannot report a failed query about the viewer anywhere. Without the answer,
  // the viewer could mark nothing.
  await page
    .getByRole("list", { name: "Alerts" })
    .getByRole("checkbox")
    .first()
    .waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Account" }).click();
  await page.getByText("Workspace Demo").waitFor();
});

test("a part of a console that the gateway has replaced says so", async () => {
  const { page } = await openConsolePage(demo.browser, demo.origin, "/?view=fleet");
  await page.getByRole("article").first().waitFor();
  await page.route("**/console/assets/**", (route) => route.fulfill({ status: 404 }));
  await page.route(`${demo.origin}/`, (route) =>
    route.fulfill({ body: "<script type=module src=/console/assets/page-newer.js></script>" }),
  );
  await page.getByRole("link", { name: "Alerts", exact: true }).click();
  const failure = page.getByRole("main").getByRole("alert");
  await failure.getByText("The gateway was updated").waitFor();
  await page.unroute("**/console/assets/**");
  await page.unroute(`${demo.origin}/`);
  await failure.getByRole("button", { name: "Reload" }).click();
  await page.getByRole("list", { name: "Alerts" }).getByRole("article").first().waitFor();
});

test("a change without an answer is not said to have been made, nor not to have been", async () => {
  const { alertId, authId } = await ownWorkspace();
  const { page } = await openSignedOutPage(demo.browser, demo.origin, `/?alert=${alertId}`);
  await signIn(page, await tokenOf(authId));
  const outcome = page.locator(".outcome");
  const field = details(page).getByRole("textbox");
  await field.fill("Ladder left in the way");
  await page.route("**/graphql", async (route) => {
    // The gateway writes the comment, and its answer is lost.
    if (route.request().postData()?.includes("CommentAlert")) await route.fetch();
    return route.abort();
  });
  await details(page).getByRole("button", { name: "Send" }).click();
  await outcome.getByText("It is not known whether that was done").waitFor();
  await page.unroute("**/graphql");
  await details(page).locator(".comment-text").getByText("Ladder left in the way").waitFor();
  expect(await field.inputValue()).toBe("Ladder left in the way");
  await page.route("**/graphql", (route) =>
    route.fulfill({
      json: { errors: [{ message: "alerts:write is missing", extensions: { code: "FORBIDDEN" } }] },
    }),
  );
  await details(page).getByRole("button", { name: "Acknowledge" }).click();
  await outcome.getByText("Nothing was changed: alerts:write is missing").waitFor();
  await page.unroute("**/graphql");
  await details(page).getByRole("button", { name: "Acknowledge" }).click();
  await outcome.getByText("1 alert acknowledged").waitFor();
  await page.route("**/graphql", (route) => route.abort());
  await outcome.getByRole("button", { name: "Undo" }).click();
  await outcome.getByText("It is not known whether that was done").waitFor();
  await page.unroute("**/graphql");
  await outcome.getByRole("button", { name: "Undo" }).click();
  await details(page).getByRole("button", { name: "Acknowledge", exact: true }).waitFor();
});

test("a comment that was being written when the session ended is there after signing in again, for its author alone", async () => {
  const { alertId, authId, workspaceId } = await ownWorkspace();
  const colleague = `test|${randomUUID()}`;
  await createUser(demo.gateway.prisma, {
    workspaceId,
    authId: colleague,
    roles: ["alerts:read", "alerts:write"],
  });
  const page = await openForAWhile(`/?alert=${alertId}`, authId);
  const field = details(page).getByRole("textbox");
  await field.fill("Half a sentence about the ladder");
  const token = await expireDuring(page, () => details(page).getByRole("button", { name: "Send" }).click());
  await signIn(page, await token(authId));
  await expect.poll(() => field.inputValue()).toBe("Half a sentence about the ladder");
  await page.reload();
  await expect.poll(() => field.inputValue()).toBe("Half a sentence about the ladder");
  await details(page).getByRole("button", { name: "Send" }).click();
  await details(page).locator(".comment-text").getByText("Half a sentence").waitFor();
  await expect.poll(() => field.inputValue()).toBe("");
  await field.fill("For nobody else");
  const end = async () => {
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
  };
  // Simulates the end of the session.
  const kept = await page.evaluate(() => sessionStorage.getItem("console.drafts") as string);
  await end();
  expect(await page.evaluate(() => sessionStorage.getItem("console.drafts"))).toBeNull();
  await page.evaluate((drafts) => sessionStorage.setItem("console.drafts", drafts), kept);
  await signIn(page, await token(colleague));
  await field.waitFor();
  expect(await field.inputValue()).toBe("");
  expect(await page.evaluate(() => sessionStorage.getItem("console.drafts"))).toBeNull();
});

test("a rule that was being changed, and an area that was being drawn, are there after signing in again", async () => {
  const { authId, cameraId } = await ownWorkspace();
  const page = await openForAWhile(`/?view=rules&camera=${cameraId}`, authId);
  const card = page.getByRole("article");
  await card.getByRole("button", { name: "Draw an area" }).click();
  for (const keys of ["Space", "Shift+ArrowRight", "Space"]) await page.keyboard.press(keys);
  await card.getByRole("button", { name: "Change", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Email addresses").fill("first@demo.example\nsecond@demo.exa");
  await dialog.getByLabel("Active").uncheck();
  const token = await expireDuring(page, () => dialog.getByRole("button", { name: "Save" }).click());
  await signIn(page, await token(authId));
  await expect
    .poll(() => dialog.getByLabel("Email addresses").inputValue())
    .toBe("first@demo.example\nsecond@demo.exa");
  expect(await dialog.getByLabel("Active").isChecked()).toBe(false);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("button", { name: "Drawing surface, 2 corners" }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Drawing surface, 2 corners" }).waitFor();
  expect(await dialog.count()).toBe(0);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.reload();
  await card.waitFor();
  expect(await page.getByRole("button", { name: "Drawing surface" }).count()).toBe(0);
});

test("a search text typed just before the session ended is back after signing in again", async () => {
  const { authId } = await ownWorkspace();
  const page = await openForAWhile("/?view=fleet", authId);
  await page.getByRole("article").first().waitFor();
  // The search would begin when the reader pauses.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 1_000);
  await page.getByRole("searchbox").fill("gat");
  const token = await expireDuring(page, () => page.getByRole("button", { name: "Needs attention" }).click());
  await page.clock.resume();
  await signIn(page, await token(authId));
  await expect.poll(() => page.getByRole("searchbox").inputValue()).toBe("gat");
  expect(new URL(page.url()).searchParams.get("text")).toBe("gat");
});

test("credentials are taken as they are copied", async () => {
  const { prisma } = demo.gateway;
  const { workspaceId } = await prisma.user.findFirstOrThrow({ where: { authId: "demo|admin" } });
  const { key, authorization } = await createApiKey(prisma, {
    workspaceId,
    permissions: ["facilities:read", "cameras:read", "alerts:read"],
  });
  const token = await tokenOf("demo|viewer");
  const { page } = await openSignedOutPage(demo.browser, demo.origin);
  const copies = [
    `Bearer ${token}`,
    `  bearer\u00a0${token}\u200b `,
    `\ufeffAuthorization: Bearer ${token}`,
    `\u200e${token.slice(0, 20)}\u00ad${token.slice(20)}\u2060`,
    `\u2800${token}\u3164`,
    `\u200b${key}\u200d\u3000`,
    `Bearer ${key}`,
    `${key}:`,
    authorization,
  ];
  for (const copy of copies) {
    await signIn(page, copy);
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
  }
}, 60_000);
