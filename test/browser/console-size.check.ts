import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { english } from "../../src/console/administration/english.js";
import { requireResource } from "../support/resources.js";

const pages = path.resolve("dist");
const maxBytes = 120 * 1024;

/** The scripts of the console's page, of its first view, and all that they import, by name. */
const scripts = new Map<string, string>();
beforeAll(async () => {
  await requireResource("build");
  const page = await readFile(path.join(pages, "console", "page.html"), "utf8");
  const main = /<script type="module"[^>]* src="\/([^"]+)"/.exec(page)?.[1] as string;
  const names = new Set([main, await nameOfFirstView(path.dirname(main))]);
  for (const name of names) {
    const script = await readFile(path.join(pages, name), "utf8");
    scripts.set(name, script);
    for (const [, imported] of script.matchAll(/\b(?:from|import)\s*"(\.[^"]+)"/g))
      names.add(path.join(path.dirname(name), imported as string));
  }
}, 120_000);

/** The page asks for the script of its first view as soon as it runs. */
async function nameOfFirstView(folder: string): Promise<string> {
  const found = (await readdir(path.join(pages, folder))).filter((name) => /^today-view-.*\.js$/.test(name));
  expect(found).toHaveLength(1);
  return path.join(folder, found[0] as string);
}

test("what the console's page and its first view wait for takes at most 120 KB of script, compressed", () => {
  const sizes = Object.fromEntries([...scripts].map(([name, script]) => [name, gzipSync(script).length]));
  const total = Object.values(sizes).reduce((sum, bytes) => sum + bytes, 0);
  expect(Object.keys(sizes).length).toBeGreaterThan(2);
  expect(total, JSON.stringify(sizes)).toBeLessThanOrEqual(maxBytes);
});

test("the page does not wait for the settings", () => {
  expect([...scripts.values()].join("\n")).not.toContain(english.facilities.emptyText);
});
