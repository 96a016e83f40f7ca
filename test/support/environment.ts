import path from "node:path";
import { fileURLToPath } from "node:url";

/** Secrets that gateways under test are given. */
export const testSecrets = {
  AUTH_JWT_SECRET: "test-only-token-secret-0123456789abcdef",
  LINK_SECRET: "test-only-link-secret-0123456789abcdefgh",
  SUPPORT_HASH_SECRET: "test-only-support-secret-0123456789abc",
};

const project = fileURLToPath(new URL("../..", import.meta.url));

/**
 * The path of a built command, such as `main` or `commands/token`, of this project or of
 * an installation elsewhere.
 */
export function builtCommand(name: string, installation = project): string {
  return path.join(installation, "dist", `${name}.js`);
}

/**
 * Options of Node.js for a process that ends soon: optimizing the WebAssembly of the
 * embedded database would not pay off.
 */
export const briefProcess = ["--liftoff-only", "--min-semi-space-size=16"];
