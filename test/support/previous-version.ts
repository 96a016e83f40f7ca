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
  version: string;
  commit: string;
  /** Its migrations that this version has removed or changed. */
  changedMigrations: string[];
  /** The migrations that were added since. */
  laterMigrations: string[];
}

/**
 * The previous version: that of the newest commit before this one whose subject begins with
 * "Release" and a version. Undefined in a source archive, in a clone whose history does not
 * reach back to it, and before the first release.
 */
export function findPreviousVersion(): PreviousVersion | undefined {
  // On the commit of a release, the previous one is the release before it.
  const subjects = git("log", "--format=%h %s", "--grep=^Release [0-9]", "HEAD~1") ?? "";
  const [, commit, version] = /^(\w+) Release (\d+\.\d+\.\d+)\b/m.exec(subjects) ?? [];
  if (!commit || !version) return undefined;
  const files = git("ls-tree", "-r", "--name-only", commit, "--", migrations)?.split("\n") ?? [];
  const names = new Set(files.map((file) => path.basename(path.dirname(file))));
  const entries = readdirSync(path.join(root, migrations), { withFileTypes: true });
  return {
    version,
    commit,
    changedMigrations: (git("diff", "--name-only", "--diff-filter=a", commit, "--", migrations) ?? "")
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

/** Builds the code of a commit in a new directory, and returns that. */
export async function buildVersion(commit: string): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "gateway-previous-"));
  const archive = path.join(directory, "source.tar");
  await run("git", ["archive", "--output", archive, commit], { cwd: root });
  const checkout = path.join(directory, "checkout");
  await mkdir(checkout);
  await run("tar", ["-xf", archive, "-C", checkout]);
  const [packages, own] = [await packagesOf(checkout), await packagesOf(root)];
  if (Object.entries(packages).every(([name, each]) => own[name] === each))
    await symlink(path.join(root, "node_modules"), path.join(checkout, "node_modules"));
  else
    await run("npm", ["ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"], {
      cwd: checkout,
    });
  await run("npm", ["run", "--silent", "prestart"], { cwd: checkout });
  return checkout;
}

/** The packages in the lock file but ours, by their places. */
async function packagesOf(directory: string): Promise<Record<string, string>> {
  const { packages } = JSON.parse(await readFile(path.join(directory, "package-lock.json"), "utf8"));
  const { "": _, ...others } = packages as Record<string, { version: string; integrity?: string }>;
  return Object.fromEntries(
    Object.entries(others).map(([name, { version, integrity }]) => [name, `${version} ${integrity}`]),
  );
}
