// Needs no gateway.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/**
 * The rooms of `src` and their folders, from the lowest layer up, and files that the folders
 * beside them share. Each may import from those before it.
 */
const order = [
  "generated",
  ...foldersOf(
    "platform",
    "errors telemetry queues json network . input ids files text pages spreadsheet media",
  ),
  ...foldersOf("engine", "leases database events access settings storage reading operation nodes http route"),
  ...foldersOf("features", "workspace facility camera user alert-rule alert"),
  ...foldersOf("features", "api-key connector audit saved-view digest invitation session"),
  ...foldersOf("features/camera-feed", "feed-error due-feeds relays capture live ring ."),
  ...foldersOf("features", "detection/evaluation detection detection/rule-test delivery retention"),
  "console",
  ...foldersOf("api", "federation graphql rest mcp sockets"),
  ...foldersOf("programs", "connectors demo gateway commands guides ."),
];

function foldersOf(room: string, folders: string): string[] {
  return folders.split(" ").map((folder) => path.join(room, folder));
}

const nameOf = (file: string) => file.replace(/\.(?:js|ts|tsx|mjs)$/, "");

/** What the order lists of a file, or else of the nearest folder around it; its room if it lists neither. */
function folderOf(file: string): string {
  const name = nameOf(file);
  return order.includes(name) || !name.includes(path.sep) ? name : folderOf(path.dirname(name));
}

/** The imports of a file from `src`, including types: paths without their extension. */
function importedBy(file: string): string[] {
  const specifiers = readFileSync(path.join("src", file), "utf8").matchAll(
    /(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/g,
  );
  return [...specifiers].map(([, specifier]) => path.join(path.dirname(file), specifier as string));
}

const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter(
  (file) => /\.(?:ts|tsx|mjs)$/.test(file) && !file.startsWith("generated"),
);

it("every folder is listed in the order", () => {
  expect(files.filter((file) => !order.includes(folderOf(file)))).toEqual([]);
});

it("folders import only from lower layers", () => {
  const upward = files.flatMap((file) =>
    importedBy(file)
      .filter((imported) => folderOf(imported) !== folderOf(file) && !imported.startsWith(".."))
      .filter((imported) => order.indexOf(folderOf(imported)) >= order.indexOf(folderOf(file)))
      .map((imported) => `${file} → ${imported}`),
  );
  expect(upward).toEqual([]);
});

it("no folder has more than 20 files", () => {
  const folders = [...new Set(files.map((file) => path.dirname(file)))];
  const filesIn = (folder: string) =>
    readdirSync(path.join("src", folder), { withFileTypes: true }).filter((entry) => entry.isFile());
  expect(folders.filter((folder) => filesIn(folder).length > 20)).toEqual([]);
});

it("no file imports itself by way of others", () => {
  const remaining = new Map(files.map((file) => [nameOf(file), importedBy(file).map(nameOf)]));
  const isLeaf = (imported: string[]) => !imported.some((name) => remaining.has(name));
  for (let leaves = [""]; leaves.length > 0; ) {
    leaves = [...remaining].filter(([, imported]) => isLeaf(imported)).map(([name]) => name);
    for (const leaf of leaves) remaining.delete(leaf);
  }
  expect([...remaining.keys()]).toEqual([]);
});

it("connectors import nothing of the gateway but what is pure", () => {
  const pure = new Set([
    "features/detection/evaluation/window.js",
    "generated/connectors.js",
    ...[
      "defined",
      "disposer-stack",
      "geometry",
      "group-by",
      "ids/name-uuid",
      "input/setting-rules",
      "input/text-rules",
      "network/http-response",
      "network/listening-address",
      "network/retry-after",
      "network/retry-delay",
      "record",
      "telemetry/gauge",
      "telemetry/log",
      "thrown",
      "time",
      "version",
    ].map((name) => `platform/${name}.js`),
  ]);
  const others = files
    .filter((file) => file.startsWith(path.join("programs", "connectors")))
    .flatMap((file) => importedBy(file).map((imported) => `${file} → ${imported}`))
    .filter((each) => {
      const [, to] = each.split(" → ") as [string, string];
      return !to.startsWith(path.join("programs", "connectors")) && !pure.has(to);
    });
  expect(others).toEqual([]);
});
