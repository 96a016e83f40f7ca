import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Gateway, startGateway } from "../support/harness.js";
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

  const responseReceived = page.waitForResponse((response) => response.request().postData()?.includes("FleetOverview") ?? false);
  await page.getByRole("button", { name: /^Execute/ }).click();
  const result = await (await responseReceived).json();

  expect(result.errors).toBeUndefined();
  expect(result.data.facilities).toHaveLength(4);
  await page.locator(".graphiql-response .view-lines", { hasText: "facilities" }).waitFor();
  expect(problems).toEqual(noProblems);
  await page.close();
}, 60_000);
