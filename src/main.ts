import module from "node:module";
import path from "node:path";

// From the second start on, nothing is compiled that was compiled before. The cache lies
// with the program, so that only those can write to it who can change the program; where
// nobody can, there is none, as on Node.js 20.
const { enableCompileCache } = module as typeof module & { enableCompileCache?: (directory: string) => void };
if (import.meta.filename.endsWith(".js"))
  enableCompileCache?.(path.join(import.meta.dirname, "compile-cache"));

await import("./serve.js");
