import type { Page } from "playwright-core";
import {
  browseSharedGateway,
  clickButton,
  expectAccessible,
  expectCount,
  openSignedOutPage,
  signIn,
  tokenOf,
  waitForHeading,
  waitForText,
} from "./console-page.js";
import { launchWithoutStorage } from "./monitored-page.js";

const demo = browseSharedGateway({ seed: "demo" });

/** A page of the same origin, from which the test can go to the console. */
const openSignedOut = () => openSignedOutPage(demo.origin, "/favicon.svg");

const cameras = (page: Page) => page.getByRole("article");
const showsFleet = (page: Page) => expectCount(cameras(page), 24);

/** Chooses an appearance, which the console keeps. */
async function chooseDark(page: Page): Promise<void> {
  await clickButton(page, "Account");
  await page.getByLabel("Appearance").selectOption("Dark");
  expect(await page.getAttribute("html", "data-theme")).toBe("dark");
}

/** Fills the page's storage in the browser to the last character. */
const fillStorage = () => {
  for (const storage of [localStorage, sessionStorage])
    for (let length = 2 ** 22; length >= 1; length = Math.floor(length / 2))
      try {
        for (let index = 0; ; index += 1) storage.setItem(`filler.${length}.${index}`, "x".repeat(length));
      } catch {
        // It is full for texts of this length.
      }
};

test("a browser that blocks cookies shows all pages, and keeps choices until the page is loaded again", async () => {
  const context = await launchWithoutStorage({ locale: "en-GB", extraHTTPHeaders: { via: "1.1 proxy" } });
  const page = await context.newPage();
  await page.goto(`${demo.origin}/?view=fleet`);
  expect(
    await page.evaluate(() => {
      try {
        return localStorage.length;
      } catch (error) {
        return (error as DOMException).name;
      }
    }),
  ).toBe("SecurityError");
  await signIn(page, await tokenOf("demo|admin"));
  await showsFleet(page);
  await chooseDark(page);
  await page.reload();
  await waitForHeading(page, "Sign in");
  await page.goto(`${demo.origin}/graphql`);
  await page.locator(".graphiql-query-editor .view-lines", { hasText: "FleetOverview" }).waitFor();
  await page.goto(`${demo.origin}/docs`);
  await page.getByRole("heading", { level: 1 }).waitFor();
});

test("a storage that is full takes nothing from the page, and the credentials from before do not come back", async () => {
  const { page } = await openSignedOut();
  await page.evaluate(() =>
    sessionStorage.setItem(
      "console.credentials",
      JSON.stringify({ authorization: "Bearer of-before", kind: "token" }),
    ),
  );
  await page.evaluate(fillStorage);
  await page.goto(`${demo.origin}/?view=fleet`);
  await waitForHeading(page, "Your session has ended");
  await page.evaluate(fillStorage);
  await signIn(page, await tokenOf("demo|admin"));
  await showsFleet(page);
  await chooseDark(page);
  await page.getByLabel("Language").selectOption("Deutsch");
  await waitForHeading(page, "Kameras", 1);
  await page.reload();
  await waitForHeading(page, "Sign in");
});

test("a storage that breaks down while the page is shown takes nothing from it", async () => {
  const { page } = await openSignedOut();
  await page.addInitScript(() => {
    for (const name of ["getItem", "setItem", "removeItem"] as const)
      Storage.prototype[name] = () => {
        throw new DOMException("The file is corrupt", "UnknownError");
      };
  });
  await page.goto(`${demo.origin}/?view=fleet`);
  await signIn(page, await tokenOf("demo|admin"));
  await showsFleet(page);
  await chooseDark(page);
  await clickButton(page, "Sign out");
  await waitForHeading(page, "Sign in");
});

const mangled = ["", "{", "null", '{"authorization":5,"kind":"token"}'];

test("the console ignores data that others wrote to its storage", async () => {
  const { page, problems } = await openSignedOut();
  for (const value of mangled) {
    await page.evaluate((text) => {
      for (const key of ["credentials", "sign-in", "drafts", "visit"])
        sessionStorage.setItem(`console.${key}`, text);
      for (const key of ["language", "theme", "shortcuts"])
        localStorage.setItem(`console.${key}`, text || "constructor");
    }, value);
    await page.goto(`${demo.origin}/?view=fleet`);
    await waitForHeading(page, "Sign in");
    expect(await page.getAttribute("html", "lang")).toBe("en");
  }
  expect(problems.consoleErrors).toEqual([]);
  await page.evaluate(() => {
    for (const key of [
      "tabState",
      "theme",
      "visiblePlugin",
      "editorFlex",
      "secondaryEditorFlex",
      "docExplorerFlex",
    ])
      localStorage.setItem(`graphiql:${key}`, '{"tabs":5');
  });
  await page.goto(`${demo.origin}/graphql`);
  await page.locator(".graphiql-query-editor .view-lines", { hasText: "FleetOverview" }).waitFor();
});

test("a language that the browser names as it cannot read itself is shown in its usual form", async () => {
  const { page } = await openSignedOut();
  await page.addInitScript(() =>
    Object.defineProperty(navigator, "languages", { get: () => ["en-US@posix", "de_AT", ""] }),
  );
  await page.goto(`${demo.origin}/?view=fleet`);
  await waitForHeading(page, "Sign in");
});

test("a console that cannot be shown at all is a page with a way out", async () => {
  const { page } = await openSignedOut();
  await page.evaluate(() => {
    localStorage.setItem("console.theme", "dark");
    localStorage.setItem("others", "stays");
    sessionStorage.setItem(
      "console.credentials",
      JSON.stringify({ authorization: "Bearer x", kind: "token" }),
    );
  });
  // A feature that every browser has stands for any possible failure.
  await page.addInitScript(() => {
    if (localStorage.getItem("console.theme"))
      Object.defineProperty(Intl, "RelativeTimeFormat", {
        get: () => {
          throw new RangeError("Not in this browser");
        },
      });
  });
  await page.goto(`${demo.origin}/?view=alerts`);
  await waitForHeading(page.getByRole("alert"), "The console cannot be shown");
  await expectAccessible(page);
  await clickButton(page, "Reload");
  await waitForHeading(page, "The console cannot be shown");
  await clickButton(page, "Start over");
  await waitForHeading(page, "Sign in");
  expect(await page.evaluate(() => ({ ...localStorage, ...sessionStorage }))).toEqual({ others: "stays" });
});

test.each([
  ["/", "**/console/assets/common-*.js", "The console is being loaded"],
  ["/graphql", "**/graphql/assets/page-*.js", "The playground is being loaded"],
])("the page %s whose script does not arrive says what is missing", async (address, scripts, text) => {
  const { page } = await openSignedOut();
  await page.route(scripts, (route) => route.fulfill({ status: 404 }));
  await page.goto(`${demo.origin}${address}`);
  expect(await page.getByText(text).isVisible()).toBe(false);
  await waitForText(page, text);
});
