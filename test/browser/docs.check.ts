import { readFile } from "node:fs/promises";
import path from "node:path";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { inject } from "vitest";
import { routeGroups } from "../../src/api/rest/routes.js";
import type { Sender } from "../support/harness.js";
import {
  appearances,
  browseOwnGateway,
  buttonOf,
  clickButton,
  clickLink,
  expectAccessible,
  expectToFit,
  fillIn,
  linkOf,
  openConsolePage,
  pressKeys,
  waitForText,
} from "./console-page.js";
import { noProblems } from "./monitored-page.js";

const routes = routeGroups.flatMap((group) => group.routes);
const narrow: BrowserContextOptions = { viewport: { width: 390, height: 844 } };
const admin = { user: "demo|admin" } satisfies Sender;

const demo = browseOwnGateway({ seed: "demo" });

let apiKey: string;
beforeAll(async () => {
  apiKey = (await readFile(path.join(inject("resources").directory, "demo", "demo-api-key"), "utf8")).trim();
});

const openDocs = (options?: BrowserContextOptions) => openConsolePage(demo.origin, "/docs", options);

/** The part of the page about a route. */
const partOf = (page: Page, { number }: { number: number }) => {
  const { method, path: routePath } = routes.find(
    (route) => route.number === number,
  ) as (typeof routes)[number];
  const form = `form[data-method="${method.toUpperCase()}"][data-path="${routePath.replaceAll(/:(\w+)/g, "{$1}")}"]`;
  return page.locator("article", { has: page.locator(form) });
};

/** Sends the shown request. Returns the shown status. */
async function send(part: Locator): Promise<number> {
  await clickButton(part, /^TRY/);
  const status = part.locator(".state strong");
  await status.waitFor();
  return Number.parseInt((await status.textContent()) as string, 10);
}

test.each(appearances)(
  "the docs page has no violation of accessibility rules and fits, $colorScheme and $viewport.width px wide",
  async (appearance) => {
    const { page } = await openDocs(appearance);
    // Also check content that is shown on demand: a response, a refusal, and all
    // details.
    await send(partOf(page, { number: 17 }));
    await send(partOf(page, { number: 30 }));
    await page.evaluate(() => {
      for (const details of document.querySelectorAll("details")) details.open = true;
    });
    await expectAccessible(page);
    await expectToFit(page);
    const contents = buttonOf(page, "Contents");
    if (!(await contents.isVisible())) return;
    await contents.click();
    await expectAccessible(page);
  },
);

test("the docs page describes each route's effect, permission and GraphQL operation, even without JavaScript", async () => {
  const { page, problems } = await openDocs({ javaScriptEnabled: false });
  for (const route of routes) {
    const part = partOf(page, route);
    expect(
      await part.getByRole("heading", { name: route.summary.replaceAll("`", ""), exact: true }).isVisible(),
      `endpoint ${route.number}`,
    ).toBe(true);
    const fact = (name: string) =>
      part.locator(".reference dl div", { hasText: name }).locator("dd").textContent();
    expect(await fact("Permission")).toBe(route.permission ?? "none");
    expect(route.response.from.join(".")).toContain(await fact("GraphQL twin"));
    const either = route.usersOnly ? "token only" : "token or API key";
    const needed = { anonymous: "none", basic: "API key only, with Basic authentication" };
    expect(await fact("Credentials")).toBe(
      route.accepts ? needed[route.accepts as keyof typeof needed] : either,
    );
  }
  expect(problems).toEqual(noProblems);
});

test("each read succeeds as it is shown, without requests to other origins", async () => {
  const { page, problems } = await openDocs();
  for (const route of routes.filter(({ method }) => method === "get"))
    expect([route.number, await send(partOf(page, route))]).toEqual([route.number, 200]);
  expect(await linkOf(partOf(page, { number: 22 }), /^Save alerts-.+\.xlsx$/).isVisible()).toBe(true);
  expect(problems).toEqual(noProblems);
});

test("no write as it is shown changes anything unless the reader agrees", async () => {
  const { page, problems } = await openDocs();
  await waitForText(page, "They are ready to try");
  const questions: string[] = [];
  page.on("dialog", (dialog) => {
    questions.push(dialog.message());
    return dialog.dismiss();
  });
  const state = async () => ({
    audited: await demo.prisma.auditEntry.count(),
    user: await demo.prisma.user.findMany(),
  });
  const before = await state();
  for (const route of routes.filter(({ method }) => method !== "get")) {
    const part = partOf(page, route);
    const asked = questions.length;
    if (route.accepts === "anonymous" || !(route.input.path || route.input.query))
      // The id is a placeholder, or the values are refused.
      expect([route.number, await send(part)]).toEqual([route.number, route.input.path ? 404 : 400]);
    else if (route.accepts !== "basic") {
      await clickButton(part, /^TRY/);
      await expect.poll(() => questions.length, { message: `endpoint ${route.number}` }).toBe(asked + 1);
    }
  }
  expect(await state()).toEqual(before);
  expect(problems.crossOriginRequests).toEqual([]);
});

test("writes are filled with records of the caller, and reach these", async () => {
  const { page } = await openDocs();
  await waitForText(page, "They are ready to try");
  page.on("dialog", (dialog) => dialog.accept());
  // Not those that take away the camera or what the caller may do, nor those that need a
  // file.
  for (const number of [3, 14, 25, 33, 20])
    expect([number, await send(partOf(page, { number }))]).toEqual([number, 200]);
  await fillIn(page, "API key or token", apiKey);
  await page.getByLabel("API key or token").press("Tab");
  await waitForText(page, "Requests are sent with the API key");
  for (const number of [12, 28])
    expect([number, await send(partOf(page, { number }))]).toEqual([number, 200]);
  expect(await demo.prisma.facility.count({ where: { name: "Istanbul plant" } })).toBeGreaterThan(0);
});

test("a write is sent with the Idempotency-Key that was entered, and shown with it as curl", async () => {
  const { page } = await openDocs();
  // Its body names placeholders until then.
  await waitForText(page, "They are ready to try");
  const id = (
    await demo.prisma.facility.findFirstOrThrow({
      where: { workspace: { users: { some: { authId: admin.user } } } },
    })
  ).id;
  const part = partOf(page, { number: 25 });
  await part.getByRole("textbox", { name: /^facilityId/ }).fill(id);
  await part.getByText("Optional: Idempotency-Key").click();
  await part.getByRole("textbox", { name: /^Idempotency-Key/ }).fill("once");
  expect(await part.locator(".curl pre").textContent()).toContain("-H 'Idempotency-Key: once'");
  expect(await send(part)).toBe(200);
  await part.getByRole("textbox", { name: /^Body/ }).fill('{ "name": "Other" }');
  await clickButton(part, /^TRY/);
  await expect.poll(() => part.locator(".state strong").textContent()).toContain("409");
});

test("a route asks for the credentials that it accepts, and shows none as curl", async () => {
  const { page } = await openDocs();
  const part = partOf(page, { number: 28 });
  await clickButton(part, /^TRY/);
  await waitForText(part, "Not sent: enter an API key under Authentication");
  const curls = (await page.locator(".curl pre").allTextContents()).join("\n");
  expect(curls).toContain('-H "Authorization: Bearer $TOKEN"');
  expect(curls).toContain('-u "$API_KEY:"');
  expect(await page.locator("body").innerText()).not.toMatch(/eyJ/);
});

test("the contents lead to each route, and show which one is read", async () => {
  const { page } = await openDocs({ reducedMotion: "no-preference" });
  // They make the page longer, also above the place that is gone to.
  await waitForText(page, "They are ready to try");
  const link = linkOf(page.getByRole("navigation", { name: "Contents" }), "GET /user", { exact: true });
  await link.click();
  await expect.poll(async () => (await partOf(page, { number: 29 }).boundingBox())?.y).toBeLessThan(100);
  await expect.poll(() => link.getAttribute("aria-current")).toBe("true");
});

test("on a phone, a menu leads to each route and closes", async () => {
  const { page } = await openDocs(narrow);
  const contents = page.getByRole("navigation", { name: "Contents" });
  expect(await contents.isVisible()).toBe(false);
  await clickButton(page, "Contents");
  expect(await contents.getByRole("link").count()).toBeGreaterThan(routes.length);
  await clickLink(contents, "GET /facilities", { exact: true });
  expect(await contents.isVisible()).toBe(false);
  const heading = partOf(page, { number: 23 }).getByRole("heading", { level: 3 });
  await expect.poll(async () => (await heading.boundingBox())?.y).toBeLessThan(300);
  await buttonOf(page, "Contents").press("Enter");
  expect(await contents.isVisible()).toBe(true);
  await pressKeys(page, "Escape");
  expect(await contents.isVisible()).toBe(false);
});
