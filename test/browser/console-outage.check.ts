import type { Page } from "playwright-core";
import { TcpProxy } from "../support/tcp-proxy.js";
import {
  browseOwnGateway,
  buttonOf,
  clickButton,
  clickLink,
  expectCount,
  expectNone,
  expectSoon,
  goWithin,
  holdRequests,
  openConsolePage,
  openSignedOutPage,
  signIn,
  signOut,
  tokenOf,
  waitForHeading,
  waitForStatus,
  waitForText,
} from "./console-page.js";
import { newSite, newUser } from "./own-console.js";

let clock = () => new Date();
const demo = browseOwnGateway({ seed: "demo", now: () => clock() });

const details = (page: Page) => page.locator(".alert-details");

/** Opens the console through a proxy, which can cut it off from the gateway. */
async function openThroughProxy(address: string): Promise<{ page: Page; proxy: TcpProxy }> {
  const proxy = await TcpProxy.open(demo.gateway.url);
  onTestFinished(() => proxy.disconnect());
  const { page } = await openConsolePage(
    proxy.url.replace("127.0.0.1", "localhost").replace(/\/$/, ""),
    address,
  );
  return { page, proxy };
}

const isLost = (page: Page) => waitForStatus(page, "Connection lost");

/** A separate workspace with a rule and an alert, and a user with all permissions on it. */
async function siteWithAlert() {
  const site = await newSite(demo);
  await site.addRule();
  const [alertId] = await site.raise({});
  return { ...site, address: `/?alert=${alertId}` };
}

/** Opens the console for somebody whose token expires when {@link expire} is called. */
async function openForAWhile(address: string, user: string): Promise<Page> {
  const { page } = await openSignedOutPage(demo.origin, address);
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
  // Otherwise a request of the page's own could end the session before this one is made.
  const letGo = await holdRequests(page, "**/graphql");
  await request();
  const later = new Date(Date.now() + 120_000);
  clock = () => later;
  onTestFinished(() => {
    clock = () => new Date();
  });
  letGo();
  await waitForHeading(page, "Your session has ended");
  await page.unroute("**/graphql");
  return (user) => tokenOf(user, 3600, later);
}

test("a view that is opened while the gateway is away says so, and loads by itself when it is back", async () => {
  const { page, proxy } = await openThroughProxy("/?view=fleet");
  await page.getByRole("article").first().waitFor();
  await proxy.disconnect();
  await isLost(page);
  await clickLink(page, "Alerts", { exact: true });
  const alert = page.getByRole("main").getByRole("alert");
  await waitForHeading(alert, "The gateway cannot be reached");
  await expectNone(page.getByText("updated"));
  await proxy.reconnect();
  await page.getByRole("list", { name: "Alerts" }).getByRole("article").first().waitFor();
  await expectCount(alert, 0);
});

test("failed reads are repeated automatically when the browser is back on the network", async () => {
  const { page } = await openConsolePage(demo.origin, "/?view=alerts");
  const list = page.getByRole("list", { name: "Alerts" }).getByRole("article");
  await list.first().waitFor();
  for (const address of ["/?view=alerts&severity=HIGH", "/?view=rules", "/?view=alerts&severity=LOW"]) {
    await clickLink(page, "Rules", { exact: true });
    await page.getByRole("article").first().waitFor();
    await page.context().setOffline(true);
    await goWithin(page, address);
    if (address.includes("alerts"))
      await waitForText(page.getByRole("alert"), "The gateway cannot be reached");
    await page.context().setOffline(false);
    await page.getByRole("article").first().waitFor();
    await expectCount(page.getByRole("alert").getByText("The gateway cannot be reached"), 0);
  }
});

test("unanswered requests are repeated automatically, even if the connection was never lost", async () => {
  const { page } = await openSignedOutPage(demo.origin, "/?view=alerts");
  const fail = {
    status: 503,
    json: { errors: [{ message: "Try again later", extensions: { code: "UNAVAILABLE" } }] },
  };
  await page.route("**/graphql", (route) => route.fulfill(fail));
  await signIn(page, await tokenOf("demo|admin"));
  await waitForHeading(page.getByRole("alert"), "The gateway cannot answer right now");
  await page.unroute("**/graphql");
  // The page cannot report a failed query about the viewer anywhere. Without the answer,
  // the viewer could mark nothing.
  await page
    .getByRole("list", { name: "Alerts" })
    .getByRole("checkbox")
    .first()
    .waitFor({ state: "attached" });
  await clickButton(page, "Account");
  await waitForText(page, "Workspace Demo");
});

test("a part of a console that the gateway has replaced says so", async () => {
  const { page } = await openConsolePage(demo.origin, "/?view=fleet");
  await page.getByRole("article").first().waitFor();
  await page.route("**/console/assets/**", (route) => route.fulfill({ status: 404 }));
  await page.route(`${demo.origin}/`, (route) =>
    route.fulfill({ body: "<script type=module src=/console/assets/page-newer.js></script>" }),
  );
  await clickLink(page, "Alerts", { exact: true });
  const failure = page.getByRole("main").getByRole("alert");
  await waitForText(failure, "The gateway was updated");
  await page.unroute("**/console/assets/**");
  await page.unroute(`${demo.origin}/`);
  await clickButton(failure, "Reload");
  await page.getByRole("list", { name: "Alerts" }).getByRole("article").first().waitFor();
});

test("a change without an answer is not said to have been made, nor not to have been", async () => {
  const { address, open } = await siteWithAlert();
  const { page } = await open(address);
  const outcome = page.locator(".outcome");
  const field = details(page).getByRole("textbox");
  await field.fill("Ladder left in the way");
  await page.route("**/graphql", async (route) => {
    // The gateway writes the comment, and its answer is lost.
    if (route.request().postData()?.includes("CommentAlert")) await route.fetch();
    return route.abort();
  });
  await clickButton(details(page), "Send");
  await waitForText(outcome, "It is not known whether that was done");
  await page.unroute("**/graphql");
  await waitForText(details(page).locator(".comment-text"), "Ladder left in the way");
  expect(await field.inputValue()).toBe("Ladder left in the way");
  await page.route("**/graphql", (route) =>
    route.fulfill({
      json: { errors: [{ message: "alerts:write is missing", extensions: { code: "FORBIDDEN" } }] },
    }),
  );
  await clickButton(details(page), "Acknowledge");
  await waitForText(outcome, "Nothing was changed: alerts:write is missing");
  await page.unroute("**/graphql");
  await clickButton(details(page), "Acknowledge");
  await waitForText(outcome, "1 alert acknowledged");
  await page.route("**/graphql", (route) => route.abort());
  await clickButton(outcome, "Undo");
  await waitForText(outcome, "It is not known whether that was done");
  await page.unroute("**/graphql");
  await clickButton(outcome, "Undo");
  await buttonOf(details(page), "Acknowledge", { exact: true }).waitFor();
});

test.each([1280, 375])(
  "at %i pixels, what was refused offline is not said any longer than that, and the connection covers nothing of what is selected",
  async (width) => {
    const { open } = await siteWithAlert();
    const { page } = await open("/?view=alerts", { viewport: { width, height: 800 } });
    await page.getByRole("article").getByRole("checkbox").check();
    const selection = page.locator(".selection-bar");
    const refusal = page.locator(".outcome").getByText("Do it again when it is back");
    await page.context().setOffline(true);
    await isLost(page);
    await clickButton(selection, "Bookmark");
    await refusal.waitFor();
    await page.context().setOffline(false);
    await waitForStatus(page, "Connected again");
    const [bar, note] = await Promise.all(
      [selection, page.locator(".connection")].map((each) => each.boundingBox()),
    );
    const isApart = (start: "x" | "y", size: "width" | "height") =>
      bar && note && (bar[start] + bar[size] <= note[start] || note[start] + note[size] <= bar[start]);
    expect(isApart("x", "width") || isApart("y", "height")).toBe(true);
    await expectNone(refusal);
  },
);

test("a comment that was being written when the session ended is there after signing in again, for its author alone", async () => {
  const { address, as, workspaceId } = await siteWithAlert();
  const colleague = await newUser(demo, { workspaceId, roles: ["alerts:read", "alerts:write"] });
  const page = await openForAWhile(address, as.user);
  const field = details(page).getByRole("textbox");
  await field.fill("Half a sentence about the ladder");
  const token = await expireDuring(page, () => clickButton(details(page), "Send"));
  await signIn(page, await token(as.user));
  await expectSoon(() => field.inputValue(), "Half a sentence about the ladder");
  await page.reload();
  await expectSoon(() => field.inputValue(), "Half a sentence about the ladder");
  await clickButton(details(page), "Send");
  await waitForText(details(page).locator(".comment-text"), "Half a sentence");
  await expectSoon(() => field.inputValue(), "");
  await field.fill("For nobody else");
  // Simulates the end of the session.
  const kept = await page.evaluate(() => sessionStorage.getItem("console.drafts") as string);
  await signOut(page);
  expect(await page.evaluate(() => sessionStorage.getItem("console.drafts"))).toBeNull();
  await page.evaluate((drafts) => sessionStorage.setItem("console.drafts", drafts), kept);
  await signIn(page, await token(colleague.as.user));
  await field.waitFor();
  expect(await field.inputValue()).toBe("");
  expect(await page.evaluate(() => sessionStorage.getItem("console.drafts"))).toBeNull();
});

test("a search text typed just before the session ended is back after signing in again", async () => {
  const { as } = await newSite(demo);
  const page = await openForAWhile("/?view=fleet", as.user);
  await page.getByRole("article").first().waitFor();
  // The search would begin when the reader pauses.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 1_000);
  await page.getByRole("searchbox").fill("gat");
  const token = await expireDuring(page, () => clickButton(page, "Needs attention"));
  await page.clock.resume();
  await signIn(page, await token(as.user));
  await expectSoon(() => page.getByRole("searchbox").inputValue(), "gat");
  expect(new URL(page.url()).searchParams.get("text")).toBe("gat");
});
