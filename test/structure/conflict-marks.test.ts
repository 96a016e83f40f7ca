// Needs no gateway.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** What is never committed: the names of directories and files, or their paths from the root. */
const ignored = new Set(
  [".git", ...readFileSync(".gitignore", "utf8").split("\n")].map((line) => line.replace(/\/$/, "")),
);

function filesIn(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(directory, entry.name);
    const names = [entry.name, file, `/${file}`, `*${path.extname(file)}`];
    if (names.some((name) => ignored.has(name))) return [];
    return entry.isDirectory() ? filesIn(file) : [file];
  });
}

/** The numbers of the lines of a text file that a conflict of versions was marked by. */
function marksIn(file: string): string[] {
  const text = readFileSync(file, "latin1");
  if (text.includes("\0")) return [];
  return text
    .split("\n")
    .flatMap((line, index) => (/^(?:<{7}|={7}|>{7})(?:\s|$)/.test(line) ? [`${file}:${index + 1}`] : []));
}

it("no file has a mark of a conflict left in it", () => {
  const files = filesIn(".");
  expect(files).toEqual(
    expect.arrayContaining([".ci/run", "package-lock.json", "src/programs/gateway/main.ts"]),
  );
  expect(files.flatMap(marksIn)).toEqual([]);
});
