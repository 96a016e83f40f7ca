import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { english } from "../../src/console/administration/facilities/english.js";
import { de } from "../../src/console/language/de.js";
import { en } from "../../src/console/language/en.js";
import { requireResource } from "../support/resources.js";
import { browseSharedGateway } from "./console-page.js";
import { newSite } from "./own-console.js";

const pages = path.resolve("dist");
const maxBytes = 120 * 1024;

/**
 * The scripts of the console's page, of its first view and of its texts, and all that they
 * import, by name, for each language.
 */
const scriptsIn = { en: new Map<string, string>(), de: new Map<string, string>() };
beforeAll(async () => {
  await requireResource("build");
  const page = await readFile(path.join(pages, "console", "page.html"), "utf8");
  const main = /<script type="module"[^>]* src="\/([^"]+)"/.exec(page)?.[1] as string;
  const folder = path.dirname(main);
  for (const [language, scripts] of Object.entries(scriptsIn)) {
    const names = new Set([main, await nameOf("today-view", folder), await nameOf(language, folder)]);
    for (const name of names) {
      const script = await readFile(path.join(pages, name), "utf8");
      scripts.set(name, script);
      for (const [, imported] of script.matchAll(/\b(?:from|import)\s*"(\.[^"]+)"/g))
        names.add(path.join(path.dirname(name), imported as string));
    }
  }
}, 120_000);

/** The page asks for its first view and for the texts of a language as soon as it runs. */
async function nameOf(module: string, folder: string): Promise<string> {
  const pattern = new RegExp(`^${module}-.{8}\\.js$`);
  const found = (await readdir(path.join(pages, folder))).filter((name) => pattern.test(name));
  expect(found).toHaveLength(1);
  return path.join(folder, found[0] as string);
}

const textOf = (scripts: Map<string, string>) => [...scripts.values()].join("\n");

test("the page waits for the texts of one language only", () => {
  expect(textOf(scriptsIn.en)).toContain(en.broken.page.text);
  expect(textOf(scriptsIn.en)).not.toContain(de.broken.page.text);
  expect(textOf(scriptsIn.de)).toContain(de.broken.page.text);
  expect(textOf(scriptsIn.de)).not.toContain(en.broken.page.text);
});

test("the page does not wait for the settings", () => {
  expect(textOf(scriptsIn.en)).not.toContain(english.facilities.emptyText);
});

const shared = browseSharedGateway();

test.each(["en-GB", "de-DE"])(
  "in %s, all script that the first view has loaded when it is ready takes at most 120 KB, compressed",
  async (locale) => {
    const { raise, open } = await newSite(shared);
    await raise({});
    const { page } = await open("/", { locale });
    await page.locator(".today-card:not(.placeholder)").first().waitFor();
    await page.waitForLoadState("networkidle");
    const loaded = await page.evaluate(() =>
      performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname),
    );
    const names = new Set(loaded.filter((name) => name.endsWith(".js")));
    const sizes = new Map<string, number>();
    for (const name of names) sizes.set(name, gzipSync(await readFile(path.join(pages, name))).length);
    const total = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
    expect(sizes.size).toBeGreaterThan(3);
    expect(total, JSON.stringify(Object.fromEntries(sizes))).toBeLessThanOrEqual(maxBytes);
  },
);
