import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { routeGroups } from "../../src/rest/routes.js";
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

test("the docs page shows every endpoint without requests to other origins", async () => {
  const { page, problems } = await openMonitoredPage(browser, new URL(gateway.url).origin);
  await page.goto(`${gateway.url}/docs`);
  for (const { number, summary } of routeGroups.flatMap(({ routes }) => routes)) {
    const heading = page.locator(".expanded-endpoint-body").getByRole("heading", { name: summary, exact: true }).first();
    await heading.scrollIntoViewIfNeeded({ timeout: 10_000 });
    expect(await heading.isVisible(), `endpoint ${number}`).toBe(true);
  }
  await page.waitForLoadState("networkidle");
  expect(problems).toEqual(noProblems);
  await page.close();
}, 60_000);

test("the docs page calls an endpoint with the credentials embedded in the page", async () => {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  // By a loopback host name, for which the gateway embeds a token.
  await page.goto(gateway.url.replace("127.0.0.1", "localhost").concat("/docs"));
  const endpoint = page.locator("#get-\\/facilities");
  await endpoint.scrollIntoViewIfNeeded();
  const responseReceived = page.waitForResponse((candidate) => new URL(candidate.url()).pathname === "/facilities");
  await endpoint.getByRole("button", { name: "TRY", exact: true }).click();
  const response = await responseReceived;
  expect(response.status()).toBe(200);
  expect((await response.json()).data).toHaveLength(4);
  await page.close();
}, 60_000);
