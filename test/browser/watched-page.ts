import { type Browser, chromium, type Page } from "playwright-core";

/** Headless Chromium, which asks nobody for updates of its own. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"],
  });
}

/** What a page should not do: ask another origin, fail to load something, report an error. */
export interface Misdeeds {
  outside: string[];
  failed: string[];
  errors: string[];
}

/** A fresh page that is watched for what it should not do. */
export async function watchedPage(browser: Browser, origin: string): Promise<{ page: Page; misdeeds: Misdeeds }> {
  const context = await browser.newContext({ viewport: { width: 1400, height: 1000 } });
  const misdeeds: Misdeeds = { outside: [], failed: [], errors: [] };
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "data:" && url.origin !== origin) misdeeds.outside.push(request.url());
  });
  context.on("requestfailed", (request) => misdeeds.failed.push(request.url()));
  context.on("response", (response) => {
    if (response.status() >= 400) misdeeds.failed.push(`${response.status()} ${response.url()}`);
  });
  context.on("console", (message) => {
    if (message.type() === "error") misdeeds.errors.push(message.text());
  });
  context.on("weberror", (error) => misdeeds.errors.push(error.error().message));
  return { page: await context.newPage(), misdeeds };
}

export const noMisdeeds: Misdeeds = { outside: [], failed: [], errors: [] };
