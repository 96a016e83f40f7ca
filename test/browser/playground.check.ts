import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createUser, createWorkspace } from "../support/factories.js";
import { type Gateway, startGateway } from "../support/harness.js";
import { pngOf } from "../support/png.js";
import {
  appearances,
  clickButton,
  expectAccessible,
  expectToFit,
  openConsolePage,
  openSignedOutPage,
  pressKeys,
  signIn,
  tokenOf,
  waitForText,
} from "./console-page.js";
import { closePages, noProblems, openMonitoredPage, sharedBrowser } from "./monitored-page.js";

let gateway: Gateway;
let browser: Browser;

beforeAll(async () => {
  gateway = await startGateway({ seed: "demo" });
  browser = await sharedBrowser();
}, 120_000);

afterAll(async () => {
  await closePages();
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
  await clickButton(page, /^Execute/);
  const result = await (await responseReceived).json();

  expect(result.errors).toBeUndefined();
  expect(result.data.facilities).toHaveLength(4);
  await page.locator(".graphiql-response .view-lines", { hasText: "facilities" }).waitFor();
  expect(problems).toEqual(noProblems);
  await page.close();
});

test.each(appearances)(
  "the playground has no violation of accessibility rules, and its result can be read, $colorScheme and $viewport.width px wide",
  async (appearance) => {
    const origin = gateway.url.replace("127.0.0.1", "localhost");
    const { page } = await openMonitoredPage(browser, origin, appearance);
    onTestFinished(() => page.context().close());
    await page.goto(`${origin}/graphql`);
    await page.locator(".graphiql-query-editor .view-lines", { hasText: "FleetOverview" }).waitFor();
    await clickButton(page, /^Execute/);
    const response = page.locator(".graphiql-response .view-lines", { hasText: "facilities" });
    await response.waitFor();
    expect((await response.boundingBox())?.width).toBeGreaterThan(240);
    await expectToFit(page);
    await expectAccessible(page);
  },
);

/**
 * Opens the playground at a loopback host name, for which the gateway gives it a token.
 */
async function openPlayground(): Promise<Page> {
  const origin = gateway.url.replace("127.0.0.1", "localhost");
  const { page } = await openConsolePage(browser, origin, "/graphql");
  await page.locator(".graphiql-query-editor .view-lines", { hasText: "FleetOverview" }).waitFor();
  return page;
}

const response = (page: Page, hasText: string) => page.locator(".graphiql-response .view-lines", { hasText });

const png = pngOf({ width: 8, height: 8, depth: 8, colours: 0, rows: Buffer.alloc(8 * 9) });

const execute = (page: Page) => clickButton(page, /^Execute/);

test("the documentation begins with the schema's own description, and has the types by subject", async () => {
  const page = await openPlayground();
  const documentation = page.locator(".graphiql-doc-explorer");
  await waitForText(documentation, "A workspace has facilities");
  const types = await documentation.locator("a.graphiql-doc-explorer-type-name").allInnerTexts();
  const subjects = ["Workspace", "Facility", "Camera", "AlertRule", "Alert", "User"];
  expect(types.filter((name) => subjects.includes(name))).toEqual(subjects);
});

test("no token is on the screen or kept with the history, also not one that was entered as a header", async () => {
  const page = await openPlayground();
  await clickButton(page, "Headers", { exact: true });
  expect(await page.locator("body").innerText()).not.toMatch(/eyJ/);
  await page
    .getByRole("region", { name: "Headers" })
    .locator(".graphiql-editor:not(.hidden) .view-lines")
    .click();
  await pressKeys(page, "ControlOrMeta+A");
  // Monaco would put the selection into brackets.
  await pressKeys(page, "Delete");
  await page.keyboard.insertText(`{ "Authorization": "Bearer ${await tokenOf("demo|admin")}" }`);
  await execute(page);
  await response(page, "facilities").waitFor();
  await clickButton(page, /^Show History/);
  // GraphiQL keeps the operation twice if its tab takes up the headers while it runs.
  const kept = page.locator(".graphiql-history-item", { hasText: "FleetOverview" }).first();
  await kept.waitFor();
  // GraphiQL stores its tabs shortly after a change.
  await expect.poll(() => page.evaluate(() => localStorage.getItem("graphiql:queries"))).toContain("Fleet");
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toMatch(/eyJ/);
  await page.reload();
  await kept.waitFor();
});

test("a file that was chosen for a variable is sent with the operation", async () => {
  const page = await openPlayground();
  await clickButton(page, "ChangeMyPicture");
  const files = page.getByRole("group", { name: "Files of this operation" });
  const { user } = gateway.prisma;
  const where = { authId: "demo|admin" };
  const before = await user.findFirstOrThrow({ where });
  await files.getByLabel("image").setInputFiles({ name: "me.png", mimeType: "image/png", buffer: png });
  await waitForText(files, "me.png");
  await expectAccessible(page);
  await execute(page);
  await response(page, "updateMyPicture").waitFor();
  expect((await user.findFirstOrThrow({ where })).picture).not.toBe(before.picture);
  await clickButton(page, "FleetOverview");
  await files.waitFor({ state: "detached" });
});

test("in an empty workspace, the first example fills it", async () => {
  const workspaceId = await createWorkspace(gateway.prisma, {});
  await createUser(gateway.prisma, { workspaceId, authId: "test|first", roles: ["facilities:write"] });
  const origin = gateway.url.replace("127.0.0.1", "localhost");
  const { page } = await openSignedOutPage(browser, origin, "/?then=playground");
  await signIn(page, await tokenOf("test|first"));
  await page.locator(".graphiql-query-editor .view-lines", { hasText: "CreateFacility" }).waitFor();
  await execute(page);
  await response(page, "Example facility").waitFor();
  expect(await gateway.prisma.facility.count({ where: { workspaceId } })).toBe(1);
});
