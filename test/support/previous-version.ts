import { execFile, execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { mkdir, mkdtemp, readFile, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { sharedTestOptions } from "./vitest-options.js";

const { root } = sharedTestOptions;
const migrations = "prisma/migrations";
const run = promisify(execFile);

/** The latest release before this version, whose code runs on the schema of this one. */
export interface PreviousVersion {
  tag: string;
  /** Its migrations that this version has removed or changed. */
  changedMigrations: string[];
  /** The migrations that were added since. */
  laterMigrations: string[];
}

/**
 * The previous version, by its tag; undefined in a source archive, in a clone without
 * tags and before the first release.
 */
export function findPreviousVersion(): PreviousVersion | undefined {
  const tag = git("describe", "--tags", "--abbrev=0", "--match", "v[0-9]*");
  if (!tag) return undefined;
  const files = git("ls-tree", "-r", "--name-only", tag, "--", migrations)?.split("\n") ?? [];
  const names = new Set(files.map((file) => path.basename(path.dirname(file))));
  const entries = readdirSync(path.join(root, migrations), { withFileTypes: true });
  return {
    tag,
    changedMigrations: (git("diff", "--name-only", "--diff-filter=a", tag, "--", migrations) ?? "")
      .split("\n")
      .filter((name) => name !== ""),
    laterMigrations: entries
      .filter((entry) => entry.isDirectory() && !names.has(entry.name))
      .map(({ name }) => name),
  };
}

/** The output of a git command; undefined if it fails, such as without a repository. */
function git(...parameters: string[]): string | undefined {
  try {
    return execFileSync("git", parameters, {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return undefined;
  }
}

/** Builds the code of a version in a new directory, and returns that. */
export async function buildVersion(tag: string): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "gateway-previous-"));
  const archive = path.join(directory, "source.tar");
  await run("git", ["archive", "--output", archive, tag], { cwd: root });
  const checkout = path.join(directory, "checkout");
  await mkdir(checkout);
  await run("tar", ["-xf", archive, "-C", checkout]);
  if ((await packagesOf(checkout)) === (await packagesOf(root)))
    await symlink(path.join(root, "node_modules"), path.join(checkout, "node_modules"));
  else
    await run("npm", ["ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"], {
      cwd: checkout,
    });
  await run(process.execPath, ["src/commands/prepare.mjs"], { cwd: checkout });
  return checkout;
}

/** The packages in the lock file, without the version of our own. */
async function packagesOf(directory: string): Promise<string> {
  const { packages } = JSON.parse(await readFile(path.join(directory, "package-lock.json"), "utf8"));
  return JSON.stringify({ ...packages, "": { ...packages[""], version: undefined } });
}
