import module from "node:module";
import path from "node:path";

// Beside the program, so that only those who can change it can write to the cache. Node.js 20 has none.
const { enableCompileCache } = module as typeof module & { enableCompileCache?: (directory: string) => void };
if (import.meta.filename.endsWith(".js"))
  enableCompileCache?.(path.join(import.meta.dirname, "compile-cache"));

await import("./serve.js");
