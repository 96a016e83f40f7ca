import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { IdentityProvider } from "../clients/identity-provider.js";
import { createApiKey, createFacility, createUser, createWorkspace } from "../support/factories.js";
import { signInLink } from "../support/sign-in-link.js";
import {
  appearances,
  browseOwnGateway,
  browseSharedGateway,
  buttonOf,
  clickButton,
  clickLink,
  signIn as enterCredential,
  expectAccessible,
  expectSoon,
  expectToFit,
  pressKeys,
  settingsFor,
  signInAtProvider,
  waitForHeading,
  waitForText,
} from "./console-page.js";
import { sharedBrowser } from "./monitored-page.js";

/** The pages that share a session. */
const addresses = { console: "/", playground: "/graphql", REST: "/docs" };

/** The tabs of one browser, as served through a proxy, without a ready token. */
async function openBrowser(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await (await sharedBrowser()).newContext({
    locale: "en-GB",
    reducedMotion: "reduce",
    extraHTTPHeaders: { via: "1.1 proxy" },
    ...options,
  });
  onTestFinished(() => context.close());
  return context;
}

async function openTab(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(address);
  return page;
}

/** Opens the account in the header, and returns who is signed in. */
async function accountOf(page: Page): Promise<string> {
  const account = page.locator("#account");
  if (!(await account.isVisible())) await clickButton(page, "Account");
  return account.locator("strong").innerText();
}

const isAccountOf = (page: Page, name: string) => expectSoon(() => accountOf(page), name);

const signInCard = (page: Page) => page.getByRole("heading", { name: "Sign in", exact: true });

/** What the browser keeps beyond a tab, and what is in the address. */
const keptBeyondTab = (page: Page) =>
  page.evaluate(() => `${JSON.stringify({ ...localStorage })} ${document.cookie} ${location.href}`);

const isRenewal = (request: { postData: () => string | null }) =>
  request.postData()?.includes("RenewSession") ?? false;

describe("without an identity provider", () => {
  const shared = browseSharedGateway();

  /** A user, and the path of a link that signs this user in. */
  async function newUser(firstName: string) {
    const { prisma } = shared;
    const workspaceId = await createWorkspace(prisma, { name: `Workspace of ${firstName}` });
    const id = await createUser(prisma, {
      workspaceId,
      firstName,
      lastName: null,
      roles: ["facilities:read", "facilities:write"],
    });
    const { email } = await prisma.user.findFirstOrThrow({ where: { id } });
    const link = () => `/#sign-in=${signInLink({ kind: "user", workspaceId, id, email }).code}`;
    return { id, workspaceId, link };
  }

  /** Signs a new user in by a link, in a new browser. */
  async function signedIn(firstName: string, options: BrowserContextOptions = {}) {
    const user = await newUser(firstName);
    const context = await openBrowser(options);
    const page = await openTab(context, `${shared.origin}${user.link()}`);
    await clickButton(page, /^Sign in as/);
    await isAccountOf(page, firstName);
    return { ...user, context, page };
  }

  test("a new tab of each page takes the session of an open one, and the last tab's closing ends it", async () => {
    const { context } = await signedIn("Ada");
    for (const address of Object.values(addresses)) {
      const page = await openTab(context, `${shared.origin}${address}`);
      await isAccountOf(page, "Ada");
      await expect.poll(() => page.locator("#account").innerText()).toContain("Workspace of Ada");
      expect(await keptBeyondTab(page)).not.toMatch(/eyJ|Bearer/);
      expect(await page.locator("body").innerText()).not.toMatch(/eyJ/);
    }
    for (const page of context.pages()) await page.close();
    const later = await openTab(context, shared.origin);
    await signInCard(later).waitFor();
  });

  test("a session that is to be remembered outlives the last tab, and is ended where another lists it or its own browser signs out", async () => {
    const user = await newUser("Cleo");
    const sessions = () => shared.prisma.session.count({ where: { userId: user.id } });
    const remembered = await openBrowser();
    const first = await openTab(remembered, `${shared.origin}${user.link()}`);
    await first.getByLabel("Stay signed in on this device").check();
    await expectAccessible(first);
    await clickButton(first, /^Sign in as/);
    await isAccountOf(first, "Cleo");
    await first.close();
    const later = await openTab(remembered, shared.origin);
    await isAccountOf(later, "Cleo");
    const other = await openTab(await openBrowser(), `${shared.origin}${user.link()}`);
    await clickButton(other, /^Sign in as/);
    await isAccountOf(other, "Cleo");
    await other.goto(`${shared.origin}/?view=settings&part=profile`);
    const listed = other.getByRole("region", { name: "Sessions" }).getByRole("listitem");
    await expectSoon(() => listed.count(), 2);
    expect((await listed.allInnerTexts()).filter((text) => text.includes("this browser"))).toHaveLength(1);
    await expectAccessible(other);
    await clickButton(listed, /^End/);
    await expectSoon(() => listed.count(), 1);
    await waitForHeading(later, "Your session has ended");
    expect(await later.evaluate(() => localStorage.getItem("console.credentials"))).toBeNull();
    await clickButton(other, "Account");
    await clickButton(other, "Sign out", { exact: true });
    await signInCard(other).waitFor();
    await expectSoon(sessions, 0);
  });

  test("signing out in one tab signs out all, also one that comes back from another site", async () => {
    const { context, page } = await signedIn("Ben");
    const away = await openTab(context, shared.origin);
    await isAccountOf(away, "Ben");
    await away.goto("about:blank");
    const playground = await openTab(context, `${shared.origin}/graphql`);
    const docs = await openTab(context, `${shared.origin}/docs`);
    await isAccountOf(docs, "Ben");
    await isAccountOf(playground, "Ben");
    await pressKeys(playground, "Escape");
    await clickButton(playground, /^Execute/);
    const history = () => page.evaluate(() => localStorage.getItem("graphiql:queries"));
    await expect.poll(history).toContain("mutation CreateFacility");
    await isAccountOf(playground, "Ben");
    await clickButton(playground, "Sign out");
    await signInCard(page).waitFor();
    await isAccountOf(playground, "Not signed in");
    await isAccountOf(docs, "Not signed in");
    await waitForText(docs, "You are not signed in");
    await away.goBack();
    await signInCard(away).waitFor();
    expect(await page.evaluate(() => Object.keys(sessionStorage))).toEqual([]);
    expect(await history()).toBeNull();
  });

  test("one of the tabs renews the session, and the others use the result", async () => {
    const { context, page } = await signedIn("Cid");
    const others = [await openTab(context, shared.origin), await openTab(context, `${shared.origin}/docs`)];
    for (const other of others) await isAccountOf(other, "Cid");
    let renewals = 0;
    context.on("request", (request) => {
      if (isRenewal(request)) renewals += 1;
    });
    const credentials = (tab: Page) =>
      tab.evaluate(() => sessionStorage.getItem("console.credentials") as string);
    const before = await credentials(page);
    await context.clock.setFixedTime(Date.now() + 61 * 60_000);
    const [console, docs] = others as [Page, Page];
    const read = docs.locator('form[data-path="/facilities"][data-method="GET"]');
    await Promise.all([
      clickLink(page, "Alerts", { exact: true }),
      clickLink(console, "Rules", { exact: true }),
      clickButton(read, /^TRY/),
    ]);
    await read.locator(".state strong", { hasText: "200" }).waitFor();
    await expect.poll(() => credentials(page)).not.toBe(before);
    for (const other of others) await expectSoon(() => credentials(other), await credentials(page));
    expect(renewals).toBe(1);
  });

  test("a session that the gateway ends is over in all tabs, and what was typed into the playground stays", async () => {
    const { context, page, id, workspaceId } = await signedIn("Dan");
    const playground = await openTab(context, `${shared.origin}/graphql`);
    await isAccountOf(playground, "Dan");
    await pressKeys(playground, "Escape");
    await playground.locator(".graphiql-query-editor .view-lines").click();
    await playground.keyboard.insertText("# Half a query");
    const docs = await openTab(context, `${shared.origin}/docs`);
    await isAccountOf(docs, "Dan");
    await shared.prisma.session.deleteMany({ where: { workspaceId, userId: id } });
    await clickButton(docs.locator('form[data-path="/facilities"][data-method="GET"]'), /^TRY/);
    await waitForHeading(page, "Your session has ended");
    await waitForText(playground, "Your session has ended.");
    await playground.locator(".graphiql-query-editor .view-lines", { hasText: "Half a query" }).waitFor();
    await isAccountOf(docs, "Not signed in");
  });

  test("a link that is opened in a tab of the console is used there, and disappears from the address", async () => {
    const context = await openBrowser();
    const page = await openTab(context, shared.origin);
    await signInCard(page).waitFor();
    const { link } = await newUser("Eva");
    await page.goto(`${shared.origin}${link()}`);
    await clickButton(page, /^Sign in as/);
    await isAccountOf(page, "Eva");
    expect(new URL(page.url()).hash).toBe("");
  });

  test("a link opened by somebody who is signed in asks before it changes the person, in all tabs", async () => {
    const { context, page } = await signedIn("Fay");
    const other = await openTab(context, `${shared.origin}/docs`);
    await isAccountOf(other, "Fay");
    const { link } = await newUser("Gus");
    const address = `${shared.origin}${link()}`;
    await page.goto(address);
    const question = page.getByRole("dialog", { name: "Sign in with the link?" });
    await waitForText(question.getByText("You are signed in as"), "Fay");
    await expectAccessible(page);
    await pressKeys(page, "Enter");
    await question.waitFor({ state: "detached" });
    await isAccountOf(page, "Fay");
    // Also in a new tab, which takes the session of the others.
    const opened = await openTab(context, address);
    await clickButton(opened.getByRole("dialog"), /^Sign in as/);
    for (const each of [opened, page, other]) await isAccountOf(each, "Gus");
  });

  test("a link that has been used changes nothing for whoever is signed in", async () => {
    const { page } = await signedIn("Hal");
    const { link } = await newUser("Ida");
    const address = `${shared.origin}${link()}`;
    const elsewhere = await openTab(await openBrowser(), address);
    await clickButton(elsewhere, /^Sign in as/);
    await isAccountOf(elsewhere, "Ida");
    await page.goto(address);
    const question = page.getByRole("dialog");
    await clickButton(question, /^Sign in as/);
    await waitForText(question.getByRole("alert"), "has been used");
    await clickButton(question, "Stay signed in");
    await isAccountOf(page, "Hal");
  });

  test.each([
    ["/graphql", "playground"],
    ["/docs", "docs"],
  ])("whoever is not signed in at %s is led to the console's sign-in, and back", async (path) => {
    const { workspaceId } = await newUser("Jo");
    const { authorization } = await createApiKey(shared.prisma, {
      workspaceId,
      permissions: ["facilities:read"],
    });
    const key = atob(authorization.replace("Basic ", "")).replace(":", "");
    const page = await openTab(await openBrowser(), `${shared.origin}${path}`);
    await clickLink(page.getByRole("main"), "Sign in", { exact: true });
    await enterCredential(page, key);
    await page.waitForURL(`${shared.origin}${path}`);
    await isAccountOf(page, "API key");
  });

  test("no address makes the console lead to another site after signing in", async () => {
    const { context } = await signedIn("Kim");
    for (const then of ["https://evil.example", "//evil.example", "toString"]) {
      const page = await openTab(context, `${shared.origin}/?then=${encodeURIComponent(then)}`);
      await isAccountOf(page, "Kim");
      expect(new URL(page.url()).origin).toBe(shared.origin);
    }
  });

  test.each(Object.entries(addresses))(
    "the account of the page %s can be used in a narrow window, in both languages and appearances",
    async (_name, address) => {
      const { context } = await signedIn("Lea", appearances[1]);
      const page = await openTab(context, `${shared.origin}${address}`);
      await isAccountOf(page, "Lea");
      await expectAccessible(page);
      await page.getByLabel("Language").selectOption("Deutsch");
      await buttonOf(page, "Abmelden").waitFor();
      expect(await page.getAttribute("html", "lang")).toBe("de");
      await page.getByLabel("Darstellung").selectOption("Hell");
      expect(await page.getAttribute("html", "data-theme")).toBe("light");
      await expectToFit(page);
      await expectAccessible(page);
    },
  );
});

describe("with an identity provider", () => {
  let provider: IdentityProvider;
  const own = browseOwnGateway(async () => {
    provider = await IdentityProvider.start();
    return { environment: settingsFor(provider) };
  });
  beforeAll(async () => {
    await provider.admitPage(`${own.origin}/`);
    const workspaceId = await createWorkspace(own.prisma);
    await createFacility(own.prisma, { workspaceId });
    await createUser(own.prisma, {
      workspaceId,
      authId: "ada",
      firstName: "Ada",
      lastName: null,
      roles: ["facilities:read"],
    });
  });
  afterAll(() => provider?.close());

  test("users sign in from the REST page, and one tab renews the session of all", async () => {
    const context = await openBrowser();
    const docs = await openTab(context, `${own.origin}/docs`);
    await clickLink(docs.getByRole("main"), "Sign in", { exact: true });
    await signInAtProvider(docs, "ada");
    await docs.waitForURL(`${own.origin}/docs`);
    await isAccountOf(docs, "Ada");
    const console = await openTab(context, own.origin);
    await isAccountOf(console, "Ada");
    const playground = await openTab(context, `${own.origin}/graphql`);
    await isAccountOf(playground, "Ada");
    await clickButton(playground, "Account");

    // From now on the gateway refuses the first token.
    const { authorization: first } = await docs.evaluate(() =>
      JSON.parse(sessionStorage.getItem("console.credentials") as string),
    );
    const error = { code: "UNAUTHENTICATED", extensions: { code: "UNAUTHENTICATED" }, message: "Expired" };
    await context.route(`${own.origin}/**`, (route) =>
      route.request().headers().authorization === first
        ? route.fulfill({ status: 401, json: { ...error, errors: [error] } })
        : route.continue(),
    );
    let refreshes = 0;
    context.on("request", (request) => {
      if (request.postData()?.includes("grant_type=refresh_token")) refreshes += 1;
    });
    const read = docs.locator('form[data-path="/facilities"][data-method="GET"]');
    await Promise.all([
      clickButton(read, /^TRY/),
      clickLink(console, "Alerts", { exact: true }),
      clickButton(playground, /^Execute/),
    ]);
    await read.locator(".state strong", { hasText: "200" }).waitFor();
    await waitForHeading(console, "Alerts", 1);
    await playground.locator(".graphiql-response .view-lines", { hasText: "facilities" }).waitFor();
    const credentials = (tab: Page) => tab.evaluate(() => sessionStorage.getItem("console.credentials"));
    for (const other of [console, playground])
      await expectSoon(() => credentials(other), await credentials(docs));
    expect(refreshes).toBe(1);
  });
});
