import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { keptCalls } from "../../../platform/kept-calls.js";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "/docs/",
  define: keptCalls,
  build: {
    outDir: fileURLToPath(new URL("../../../../dist/docs", import.meta.url)),
    emptyOutDir: true,
    target: "es2023",
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: fileURLToPath(new URL("docs.tsx", import.meta.url)),
      // The gateway writes the page, which names these files.
      output: {
        entryFileNames: "docs.js",
        assetFileNames: "docs[extname]",
        chunkFileNames: "[name]-[hash].js",
      },
    },
  },
});
