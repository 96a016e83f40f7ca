import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { createApiKey } from "../support/factories.js";
import { ownGateway } from "../support/harness.js";
import { ownDirectory } from "../support/temporary-directory.js";

/** A version, since npm would choose an old one for an old version of Node.js. */
const inspector = "@modelcontextprotocol/inspector@2.12.0";
const run = promisify(execFile);

/** Why the inspector is not here; undefined if it is. */
let missing: string | undefined;

const directory = await ownDirectory();
// Installed for this check alone: it brings a hundred packages that nothing else needs.
const install = ["install", "--no-audit", "--no-fund", "--ignore-scripts", inspector];
await run("npm", [...install, "--prefix", directory], { timeout: 300_000 }).catch((error) => {
  if (!/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|E5\d\d/.test(String(error.stderr))) throw error;
  missing = String(error.stderr).slice(0, 300);
});
const gateway = await ownGateway({ seed: "demo" });
const { id: workspaceId } = await gateway.prisma.workspace.findFirstOrThrow();
const { key } = await createApiKey(gateway.prisma, {
  workspaceId,
  permissions: ["facilities:read", "cameras:read", "alerts:read"],
});

async function inspect(...method: string[]): Promise<{ [name: string]: unknown }> {
  const program = path.join(directory, "node_modules/.bin/mcp-inspector");
  const server = [`${gateway.url}/mcp`, "--transport", "http"];
  const header = ["--header", `Authorization: Bearer ${key}`];
  const { stdout } = await run(program, ["--cli", ...server, ...method, ...header], { timeout: 60_000 });
  return JSON.parse(stdout);
}

test("the command line of the MCP Inspector lists tools and calls one", async ({ skip }) => {
  if (missing) {
    console.warn(
      `SKIPPED: the MCP Inspector cannot be installed, since the registry is unreachable: ${missing}`,
    );
    skip();
  }
  const { tools } = await inspect("--method", "tools/list");
  expect((tools as { name: string }[]).map(({ name }) => name)).toContain("list_alerts");
  const call = ["--method", "tools/call", "--tool-name", "find_facilities", "--tool-arg", "name=istanbul"];
  expect(await inspect(...call)).toMatchObject({
    structuredContent: { items: [{ time_zone: "Europe/Istanbul", cameras: 6 }] },
  });
}, 120_000);
