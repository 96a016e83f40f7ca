import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { routeGroups } from "../../src/rest/routes.js";
import { type Gateway, startGateway } from "../support/harness.js";

let gateway: Gateway;
let browser: Browser;

beforeAll(async () => {
  gateway = await startGateway({ seed: "demo" });
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"],
  });
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.close();
});

test("the docs page shows every endpoint without asking anyone else", async () => {
  const origin = new URL(gateway.url).origin;
  const context = await browser.newContext({ viewport: { width: 1400, height: 1000 } });
  const outside: string[] = [];
  const failed: string[] = [];
  const errors: string[] = [];
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "data:" && url.origin !== origin) {
      outside.push(request.url());
    }
  });
  context.on("requestfailed", (request) => failed.push(request.url()));
  context.on("response", (response) => {
    if (response.status() >= 400) {
      failed.push(`${response.status()} ${response.url()}`);
    }
  });
  context.on("console", (message) => {
    if (message.type() === "error") {
      errors.push(message.text());
    }
  });
  context.on("weberror", (error) => errors.push(error.error().message));

  const page = await context.newPage();
  await page.goto(`${gateway.url}/docs`);
  for (const { number, summary } of routeGroups.flatMap(({ routes }) => routes)) {
    const heading = page.locator(".expanded-endpoint-body").getByRole("heading", { name: summary, exact: true }).first();
    await heading.scrollIntoViewIfNeeded({ timeout: 10_000 });
    expect(await heading.isVisible(), `endpoint ${number}`).toBe(true);
  }
  await page.waitForLoadState("networkidle");
  expect({ outside, failed, errors }).toEqual({ outside: [], failed: [], errors: [] });
  await context.close();
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
