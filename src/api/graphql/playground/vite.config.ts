import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { keptCalls } from "../../../platform/kept-calls.js";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "/graphql/",
  define: keptCalls,
  build: {
    outDir: fileURLToPath(new URL("../../../../dist/playground", import.meta.url)),
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Monaco cannot be split into smaller chunks.
    chunkSizeWarningLimit: 4096,
    rolldownOptions: {
      input: fileURLToPath(new URL("page.html", import.meta.url)),
      // Hundreds of modules contain "use client", which has no effect here.
      checks: { moduleLevelDirective: false },
    },
  },
  worker: { format: "es" },
});
