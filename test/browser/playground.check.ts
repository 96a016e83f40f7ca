import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
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

test("the playground answers its example query without asking anyone else", async () => {
  const origin = new URL(gateway.url).origin;
  const context = await browser.newContext();
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
  expect({ outside, failed, errors }).toEqual({ outside: [], failed: [], errors: [] });
  await context.close();
}, 60_000);
