import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Page } from "playwright-core";
import { IdentityProvider } from "../clients/identity-provider.js";
import {
  createApiKey,
  createCamera,
  createFacility,
  createUser,
  createWorkspace,
} from "../support/factories.js";
import { ownDirectory } from "../support/temporary-directory.js";
import {
  browseOwnGateway,
  clickButton,
  expectNone,
  expectSearch,
  openConsolePage,
  repeatUntilShown,
  settingsFor,
  signInAtProvider,
  waitForHeading,
  waitForText,
} from "./console-page.js";

const knownOperations = path.join(await ownDirectory(), "operations.json");
await writeFile(knownOperations, "{}");
const provider = await IdentityProvider.start();
const own = browseOwnGateway({
  environment: { ...settingsFor(provider), KNOWN_OPERATIONS: knownOperations },
});
beforeAll(async () => {
  await provider.admitPage(`${own.origin}/`);
  const { prisma } = own;
  const workspaceId = await createWorkspace(prisma);
  await createUser(prisma, {
    workspaceId,
    authId: "ada",
    firstName: "Ada",
    lastName: "Admin",
    roles: ["facilities:read"],
  });
  // While a facility is offline, the status of its cameras is not shown.
  const facilityId = await createFacility(prisma, { workspaceId, lastHeartbeatAt: new Date() });
  await createCamera(prisma, { workspaceId, facilityId, name: "Gate" });
  await createCamera(prisma, { workspaceId, facilityId, name: "Yard" });
});
afterAll(() => provider.close());

const openPage = async (address: string) => (await openConsolePage(own.origin, address)).page;

const camera = (page: Page, name: string) => page.getByRole("article", { name });

test("a user signs in at the identity provider and returns to the requested view", async () => {
  const page = await openPage("/?view=fleet&text=yard");
  await signInAtProvider(page, "ada");
  await camera(page, "Yard").waitFor();
  await expectNone(camera(page, "Gate"));
  await expectSearch(page, "?view=fleet&text=yard");
  await page.goBack();
  expect(page.url()).not.toContain("code=");
});

test("a token that is refused is replaced by the provider without a word to the user, and the view stays live", async () => {
  const page = await openPage("/?view=fleet");
  await signInAtProvider(page, "ada");
  await camera(page, "Gate").waitFor();
  await page.evaluate(() => {
    const stored = JSON.parse(sessionStorage.getItem("console.credentials") as string);
    sessionStorage.setItem(
      "console.credentials",
      JSON.stringify({ ...stored, authorization: "Bearer expired" }),
    );
  });
  await page.reload();
  await camera(page, "Gate").waitFor();
  const { authorization } = await page.evaluate(() =>
    JSON.parse(sessionStorage.getItem("console.credentials") as string),
  );
  expect(authorization).toMatch(/^Bearer ey/);
  const { id, workspaceId } = await own.prisma.camera.findFirstOrThrow({ where: { name: "Gate" } });
  const { authorization: key } = await createApiKey(own.prisma, {
    workspaceId,
    permissions: ["cameras:read", "cameras:write"],
  });
  const report = (statusDetail: string) =>
    own.gateway.fetch(`/cameras/${id}/status_detail`, {
      method: "PATCH",
      as: { authorization: key },
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ status_detail: statusDetail, status_detail_source: "DASHBOARD" }),
    });
  await repeatUntilShown(camera(page, "Gate").getByText("Lens covered"), async () => {
    await report("OPERATIONAL");
    expect((await report("LENS_COVERED")).status).toBe(200);
  });
});

test("an answer that the console did not request changes nothing for the current viewer", async () => {
  const page = await openPage("/?view=fleet");
  await signInAtProvider(page, "ada");
  await camera(page, "Gate").waitFor();
  await page.goto(`${own.origin}/?code=stolen&state=unknown&iss=elsewhere&view=fleet&text=yard`);
  await camera(page, "Yard").waitFor();
  await expectSearch(page, "?view=fleet&text=yard");
  await page.goto(`${own.origin}/?error=access_denied&error_description=No&state=unknown`);
  await waitForHeading(page, "Today", 1);
  await expectSearch(page, "");
});

test("if the browser keeps no data, users learn before leaving that they could not return from the provider", async () => {
  const page = await openPage("/favicon.svg");
  await page.addInitScript(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException("Full", "QuotaExceededError");
    };
  });
  await page.goto(own.origin);
  await clickButton(page, "Sign in");
  await waitForText(page.getByRole("alert"), "This browser keeps nothing for this page");
  await page.getByText("Sign in another way").click();
  await page.getByLabel("Token or API key").waitFor();
});

test("a sign-in cannot be finished with data that others wrote in place of its own", async () => {
  const page = await openPage("/favicon.svg");
  await page.evaluate(() => sessionStorage.setItem("console.sign-in", '{"state":5}'));
  await page.goto(`${own.origin}/?code=x&state=5`);
  await waitForText(page.getByRole("alert"), "It was not begun in this tab");
});

test("an unreachable provider is reported, and a token can be pasted", async () => {
  const page = await openPage("/?view=fleet");
  await page.route(`${provider.issuer}/**`, (route) => route.abort());
  await clickButton(page, "Sign in");
  await waitForText(page.getByRole("alert"), "Signing in failed");
  await page.getByText("Sign in another way").click();
  await page.getByLabel("Token or API key").waitFor();
});

test("the other pages name the user and the workspace, even if only known operations run", async () => {
  const page = await openPage("/?view=fleet");
  await signInAtProvider(page, "ada");
  await camera(page, "Gate").waitFor();
  for (const address of ["/docs", "/graphql"]) {
    await page.goto(`${own.origin}${address}`);
    await clickButton(page, "Account");
    const account = page.locator("#account");
    await waitForText(account, "Ada Admin");
    await waitForText(account, "Workspace Workspace");
  }
});
