import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/** Launches headless Chromium without background networking, such as update checks. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"],
  });
}

/** Requests to other origins, failed requests and console errors of a page; there should be none. */
export interface PageProblems {
  crossOriginRequests: string[];
  failedRequests: string[];
  consoleErrors: string[];
}

/** Opens a page in a new browser context and collects its problems. */
export async function openMonitoredPage(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; problems: PageProblems }> {
  const context = await browser.newContext({ viewport: { width: 1400, height: 1000 }, ...options });
  const problems: PageProblems = { crossOriginRequests: [], failedRequests: [], consoleErrors: [] };
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "data:" && url.origin !== origin) problems.crossOriginRequests.push(request.url());
  });
  context.on("requestfailed", (request) => {
    // The page itself cancels a query whose answer nothing on it needs any more.
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
