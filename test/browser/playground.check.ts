import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type Gateway, startGateway } from "../support/harness.js";
import { violations } from "./console-page.js";
import { launchBrowser, noProblems, openMonitoredPage } from "./monitored-page.js";

let gateway: Gateway;
let browser: Browser;

beforeAll(async () => {
  gateway = await startGateway({ seed: "demo" });
  browser = await launchBrowser();
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.close();
});

test("the playground runs its example query without requests to other origins", async () => {
  const { page, problems } = await openMonitoredPage(browser, new URL(gateway.url).origin);
  await page.goto(`${gateway.url}/graphql`);
  await page.locator(".graphiql-query-editor .view-lines", { hasText: "FleetOverview" }).waitFor();
  // The editors and the schema have loaded.
  await page.waitForLoadState("networkidle");

  const responseReceived = page.waitForResponse(
    (response) => response.request().postData()?.includes("FleetOverview") ?? false,
  );
  await page.getByRole("button", { name: /^Execute/ }).click();
  const result = await (await responseReceived).json();

  expect(result.errors).toBeUndefined();
  expect(result.data.facilities).toHaveLength(4);
  await page.locator(".graphiql-response .view-lines", { hasText: "facilities" }).waitFor();
  expect(problems).toEqual(noProblems);
  await page.close();
}, 60_000);

describe.each(["light", "dark"] as const)("in a %s scheme, the playground", (colorScheme) => {
  test.each([1400, 360])(
    "has no violation of accessibility rules, and its result can be read in a window of %i px",
    async (width) => {
      const origin = gateway.url.replace("127.0.0.1", "localhost");
      const { page } = await openMonitoredPage(browser, origin, {
        colorScheme,
        viewport: { width, height: 800 },
      });
      onTestFinished(() => page.context().close());
      await page.goto(`${origin}/graphql`);
      await page.locator(".graphiql-query-editor .view-lines", { hasText: "FleetOverview" }).waitFor();
      await page.getByRole("button", { name: /^Execute/ }).click();
      const response = page.locator(".graphiql-response .view-lines", { hasText: "facilities" });
      await response.waitFor();
      expect((await response.boundingBox())?.width).toBeGreaterThan(240);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      expect(await violations(page)).toEqual([]);
    },
    60_000,
  );
});
