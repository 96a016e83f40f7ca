import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";

const chromiumPath = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
/** Where Debian installs Chromium without an interface of its own. */
const shellPath = "/usr/bin/chromium-headless-shell";

/** A host name by which browsers reach this machine without trusting it like `localhost`. */
export const plainHost = "gateway.test";

/** Headless Chromium without background networking, such as update checks. */
const launchOptions = {
  executablePath: chromiumPath,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    `--host-resolver-rules=MAP ${plainHost} 127.0.0.1`,
  ],
};

/**
 * Launches a browser, without an interface of its own where that is installed. Drawing the
 * interface that nobody sees takes most of the CPU time of a page.
 */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    ...launchOptions,
    executablePath:
      process.env.CHROMIUM_PATH === undefined && existsSync(shellPath) ? shellPath : chromiumPath,
  });

let shared: Promise<Browser> | undefined;

/**
 * The browser of all files of this worker. Each page has a context of its own, so pages
 * share nothing. It runs until the worker ends.
 */
export function sharedBrowser(): Promise<Browser> {
  shared ??= launchBrowser();
  return shared;
}

/** Closes what the tests of a file have left open in the worker's browser. */
export async function closePages(): Promise<void> {
  const browser = await shared;
  await Promise.all(browser?.contexts().map((context) => context.close()) ?? []);
}

/**
 * Launches a browser that blocks cookies, and with them all storage of pages, until the
 * test is finished.
 */
export async function launchWithoutStorage(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const profile = await mkdtemp(path.join(tmpdir(), "browser-"));
  await mkdir(path.join(profile, "Default"));
  const preferences = { profile: { default_content_setting_values: { cookies: 2 } } };
  await writeFile(path.join(profile, "Default", "Preferences"), JSON.stringify(preferences));
  const context = await chromium.launchPersistentContext(profile, { ...launchOptions, ...options });
  onTestFinished(async () => {
    await context.close();
    await rm(profile, { recursive: true });
  });
  return context;
}

/**
 * Requests to other origins, failed requests and console errors of a page; there should
 * be none.
 */
export interface PageProblems {
  crossOriginRequests: string[];
  failedRequests: string[];
  consoleErrors: string[];
}

/** Opens a page in a new browser context and collects its problems. */
export async function openMonitoredPage(
  origin: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; problems: PageProblems }> {
  const browser = await sharedBrowser();
  const context = await browser.newContext({ viewport: { width: 1400, height: 1000 }, ...options });
  // As long as for other awaited results: live views, above all, take long on a busy machine.
  context.setDefaultTimeout(60_000);
  const problems: PageProblems = { crossOriginRequests: [], failedRequests: [], consoleErrors: [] };
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "data:" && url.origin !== origin) problems.crossOriginRequests.push(request.url());
  });
  context.on("requestfailed", (request) => {
    // The page itself cancels a query if nothing on it needs the answer any more.
    const failure = request.failure()?.errorText;
    if (failure !== "net::ERR_ABORTED") problems.failedRequests.push(`${failure} ${request.url()}`);
  });
  context.on("response", (response) => {
    if (response.status() >= 400) problems.failedRequests.push(`${response.status()} ${response.url()}`);
  });
  context.on("console", (message) => {
    if (message.type() === "error") problems.consoleErrors.push(message.text());
  });
  context.on("weberror", (error) => problems.consoleErrors.push(error.error().message));
  return { page: await context.newPage(), problems };
}

export const noProblems: PageProblems = { crossOriginRequests: [], failedRequests: [], consoleErrors: [] };
