import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin, type Rolldown } from "vite";
import { keptCalls } from "../platform/kept-calls.js";

const documentsFile = fileURLToPath(new URL("../generated/console.ts", import.meta.url));

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "/console/",
  plugins: [separateDocuments()],
  define: keptCalls,
  build: {
    outDir: fileURLToPath(new URL("../../dist/console", import.meta.url)),
    emptyOutDir: true,
    target: "es2023",
    // A policy without `data:` then needs no exception for pictures.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: fileURLToPath(new URL("page.html", import.meta.url)),
      // In many small files, what every view needs would be larger, compressed, and later.
      output: { codeSplitting: { groups: [{ name: nameOfCommonPart, debugName: "common" }] } },
    },
  },
});

const scripts = ["main.tsx", "today/today-view.tsx"].map((name) =>
  fileURLToPath(new URL(name, import.meta.url)),
);

/** The name of the file with all that the page and its first view import, but documents; null for other modules. */
function nameOfCommonPart(id: string, modules: Rolldown.ChunkingContext): string | null {
  const common = new Set(scripts);
  for (const each of common)
    for (const imported of modules.getModuleInfo(each)?.importedIds ?? [])
      if (each !== documentsFile) common.add(imported);
  // What graphql-ws imports of graphql is for servers: what is left of it belongs to the view that prints calls.
  return common.has(id) && !/\/console\/(?:today|first-run)\/|\/node_modules\/graphql\//.test(id)
    ? "common"
    : null;
}

/** Makes a module of each document in the generated file, so that each view is loaded with its own documents alone. */
function separateDocuments(): Plugin {
  const prefix = "\0documents/";
  const documents = new Map<string, string>();
  return {
    name: "separate-documents",
    buildStart() {
      const declarations = readFileSync(documentsFile, "utf8").matchAll(
        /^export const (\w+) = (.*) as unknown as DocumentNode<.*$/gm,
      );
      for (const [, name = "", document = ""] of declarations) documents.set(name, document);
    },
    resolveId: (id) => (id.startsWith(prefix) ? id : undefined),
    load(id) {
      const document = documents.get(id.slice(prefix.length));
      if (id.startsWith(prefix) && document) return `export default ${document};`;
      if (id !== documentsFile) return undefined;
      return [...documents.keys()]
        .map((name) => `export { default as ${name} } from ${JSON.stringify(prefix + name)};`)
        .join("\n");
    },
  };
}
