// Needs no gateway.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { en } from "../../src/console/language/en.js";

const guides = readdirSync("docs")
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name}`);
const documents = [
  "README.md",
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "test/README.md",
  "test/bench/README.md",
  ...guides,
];

/** A document without the content of its code blocks. */
const proseOf = (document: string) => readFileSync(document, "utf8").replaceAll(/^```[\s\S]*?^```$/gm, "```");

/** The anchors that GitHub gives to the headings of a document. */
function anchorsOf(document: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of proseOf(document).matchAll(/^#+ (.*)$/gm)) {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const anchor = words.replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count++) unique = `${anchor}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}

/** The links of a document to files and headings of the repository. */
const linksOf = (document: string) =>
  [...proseOf(document).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !/^[a-z]+:/.test(link));

/** Whether a link leads to a file, and to a heading of the file if it names one. */
function leadsSomewhere(document: string, link: string): boolean {
  const [file = "", anchor] = link.split("#");
  const target = file === "" ? document : path.join(path.dirname(document), file);
  return existsSync(target) && (anchor === undefined || anchorsOf(target).has(anchor));
}

it.each(documents)("each link of %s leads to a file, and to a heading that is there", (document) => {
  expect(linksOf(document).filter((link) => !leadsSomewhere(document, link))).toEqual([]);
});

it.each(documents)("each row of a table of %s has as many cells as its head", (document) => {
  const tables = proseOf(document).match(/^\|.*\n\|[-| :]+\|\n(?:\|.*\n?)*/gm) ?? [];
  const cells = (row: string) => row.replaceAll(/`[^`]*`|\\\|/g, "").split("|").length;
  const broken = tables.flatMap((table) => {
    const [head = "", ...rows] = table.trimEnd().split("\n");
    return rows.filter((row) => cells(row) !== cells(head));
  });
  expect(broken).toEqual([]);
});

it.each(documents)("the parts of the console that %s names are there", (document) => {
  const text = readFileSync(document, "utf8").replaceAll(/\s+/g, " ");
  const named = [...text.matchAll(/(?:Settings → |in the console under (?!Settings → ))(.{1,40})/g)];
  const known = Object.values(en.settings);
  const unknown = named.filter(([, name = ""]) => !known.some((part) => name.startsWith(part)));
  expect(unknown.map(([name]) => name)).toEqual([]);
});

it.each(documents)("the commands of npm that %s names are there", (document) => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
  const named = [...readFileSync(document, "utf8").matchAll(/npm run ([a-z][\w:-]*[\w])/g)];
  expect(named.map(([, name = ""]) => name).filter((name) => !(name in scripts))).toEqual([]);
});

it("the README links to every document", () => {
  expect(
    documents.filter(
      (document) =>
        document !== "README.md" && !linksOf("README.md").some((link) => link.split("#")[0] === document),
    ),
  ).toEqual([]);
});

it("the README has at most 150 lines", () => {
  expect(readFileSync("README.md", "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(150);
});

it.each(["README.md", ...guides])("no paragraph has more than five lines in %s", (document) => {
  const paragraphs = proseOf(document)
    .split(/\n\s*\n|\n(?=\s*(?:[-|#]|\d+\.) ?)/)
    .filter((text) => !text.startsWith("|"));
  expect(paragraphs.filter((text) => text.trim().split("\n").length > 5)).toEqual([]);
  if (document !== "docs/settings.md") expect(proseOf(document)).not.toContain("<details");
});
