// @ts-check
// Makes what is generated and built, where it is missing or stale: the Prisma client, the schema and the typed documents
// below src/generated and schema, and the compiled gateway with its pages below dist. Plain JavaScript, because it
// is what makes the rest runnable.
//   (nothing)    what is stale
//   --generate   the generated files, whether stale or not
//   --fresh      everything, whether stale or not
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const options = process.argv.slice(2);

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string[]} inputs files and folders that the result depends on
 * @property {string} stamp where the fingerprint of the inputs is kept once the result is there
 * @property {boolean} generates whether --generate asks for it
 * @property {() => void} make
 */

/** @type {Step[]} */
const steps = [
  {
    name: "the Prisma client",
    inputs: ["prisma/schema.prisma", "prisma/prisma.config.ts", "package-lock.json"],
    stamp: "src/generated/.prisma-fingerprint",
    generates: true,
    make: () => run("prisma", ["generate", "--config", "prisma/prisma.config.ts", "--no-hints"]),
  },
  {
    name: "the schema and the typed documents",
    inputs: ["src", "schema/operations", "prisma/schema.prisma", "codegen.yml", "package-lock.json"],
    stamp: "src/generated/.codegen-fingerprint",
    generates: true,
    make: () => run("graphql-codegen", ["--config", "codegen.yml", "--silent"]),
  },
  {
    name: "the gateway and its pages",
    inputs: ["src", "prisma/schema.prisma", "tsconfig.json", "schema/operations", "package-lock.json"],
    stamp: "dist/.fingerprint",
    generates: false,
    make: () => {
      rmSync(path.join(root, "dist"), { recursive: true, force: true });
      // Types are checked by `npm run check`: a newcomer's first start need not wait for that.
      run("tsc", ["-p", "tsconfig.json", "--noCheck"]);
      run("vite", ["build", "--config", "src/graphql/playground/vite.config.ts", "--logLevel", "warn"]);
      const docs = path.join(root, "dist", "docs");
      mkdirSync(docs, { recursive: true });
      copyFileSync(path.join(root, "node_modules", "rapidoc", "dist", "rapidoc-min.js"), path.join(docs, "rapidoc-min.js"));
    },
  },
];

for (const step of steps) {
  const wanted = options.includes("--fresh") || (step.generates && options.includes("--generate"));
  if (!wanted && (options.includes("--generate") || isFresh(step))) continue;
  process.stdout.write(`Making ${step.name}\n`);
  const stamp = path.join(root, step.stamp);
  rmSync(stamp, { force: true });
  // Taken before: what is edited while it is made must be made again.
  const made = fingerprint(step.inputs);
  step.make();
  mkdirSync(path.dirname(stamp), { recursive: true });
  writeFileSync(stamp, made);
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
function run(command, parameters) {
  const executable = path.join(root, "node_modules", ".bin", command);
  if (!existsSync(executable)) {
    process.stderr.write("What is built is missing or stale, and the development packages that build it are not installed. Run `npm install`.\n");
    process.exit(1);
  }
  try {
    execFileSync(executable, parameters, { cwd: root, stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, PRISMA_HIDE_UPDATE_MESSAGE: "1" } });
  } catch (error) {
    const { stdout, stderr } = /** @type {{ stdout?: Buffer, stderr?: Buffer }} */ (error);
    process.stderr.write(`${stdout ?? ""}${stderr ?? ""}\n${command} failed\n`);
    process.exit(1);
  }
}
