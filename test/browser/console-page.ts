import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { signToken } from "../../src/access/jwt.js";
import { testSecrets } from "../support/environment.js";
import { type Gateway, type GatewayOptions, sharedGateway, startGateway } from "../support/harness.js";
import { closePages, openMonitoredPage, type PageProblems, sharedBrowser } from "./monitored-page.js";

/** Signs a token as of a moment. */
export const tokenOf = (user: string, lifetime = 3600, now = new Date()): Promise<string> =>
  signToken(testSecrets.AUTH_JWT_SECRET, user, lifetime, now);

/** A gateway, and the worker's browser to look at it with. */
export interface BrowsedGateway {
  gateway: Gateway;
  browser: Browser;
  /** Has a loopback host name, for which a gateway with the demo gives the page a token. */
  origin: string;
}

/**
 * Starts a gateway before the tests of a file, and closes it afterwards, together with
 * all pages. The returned object is filled by then.
 */
export const browseOwnGateway = (options: GatewayOptions): BrowsedGateway =>
  browse(
    () => startGateway(options),
    (gateway) => gateway.close(),
  );

/**
 * The same with the gateway that all files of the worker share. It has no demo, so a test
 * creates its own workspace.
 */
export const browseSharedGateway = (): BrowsedGateway =>
  browse(
    () => sharedGateway(),
    async () => {},
  );

function browse(open: () => Promise<Gateway>, close: (gateway: Gateway) => Promise<void>): BrowsedGateway {
  const browsed = {} as BrowsedGateway;
  beforeAll(async () => {
    browsed.gateway = await open();
    browsed.browser = await sharedBrowser();
    browsed.origin = browsed.gateway.url.replace("127.0.0.1", "localhost");
  }, 120_000);
  afterAll(async () => {
    await closePages();
    if (browsed.gateway) await close(browsed.gateway);
  });
  return browsed;
}

/** A page of the console, with the errors in it. */
export interface OpenedConsole {
  page: Page;
  problems: PageProblems;
}

/**
 * Opens the console until the test is finished. At a loopback host name it starts with a
 * token of the demo's administrator.
 */
export async function openConsolePage(
  browser: Browser,
  origin: string,
  address = "/",
  options: BrowserContextOptions = {},
): Promise<OpenedConsole> {
  const opened = await openMonitoredPage(browser, origin, {
    locale: "en-GB",
    reducedMotion: "reduce",
    ...options,
  });
  onTestFinished(() => opened.page.context().close());
  await opened.page.goto(`${origin}${address}`);
  return opened;
}

/** Opens the console as served through a proxy, without a ready token. */
export const openSignedOutPage = (
  browser: Browser,
  origin: string,
  address = "/",
  options: BrowserContextOptions = {},
): Promise<OpenedConsole> =>
  openConsolePage(browser, origin, address, { extraHTTPHeaders: { via: "1.1 proxy" }, ...options });

/** Signs in with a token or a key where the console asks for one. */
export async function signIn(page: Page, credential: string): Promise<void> {
  await page.getByLabel("Token or API key").fill(credential);
  await page.getByRole("button", { name: "Continue" }).click();
}

/** The accessibility rules that the page now breaks, with the offending elements. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as axe.AxeResults;
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

/** Waits until what a page shows now has been painted, as only then alerts can be marked. */
export const untilPainted = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    await Promise.allSettled([...document.images].map((image) => image.decode()));
    for (const _ of [1, 2, 3, 4]) await new Promise(requestAnimationFrame);
  });
