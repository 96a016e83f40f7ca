import { existsSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { gatewayTestOptions } from "../support/vitest-options.js";
import { haproxyPath, systemdAnalyzePath } from "./programs.js";

const missing = {
  "no gateway is started from the production installation or behind HAProxy": process.env.TEST_DATABASE_URL
    ? []
    : ["TEST_DATABASE_URL is not set"],
  "HAProxy's configuration is not checked": existsSync(haproxyPath)
    ? []
    : [`there is no HAProxy at ${haproxyPath} (HAPROXY_PATH)`],
  "the systemd unit is not checked": existsSync(systemdAnalyzePath)
    ? []
    : [`there is no ${systemdAnalyzePath} (SYSTEMD_ANALYZE_PATH)`],
};
for (const [what, reasons] of Object.entries(missing))
  if (reasons.length > 0) console.warn(`SKIPPED: ${what}: ${reasons.join(", and ")}`);

export default defineConfig({
  ...gatewayTestOptions,
  test: { ...gatewayTestOptions.test, name: "deployment", include: ["test/deployment/*.check.ts"] },
});
