import { fileURLToPath } from "node:url";

/** Secrets that gateways under test are given. */
export const testSecrets = {
  AUTH_JWT_SECRET: "test-only-token-secret-0123456789abcdef",
  LINK_SECRET: "test-only-link-secret-0123456789abcdefgh",
  SUPPORT_HASH_SECRET: "test-only-support-secret-0123456789abc",
};

/** The path of a built command, such as `main` or `commands/token`. */
export function builtCommand(name: string): string {
  return fileURLToPath(new URL(`../../dist/${name}.js`, import.meta.url));
}

/** Options of Node.js for a process that ends soon: optimizing the WebAssembly of the embedded database would not pay off. */
export const briefProcess = ["--liftoff-only", "--min-semi-space-size=16"];
