import { defineConfig } from "vitest/config";
import { gatewayTestOptions } from "../support/vitest-options.js";
import { pgbouncerPath, readPgbouncerVersion } from "./pgbouncer-version.js";

const missing = [
  ...(process.env.TEST_DATABASE_URL ? [] : ["TEST_DATABASE_URL is not set"]),
  ...(readPgbouncerVersion() ? [] : [`there is no PgBouncer at ${pgbouncerPath} (PGBOUNCER_PATH)`]),
];
if (missing.length > 0)
  console.warn(`SKIPPED: nothing is tested behind PgBouncer: ${missing.join(", and ")}`);

/** Files that need a PostgreSQL server. */
const onServer = ["test/clients/pgbouncer.check.ts"];

const project = (name: string, include: string[], exclude: string[]) => ({
  ...gatewayTestOptions,
  test: {
    ...gatewayTestOptions.test,
    name,
    include,
    exclude,
    // Node.js itself loads the snippets, as in a project that uses the gateway. What
    // Relay compiles is written for a bundler.
    server: { deps: { external: [/\/gateway-snippets-[^/]+\/[^/]+$/] } },
  },
});

export default defineConfig({
  test: {
    projects: [
      project("embedded", ["test/clients/*.check.ts"], onServer),
      ...(missing.length === 0 ? [project("postgresql", onServer, [])] : []),
    ],
  },
});
