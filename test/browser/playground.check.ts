import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Gateway, startGateway } from "../support/harness.js";
import { launchBrowser, noMisdeeds, watchedPage } from "./watched-page.js";

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

test("the playground answers its example query without asking anyone else", async () => {
  const { page, misdeeds } = await watchedPage(browser, new URL(gateway.url).origin);
  await page.goto(`${gateway.url}/graphql`);
  await page.locator(".graphiql-query-editor .view-lines", { hasText: "FleetOverview" }).waitFor();
  // The editors have loaded everything they need, and the schema has been read.
  await page.waitForLoadState("networkidle");

  const answered = page.waitForResponse((response) => response.request().postData()?.includes("FleetOverview") ?? false);
  await page.getByRole("button", { name: /^Execute/ }).click();
  const answer = await (await answered).json();

  expect(answer.errors).toBeUndefined();
  expect(answer.data.facilities).toHaveLength(4);
  await page.locator(".graphiql-response .view-lines", { hasText: "facilities" }).waitFor();
  expect(misdeeds).toEqual(noMisdeeds);
  await page.close();
}, 60_000);
