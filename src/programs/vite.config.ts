import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";
import { keptCalls } from "../platform/kept-calls.js";

const root = fileURLToPath(new URL(".", import.meta.url));

const commands = readdirSync(`${root}commands`).flatMap((file) =>
  file.endsWith(".ts") ? [`commands/${file.slice(0, -3)}`] : [],
);

const packages = "packages";

/** Node.js reads all maps. Those of packages, whose code is readable as it is, would take a tenth of each start. */
const withoutMapsOfPackages: Plugin = {
  name: "without-maps-of-packages",
  generateBundle(_options, bundle) {
    for (const [name, output] of Object.entries(bundle)) {
      if (output.type !== "chunk" || !output.name.startsWith(packages)) continue;
      output.code = output.code.replace(/\/\/# sourceMappingURL=.*\s*$/, "");
      delete bundle[`${name}.map`];
    }
  },
};

/** Bundles the gateway with its packages, since finding and loading a thousand modules takes half of a start. */
export default defineConfig({
  root,
  publicDir: false,
  plugins: [withoutMapsOfPackages],
  // Apollo Server then hashes by node:crypto, instead of by the JavaScript implementation that it would find in a
  // bundle.
  resolve: { alias: { "@apollo/utils.createhash": "node:crypto" } },
  define: keptCalls,
  build: {
    ssr: true,
    outDir: "../../dist",
    target: "node20",
    sourcemap: true,
    reportCompressedSize: false,
    license: { fileName: "licenses.md" },
    rolldownOptions: {
      input: {
        ...Object.fromEntries(commands.map((name) => [name, `${root}${name}.ts`])),
        main: `${root}gateway/main.ts`,
        "database/embedded-thread": `${root}../engine/database/embedded-thread.js`,
        "media/rewrite-thread": `${root}../platform/media/rewrite-thread.js`,
      },
      output: {
        entryFileNames: "[name].js",
        // In a folder of this name, Node.js does not warn of deprecated functions, which are the packages' concern.
        chunkFileNames: ({ name }) =>
          name.startsWith(packages) ? `node_modules/${packages}-[hash].js` : "chunks/[name]-[hash].js",
        // TypeGraphQL names what has no name of its own after its class.
        keepNames: true,
        sourcemapExcludeSources: true,
        codeSplitting: { groups: [{ name: packages, test: /[\\/]node_modules[\\/]/, entriesAware: true }] },
      },
    },
  },
  ssr: {
    noExternal: true,
    // These packages load files of their own, and so cannot be bundled.
    external: ["sharp", "@electric-sql/pglite"],
  },
});
