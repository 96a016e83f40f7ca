import module from "node:module";
import path from "node:path";

// Compiled code is kept for the next start, beside the program, so that only those who can change the program can write
// to the cache. Node.js 20 has no such cache.
const { enableCompileCache } = module as typeof module & { enableCompileCache?: (directory: string) => void };
if (import.meta.filename.endsWith(".js"))
  enableCompileCache?.(path.join(import.meta.dirname, "compile-cache"));

await import("./serve.js");
