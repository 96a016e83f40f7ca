import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { audience, IdentityProvider, pageClientId } from "../clients/identity-provider.js";
import {
  createApiKey,
  createCamera,
  createFacility,
  createUser,
  createWorkspace,
} from "../support/factories.js";
import { type Gateway, startGateway } from "../support/harness.js";
import {
  clickButton,
  expectNone,
  expectSearch,
  repeatUntilShown,
  waitForHeading,
  waitForText,
} from "./console-page.js";
import { closePages, sharedBrowser } from "./monitored-page.js";

let directory: string;
let provider: IdentityProvider;
let gateway: Gateway;
let browser: Browser;
let origin: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "console-"));
  const knownOperations = path.join(directory, "operations.json");
  await writeFile(knownOperations, "{}");
  provider = await IdentityProvider.start();
  gateway = await startGateway({
    seed: "none",
    environment: {
      AUTH_JWT_SECRET: undefined,
      AUTH_ISSUER: provider.issuer,
      AUTH_AUDIENCE: audience,
      CONSOLE_CLIENT_ID: pageClientId,
      CONSOLE_SCOPE: "openid offline_access",
      KNOWN_OPERATIONS: knownOperations,
    },
  });
  browser = await sharedBrowser();
  origin = gateway.url.replace("127.0.0.1", "localhost");
  await provider.admitPage(`${origin}/`);
  const { prisma } = gateway;
  const workspaceId = await createWorkspace(prisma, {});
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
}, 120_000);
afterAll(async () => {
  await closePages();
  await gateway?.close();
  await provider?.close();
  await rm(directory, { recursive: true });
});

async function openPage(address: string): Promise<Page> {
  const context = await browser.newContext({ locale: "en-GB" });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(`${origin}${address}`);
  return page;
}

/**
 * Signs in at the provider. It asks for a name, and then whether the console may act for
 * the user.
 */
async function signInAtProvider(page: Page): Promise<void> {
  await clickButton(page, "Sign in");
  await page.waitForURL(`${provider.issuer}/**`);
  await page.locator("input[name=login]").fill("ada");
  await page.locator("input[name=password]").fill("any");
  await page.locator("button[type=submit]").click();
  await page.locator("button[type=submit]", { hasText: "Continue" }).click();
}

const camera = (page: Page, name: string) => page.getByRole("article", { name });

test("a user signs in at the identity provider and returns to the requested view", async () => {
  const page = await openPage("/?view=fleet&text=yard");
  await signInAtProvider(page);
  await camera(page, "Yard").waitFor();
  await expectNone(camera(page, "Gate"));
  await expectSearch(page, "?view=fleet&text=yard");
  await page.goBack();
  expect(page.url()).not.toContain("code=");
});

test("a token that is refused is replaced by the provider without a word to the user, and the view stays live", async () => {
  const page = await openPage("/?view=fleet");
  await signInAtProvider(page);
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
  const { id, workspaceId } = await gateway.prisma.camera.findFirstOrThrow({ where: { name: "Gate" } });
  const { authorization: key } = await createApiKey(gateway.prisma, {
    workspaceId,
    permissions: ["cameras:read", "cameras:write"],
  });
  const report = (statusDetail: string) =>
    gateway.fetch(`/cameras/${id}/status_detail`, {
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

test("an answer that the console did not ask the provider for signs nobody in", async () => {
  const page = await openPage("/?code=stolen&state=unknown");
  await waitForText(page.getByRole("alert"), "Signing in failed");
  await expectSearch(page, "");
});

test("an answer that the console did not request changes nothing for the current viewer", async () => {
  const page = await openPage("/?view=fleet");
  await signInAtProvider(page);
  await camera(page, "Gate").waitFor();
  await page.goto(`${origin}/?code=stolen&state=unknown&iss=elsewhere&view=fleet&text=yard`);
  await camera(page, "Yard").waitFor();
  await expectSearch(page, "?view=fleet&text=yard");
  await page.goto(`${origin}/?error=access_denied&error_description=No&state=unknown`);
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
  await page.goto(origin);
  await clickButton(page, "Sign in");
  await waitForText(page.getByRole("alert"), "This browser keeps nothing for this page");
  await page.getByLabel("Token or API key").waitFor();
});

test("a sign-in cannot be finished with data that others wrote in place of its own", async () => {
  const page = await openPage("/favicon.svg");
  await page.evaluate(() => sessionStorage.setItem("console.sign-in", '{"state":5}'));
  await page.goto(`${origin}/?code=x&state=5`);
  await waitForText(page.getByRole("alert"), "It was not begun in this tab");
});

test("an unreachable provider is reported, and a token can be pasted", async () => {
  const page = await openPage("/?view=fleet");
  await page.route(`${provider.issuer}/**`, (route) => route.abort());
  await clickButton(page, "Sign in");
  await waitForText(page.getByRole("alert"), "Signing in failed");
  await page.getByLabel("Token or API key").waitFor();
});

test("the other pages name the user and the workspace, even if only known operations run", async () => {
  const page = await openPage("/?view=fleet");
  await signInAtProvider(page);
  await camera(page, "Gate").waitFor();
  for (const address of ["/docs", "/graphql"]) {
    await page.goto(`${origin}${address}`);
    await clickButton(page, "Account");
    const account = page.locator("#account");
    await waitForText(account, "Ada Admin");
    await waitForText(account, "Workspace Workspace");
  }
});
