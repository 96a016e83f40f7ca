import { readFile } from "node:fs/promises";
import axe from "axe-core";
import type { BrowserContextOptions, Locator, Page, Request } from "playwright-core";
import { signToken } from "../../src/engine/access/jwt.js";
import { audience, type IdentityProvider, pageClientId } from "../clients/identity-provider.js";
import { testSecrets } from "../support/environment.js";
import { type Gateway, type GatewayOptions, sharedGateway, startGateway } from "../support/harness.js";
import { requireResource } from "../support/resources.js";
import { closePages, openMonitoredPage, type PageProblems } from "./monitored-page.js";

// The pages of an older build would hide what a change of the console breaks.
await requireResource("build");

/** Signs a token as of a moment. */
export const tokenOf = (user: string, lifetime = 3600, now = new Date()): Promise<string> =>
  signToken(testSecrets.AUTH_JWT_SECRET, user, lifetime, now);

/** A gateway whose pages are looked at. */
export interface BrowsedGateway {
  gateway: Gateway;
  prisma: Gateway["prisma"];
  /** Has a loopback host name, for which a gateway with the demo gives the page a token. */
  origin: string;
}

/**
 * Starts a gateway before the tests of a file, and closes it afterwards, together with
 * all pages. The returned object is filled by then.
 */
export const browseOwnGateway = (options: GatewayOptions | (() => Promise<GatewayOptions>)): BrowsedGateway =>
  browse(
    async () => startGateway(typeof options === "function" ? await options() : options),
    (gateway) => gateway.close(),
  );

/**
 * The same with the gateway that all files of the worker share that need these settings. A
 * test creates its own workspace, or only looks at the demo.
 */
export const browseSharedGateway = (options?: Parameters<typeof sharedGateway>[0]): BrowsedGateway =>
  browse(
    () => sharedGateway(options),
    async () => {},
  );

/** Settings with which notifications can be sent. Nothing listens at the server for mails, so they wait. */
export const notifying = {
  SMTP_URL: "smtp://127.0.0.1:9",
  MAIL_FROM: "gateway@test.example",
  WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8",
};

function browse(open: () => Promise<Gateway>, close: (gateway: Gateway) => Promise<void>): BrowsedGateway {
  const browsed = {} as BrowsedGateway;
  beforeAll(async () => {
    browsed.gateway = await open();
    browsed.prisma = browsed.gateway.prisma;
    browsed.origin = browsed.gateway.url.replace("127.0.0.1", "localhost");
  }, 120_000);
  afterAll(async () => {
    await closePages();
    if (browsed.gateway) await close(browsed.gateway);
  });
  return browsed;
}

/** A page of the console, with the errors in it. */
export interface OpenedConsole {
  page: Page;
  problems: PageProblems;
}

/**
 * Opens the console until the test is finished. At a loopback host name it starts with a
 * token of the demo's administrator.
 */
export async function openConsolePage(
  origin: string,
  address = "/",
  options: BrowserContextOptions = {},
): Promise<OpenedConsole> {
  const opened = await openBlankPage(origin, options);
  await opened.page.goto(`${origin}${address}`);
  return opened;
}

async function openBlankPage(origin: string, options: BrowserContextOptions): Promise<OpenedConsole> {
  const opened = await openMonitoredPage(origin, {
    locale: "en-GB",
    reducedMotion: "reduce",
    ...options,
  });
  onTestFinished(() => opened.page.context().close());
  return opened;
}

/** A page that came through a proxy gets no ready token. */
export const viaProxy = { via: "1.1 proxy" };

/** Opens the console as served through a proxy, without a ready token. */
export const openSignedOutPage = (
  origin: string,
  address = "/",
  options: BrowserContextOptions = {},
): Promise<OpenedConsole> => openConsolePage(origin, address, { extraHTTPHeaders: viaProxy, ...options });

/** Signs in with a token or a key where the console asks for one, in either language. */
export async function signIn(page: Page, credential: string): Promise<void> {
  await page.getByLabel(/^Token o/).fill(credential);
  await page.getByRole("button", { name: /^(?:Continue|Weiter)$/ }).click();
}

/** The settings with which users sign in to the console at an identity provider. */
export const settingsFor = ({ issuer }: IdentityProvider): Record<string, string | undefined> => ({
  AUTH_JWT_SECRET: undefined,
  AUTH_ISSUER: issuer,
  AUTH_AUDIENCE: audience,
  CONSOLE_CLIENT_ID: pageClientId,
  CONSOLE_SCOPE: "openid offline_access",
});

/**
 * Signs in at the identity provider. It asks for a name, and then whether the console may
 * act for the user.
 */
export async function signInAtProvider(page: Page, login: string): Promise<void> {
  await clickButton(page, "Sign in");
  await page.waitForURL("**/interaction/**");
  await page.locator("input[name=login]").fill(login);
  await page.locator("input[name=password]").fill("any");
  await page.locator("button[type=submit]").click();
  await page.locator("button[type=submit]", { hasText: "Continue" }).click();
}

/** Opens the console for a user whose tab has kept a session, as if it were loaded again. */
export async function openSignedIn(
  { gateway }: Pick<BrowsedGateway, "gateway">,
  user: string,
  address = "/",
  { origin = gateway.url, ...options }: BrowserContextOptions & { origin?: string } = {},
): Promise<OpenedConsole> {
  const opened = await openBlankPage(origin, { extraHTTPHeaders: viaProxy, ...options });
  const authorization = `Bearer ${await tokenOf(user)}`;
  const keeping = await opened.page.addInitScript(
    (kept) => sessionStorage.setItem("console.credentials", kept),
    JSON.stringify({ authorization, kind: "token", beganAt: Date.now() }),
  );
  await opened.page.goto(`${origin}${address}`);
  // From now on, the page keeps its session by itself.
  await keeping.dispose();
  return opened;
}

/** Where something is looked for: a page, or a part of it. */
type Place = Page | Locator;
type Text = string | RegExp;

interface TextOptions {
  exact?: boolean;
}

export const buttonOf = (place: Place, name: Text, options: TextOptions = {}): Locator =>
  place.getByRole("button", { name, ...options });

export const linkOf = (place: Place, name: Text, options: TextOptions = {}): Locator =>
  place.getByRole("link", { name, ...options });

export const clickButton = (place: Place, name: Text, options: TextOptions = {}): Promise<void> =>
  buttonOf(place, name, options).click();

export const clickLink = (place: Place, name: Text, options: TextOptions = {}): Promise<void> =>
  linkOf(place, name, options).click();

/** Fills the field with a label. */
export const fillIn = (place: Place, label: Text, text: string): Promise<void> =>
  place.getByLabel(label).fill(text);

/** Ticks the box, or chooses the option, with a label. */
export const tick = (place: Place, label: Text): Promise<void> => place.getByLabel(label).check();

/** Presses keys one after the other, wherever the focus is. */
export async function pressKeys(page: Page, ...keys: string[]): Promise<void> {
  for (const each of keys) await page.keyboard.press(each);
}

/** Draws a triangle by keys on the surface for an area, from the middle of the picture. */
export const drawTriangle = (page: Page): Promise<void> =>
  pressKeys(page, "Space", "Shift+ArrowRight", "Space", "Shift+ArrowDown", "Space", "Enter");

/** Goes to an address of the console as its own links do, without loading the page anew. */
export const goWithin = (page: Page, address: string): Promise<void> =>
  page.evaluate((to) => {
    history.pushState(null, "", to);
    dispatchEvent(new PopStateEvent("popstate"));
  }, address);

export const waitForText = (place: Place, text: Text, options: TextOptions = {}): Promise<void> =>
  place.getByText(text, options).waitFor();

/** Waits until the page announces something. */
export const waitForStatus = (place: Place, text: Text, options: TextOptions = {}): Promise<void> =>
  waitForText(place.getByRole("status"), text, options);

export const waitForHeading = (place: Place, name: Text, level?: number): Promise<void> =>
  place.getByRole("heading", { name, ...(level && { level }) }).waitFor();

/**
 * Repeats what happens elsewhere until the page shows it: the page may subscribe a moment
 * after it has shown the rest.
 */
export const repeatUntilShown = (element: Locator, happen: () => Promise<unknown>): Promise<void> =>
  expect
    .poll(
      async () => {
        await happen();
        return element.isVisible();
      },
      { interval: 200 },
    )
    .toBe(true);

/** Expects no such element at this moment. */
export const expectNone = async (elements: Locator): Promise<void> => expect(await elements.count()).toBe(0);

/** Expects that something is read now or soon. */
export const expectSoon = (read: () => unknown, expected: unknown): Promise<void> =>
  expect.poll(read).toEqual(expected);

/** Expects this number of elements now or soon. */
export const expectCount = (elements: Locator, count: number): Promise<void> =>
  expectSoon(() => elements.count(), count);

/** Expects the address to have a query now or soon. */
export const expectSearch = (page: Page, search: string): Promise<void> =>
  expectSoon(() => new URL(page.url()).search, search);

/** How wide a picture is by itself, once it is loaded; until then 0. */
export const pictureWidth = (image: Locator): Promise<number> =>
  image.evaluate((each) => (each as HTMLImageElement).naturalWidth);

/** What a form says about the field with a label. */
export const saidAbout = (place: Place, label: Text): Promise<string | null | undefined> =>
  place
    .getByLabel(label)
    .evaluate((field) => document.getElementById(field.getAttribute("aria-describedby") ?? "")?.textContent);

/** Downloads a file by an action on the page. */
export async function downloadBy(page: Page, act: Promise<unknown>): Promise<{ name: string; data: Buffer }> {
  const [file] = await Promise.all([page.waitForEvent("download"), act]);
  return { name: file.suggestedFilename(), data: await readFile(await file.path()) };
}

export async function signOut(page: Page): Promise<void> {
  await clickButton(page, "Account");
  await clickButton(page, "Sign out");
}

/** Headless pages are always visible, so the page is told whether it is. */
export const setVisibility = (page: Page, state: DocumentVisibilityState): Promise<void> =>
  page.evaluate((value) => {
    Object.defineProperty(document, "visibilityState", { value, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, state);

/** Holds requests of a page back until the returned function is called. */
export async function holdRequests(
  page: Page,
  url: string,
  isHeld: (request: Request) => boolean = () => true,
): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(url, async (route) => {
    if (isHeld(route.request())) await released;
    await route.continue();
  });
  return release;
}

/** Loses the gateway's answers to requests whose bodies are chosen, after it has done what they ask for. */
export const loseAnswers = (page: Page, isLost: (body: string) => boolean): Promise<unknown> =>
  page.route("**/graphql", async (route) => {
    if (!isLost(route.request().postData() ?? "")) return route.continue();
    await route.fetch();
    await route.abort("connectionreset");
  });

/** The two appearances that between them have each scheme, width and language. */
export const appearances = [
  { colorScheme: "light", viewport: { width: 1400, height: 900 } },
  { colorScheme: "dark", viewport: { width: 360, height: 900 } },
] as const;

/** Expects the page to have nothing beside the window. */
export async function expectToFit(page: Page): Promise<void> {
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(page.viewportSize()?.width as number);
}

/** Expects that the page, as it is now, breaks no rule of accessibility. */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source);
  const { violations } = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as axe.AxeResults;
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)).toEqual([]);
}

/** Waits until what a page shows now has been painted, as only then alerts can be marked. */
export const untilPainted = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    await Promise.allSettled([...document.images].map((image) => image.decode()));
    for (const _ of [1, 2, 3, 4]) await new Promise(requestAnimationFrame);
  });
