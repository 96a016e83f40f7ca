import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { signToken } from "../../src/access/jwt.js";
import { testSecrets } from "../support/environment.js";
import { type Gateway, startGateway } from "../support/harness.js";
import { launchBrowser, openMonitoredPage, type PageProblems } from "./monitored-page.js";

/** Signs a token as of a moment. */
export const tokenOf = (user: string, lifetime = 3600, now = new Date()): Promise<string> =>
  signToken(testSecrets.AUTH_JWT_SECRET, user, lifetime, now);

/** A gateway with the demo fleet, and a browser to look at it with. */
export interface DemoConsole {
  gateway: Gateway;
  browser: Browser;
  /** Has a loopback host name, for which the gateway gives the page a token. */
  origin: string;
}

/**
 * Opens a demo and a browser before the tests of a file, and closes them afterwards. The
 * returned object is filled by then. `now` is the gateway's clock.
 */
export function demoConsole(now = () => new Date()): DemoConsole {
  const demo = {} as DemoConsole;
  beforeAll(async () => {
    demo.gateway = await startGateway({ seed: "demo", now });
    demo.browser = await launchBrowser();
    demo.origin = demo.gateway.url.replace("127.0.0.1", "localhost");
  }, 120_000);
  afterAll(async () => {
    await demo.browser?.close();
    await demo.gateway?.close();
  });
  return demo;
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
