// @ts-check
// Generates and builds what is missing or stale: the Prisma client, the schema and the typed documents in src/generated and
// schema, and the compiled gateway with its pages in dist. Plain JavaScript, because nothing else can run before it.
//   (no option)  what is stale
//   --generate   the generated files, stale or not
//   --fresh      everything, stale or not
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const options = process.argv.slice(2);

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string[]} inputs files and directories that the result depends on
 * @property {string} stamp the file that records the fingerprint of the inputs once the step is done
 * @property {boolean} generates whether --generate includes the step
 * @property {() => void} run
 */

/** @type {Step[]} */
const steps = [
  {
    name: "the Prisma client",
    inputs: ["prisma/schema.prisma", "prisma/prisma.config.ts", "package-lock.json"],
    stamp: "src/generated/.prisma-fingerprint",
    generates: true,
    run: () => execute("prisma", ["generate", "--config", "prisma/prisma.config.ts", "--no-hints"]),
  },
  {
    name: "the schema and the typed documents",
    inputs: ["src", "schema/operations", "prisma/schema.prisma", "codegen.yml", "package-lock.json"],
    stamp: "src/generated/.codegen-fingerprint",
    generates: true,
    run: () => execute("graphql-codegen", ["--config", "codegen.yml", "--silent"]),
  },
  {
    name: "the gateway and its pages",
    inputs: ["src", "prisma/schema.prisma", "tsconfig.json", "schema/operations", "package-lock.json"],
    stamp: "dist/.fingerprint",
    generates: false,
    run: () => {
      rmSync(path.join(root, "dist"), { recursive: true, force: true });
      for (const directory of ["src", "src/console", "src/graphql/playground"])
        execute("vite", ["build", "--config", `${directory}/vite.config.ts`, "--logLevel", "warn"]);
      cpSync(path.join(root, "src", "pages", "favicon.svg"), path.join(root, "dist", "pages", "favicon.svg"));
      cpSync(path.join(root, "src", "rest", "docs"), path.join(root, "dist", "docs"), { recursive: true });
      cpSync(path.join(root, "src", "pages", "pages.css"), path.join(root, "dist", "docs", "pages.css"));
    },
  },
];

for (const step of steps) {
  const isRequested = options.includes("--fresh") || (step.generates && options.includes("--generate"));
  if (!isRequested && (options.includes("--generate") || isFresh(step))) continue;
  process.stdout.write(`Building ${step.name}\n`);
  const stamp = path.join(root, step.stamp);
  rmSync(stamp, { force: true });
  // Computed before the step: a file that is edited meanwhile must make the result stale.
  const inputs = fingerprint(step.inputs);
  step.run();
  mkdirSync(path.dirname(stamp), { recursive: true });
  writeFileSync(stamp, inputs);
}

/** @param {Step} step */
function isFresh(step) {
  const stamp = path.join(root, step.stamp);
  return existsSync(stamp) && readFileSync(stamp, "utf8") === fingerprint(step.inputs);
}

/** @param {string[]} inputs */
function fingerprint(inputs) {
  const hash = createHash("sha256");
  for (const file of inputs.flatMap(filesBelow).sort())
    hash
      .update(`${file}\0`)
      .update(readFileSync(path.join(root, file)))
      .update("\0");
  return hash.digest("hex");
}

/**
 * @param {string} name
 * @returns {string[]}
 */
function filesBelow(name) {
  const file = path.join(root, name);
  if (!existsSync(file) || name === "src/generated") return [];
  if (!statSync(file).isDirectory()) return [name];
  return readdirSync(file).flatMap((entry) => filesBelow(`${name}/${entry}`));
}

/**
 * @param {string} command
 * @param {string[]} parameters
 */
function execute(command, parameters) {
  const binary = path.join(root, "node_modules", ".bin", command);
  if (!existsSync(binary)) {
    process.stderr.write("The build is missing or stale, and the development dependencies that it needs are not installed. Run `npm install`.\n");
    process.exit(1);
  }
  try {
    execFileSync(binary, parameters, { cwd: root, stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, PRISMA_HIDE_UPDATE_MESSAGE: "1" } });
  } catch (error) {
    const { stdout, stderr } = /** @type {{ stdout?: Buffer, stderr?: Buffer }} */ (error);
    process.stderr.write(`${stdout ?? ""}${stderr ?? ""}\n${command} failed\n`);
    process.exit(1);
  }
}
