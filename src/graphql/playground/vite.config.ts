import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "/graphql/",
  build: {
    outDir: fileURLToPath(new URL("../../../dist/playground", import.meta.url)),
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Monaco is one large chunk and has to be.
    chunkSizeWarningLimit: 4096,
    rolldownOptions: {
      input: fileURLToPath(new URL("page.html", import.meta.url)),
      // "use client" means nothing here, and hundreds of modules carry it.
      checks: { moduleLevelDirective: false },
    },
  },
  worker: { format: "es" },
});
