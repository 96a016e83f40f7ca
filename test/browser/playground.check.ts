import type { BrowserContextOptions, Page } from "playwright-core";
import { createUser, createWorkspace } from "../support/factories.js";
import { pngOf } from "../support/png.js";
import {
  appearances,
  browseOwnGateway,
  clickButton,
  expectAccessible,
  expectToFit,
  type OpenedConsole,
  openConsolePage,
  openSignedOutPage,
  pressKeys,
  signIn,
  tokenOf,
  waitForText,
} from "./console-page.js";
import { noProblems } from "./monitored-page.js";

const demo = browseOwnGateway({ seed: "demo" });

const editorWith = (page: Page, hasText: string) =>
  page.locator(".graphiql-query-editor .view-lines", { hasText });
const response = (page: Page, hasText: string) => page.locator(".graphiql-response .view-lines", { hasText });
const execute = (page: Page) => clickButton(page, /^Execute/);

/** Opens the playground with its example. */
async function openPlayground(options?: BrowserContextOptions): Promise<OpenedConsole> {
  const opened = await openConsolePage(demo.origin, "/graphql", options);
  await editorWith(opened.page, "FleetOverview").waitFor();
  return opened;
}

test("the playground runs its example query without requests to other origins", async () => {
  const { page, problems } = await openPlayground();
  // The editors and the schema have loaded.
  await page.waitForLoadState("networkidle");

  const responseReceived = page.waitForResponse(
    (response) => response.request().postData()?.includes("FleetOverview") ?? false,
  );
  await execute(page);
  const result = await (await responseReceived).json();

  expect(result.errors).toBeUndefined();
  expect(result.data.facilities).toHaveLength(4);
  await response(page, "facilities").waitFor();
  expect(problems).toEqual(noProblems);
});

test.each(appearances)(
  "the playground has no violation of accessibility rules, and its result can be read, $colorScheme and $viewport.width px wide",
  async (appearance) => {
    const { page } = await openPlayground(appearance);
    await execute(page);
    await response(page, "facilities").waitFor();
    expect((await response(page, "facilities").boundingBox())?.width).toBeGreaterThan(240);
    await expectToFit(page);
    await expectAccessible(page);
  },
);

const png = pngOf({ width: 8, height: 8, depth: 8, colours: 0, rows: Buffer.alloc(8 * 9) });

test("the documentation begins with the schema's own description, and has the types by subject", async () => {
  const { page } = await openPlayground();
  const documentation = page.locator(".graphiql-doc-explorer");
  await waitForText(documentation, "A workspace has facilities");
  const types = await documentation.locator("a.graphiql-doc-explorer-type-name").allInnerTexts();
  const subjects = ["Workspace", "Facility", "Camera", "AlertRule", "Alert", "User"];
  expect(types.filter((name) => subjects.includes(name))).toEqual(subjects);
});

test("no token is on the screen or kept with the history, also not one that was entered as a header", async () => {
  const { page } = await openPlayground();
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
  const { page } = await openPlayground();
  await clickButton(page, "ChangeMyPicture");
  const files = page.getByRole("group", { name: "Files of this operation" });
  const { user } = demo.prisma;
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
  const workspaceId = await createWorkspace(demo.prisma);
  await createUser(demo.prisma, { workspaceId, authId: "test|first", roles: ["facilities:write"] });
  const { page } = await openSignedOutPage(demo.origin, "/?then=playground");
  await signIn(page, await tokenOf("test|first"));
  await editorWith(page, "CreateFacility").waitFor();
  await execute(page);
  await response(page, "Example facility").waitFor();
  expect(await demo.prisma.facility.count({ where: { workspaceId } })).toBe(1);
});
