import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { routeGroups } from "../../src/rest/routes.js";
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

test("the docs page shows every endpoint without asking anyone else", async () => {
  const { page, misdeeds } = await watchedPage(browser, new URL(gateway.url).origin);
  await page.goto(`${gateway.url}/docs`);
  for (const { number, summary } of routeGroups.flatMap(({ routes }) => routes)) {
    const heading = page.locator(".expanded-endpoint-body").getByRole("heading", { name: summary, exact: true }).first();
    await heading.scrollIntoViewIfNeeded({ timeout: 10_000 });
    expect(await heading.isVisible(), `endpoint ${number}`).toBe(true);
  }
  await page.waitForLoadState("networkidle");
  expect(misdeeds).toEqual(noMisdeeds);
  await page.close();
}, 60_000);

test("the docs page tries an endpoint with the credentials that it was given", async () => {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  // By a loopback name, for which the page is given a token.
  await page.goto(gateway.url.replace("127.0.0.1", "localhost").concat("/docs"));
  const endpoint = page.locator("#get-\\/facilities");
  await endpoint.scrollIntoViewIfNeeded();
  const answered = page.waitForResponse((response) => new URL(response.url()).pathname === "/facilities");
  await endpoint.getByRole("button", { name: "TRY", exact: true }).click();
  const answer = await answered;
  expect(answer.status()).toBe(200);
  expect((await answer.json()).data).toHaveLength(4);
  await page.close();
}, 60_000);
