// Needs no gateway.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/**
 * The folders and files of `src`, from the lowest layer up. Each may import from the
 * lines above.
 */
const order = [
  ["generated"],
  ["kept-calls.ts"],
  ["platform"],
  ["leases"],
  ["database", "events", "spreadsheet"],
  ["storage"],
  ["access"],
  ["environment"],
  ["environment.ts"],
  ["reading"],
  ["operation"],
  ["http"],
  ["route"],
  ["relay"],
  ["federation"],
  ["pages"],
  ["workspace"],
  ["facility"],
  ["user", "api-key", "audit", "camera"],
  ["alert-rule"],
  ["console"],
  ["alert"],
  ["detection"],
  ["connectors"],
  ["delivery"],
  ["feed"],
  ["purge", "demo"],
  ["graphql"],
  ["rest"],
  ["mcp"],
  ["app"],
  ["app.ts"],
  ["serve.ts", "commands"],
  ["main.ts"],
  ["settings-document.ts", "vite.config.ts"],
];

const levelOf = new Map(order.flatMap((names, level) => names.map((name) => [name, level] as const)));

/** The imports of a file from `src`, including types: paths without their extension. */
function importedBy(file: string): string[] {
  const specifiers = readFileSync(path.join("src", file), "utf8").matchAll(
    /(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/g,
  );
  return [...specifiers].map(([, specifier]) => path.join(path.dirname(file), specifier as string));
}

/** A file's imports from other folders of `src`, as `from → to`. */
function importsOf(file: string): string[] {
  const from = file.split(path.sep)[0] as string;
  return importedBy(file)
    .map((imported) => imported.split(path.sep)[0] as string)
    .map((to) => to.replace(/\.js$/, ".ts"))
    .filter((to) => to !== from && to !== "..")
    .map((to) => `${from} → ${to}`);
}

const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter(
  (file) => /\.(?:ts|tsx|mjs)$/.test(file) && !file.startsWith("generated"),
);
const imports = [...new Set(files.flatMap(importsOf))];

it("every folder is listed in the order", () => {
  const folders = new Set([
    ...files.map((file) => file.split(path.sep)[0] as string),
    ...imports.map((each) => each.split(" → ")[1] as string),
  ]);
  expect([...folders].filter((folder) => !levelOf.has(folder))).toEqual([]);
});

it("folders import only from lower layers", () => {
  const isUpward = (each: string) => {
    const [from, to] = each.split(" → ").map((name) => levelOf.get(name) ?? -1) as [number, number];
    return to >= from;
  };
  expect(imports.filter(isUpward)).toEqual([]);
});

it("no file imports itself by way of others", () => {
  const nameOf = (file: string) => file.replace(/\.(?:js|ts|tsx|mjs)$/, "");
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
    "detection/window.js",
    "generated/connectors.js",
    ...[
      "geometry",
      "group-by",
      "http-answer",
      "name-uuid",
      "retry-after",
      "retry-delay",
      "setting-rules",
      "telemetry/log",
      "text-rules",
      "thrown",
      "time",
      "version",
      "disposer-stack",
    ].map((name) => `platform/${name}.js`),
  ]);
  const others = files
    .filter((file) => file.startsWith(`connectors${path.sep}`))
    .flatMap((file) => importedBy(file).map((imported) => `${file} → ${imported}`))
    .filter((each) => {
      const [, to] = each.split(" → ") as [string, string];
      return !to.startsWith(`connectors${path.sep}`) && !pure.has(to);
    });
  expect(others).toEqual([]);
});
