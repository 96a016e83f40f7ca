// @ts-check
// Generates and builds missing or stale files: the Prisma client, the schema and the
// typed documents in src/generated and schema, docs/settings.md, and the compiled gateway
// with its pages in dist. Plain JavaScript, because nothing else can run before these files
// exist.
//
//   (no option)  stale files
//   --sources    files that the sources import, if stale; the types of documents may stay
//                stale, because tests do not need them
//   --generate   the generated files, stale or not
//   --fresh      everything, stale or not
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const options = process.argv.slice(2);

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string[]} inputs files and directories that the result depends on
 * @property {string[]} [other] parts of these directories that the result does not depend
 * on
 * @property {string[]} [required] the inputs without which no source can run; all by
 * default
 * @property {string} stamp the file for the fingerprints of the inputs after the step
 * @property {boolean} generates whether the step generates sources
 * @property {() => void} run
 */

/** What all pages are made of. */
const sharedByPages = [
  "src/console",
  "src/platform/pages",
  "src/features/alert/english-alert-types.ts",
  "src/features/alert/german-alert-types.ts",
  "src/features/alert-rule/alert-kind.ts",
  "src/features/camera/stream-url.ts",
  "src/programs/commands/prepare.mjs",
  "src/platform/kept-calls.ts",
  "src/platform/text/code-words.ts",
  "src/platform/geometry.ts",
  "src/platform/text/language.ts",
  "src/platform/text/text-direction.ts",
];

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
    inputs: [
      "src",
      "src/programs/connectors/operations",
      "schema/operations",
      "prisma/schema.prisma",
      "codegen.yml",
      "package-lock.json",
    ],
    required: ["src/programs/connectors/operations", "schema/operations", "codegen.yml", "package-lock.json"],
    stamp: "src/generated/.codegen-fingerprint",
    generates: true,
    run: () => execute("graphql-codegen", ["--config", "codegen.yml"], {}, syntaxErrors),
  },
  {
    name: "docs/settings.md",
    inputs: [
      "src/engine/settings",
      "src/programs/guides/settings-guide.ts",
      "src/platform",
      "package-lock.json",
    ],
    required: [],
    stamp: "src/generated/.settings-fingerprint",
    generates: true,
    run: () => execute("tsx", ["src/programs/guides/settings-guide.ts"]),
  },
  {
    name: "the gateway",
    inputs: ["src", "prisma/schema.prisma", "tsconfig.json", "schema/operations", "package-lock.json"],
    other: ["src/console", "src/api/graphql/playground", "src/api/rest/docs"],
    stamp: "dist/.gateway-fingerprint",
    generates: false,
    run: () => {
      const made = existsSync(path.join(root, "dist")) ? readdirSync(path.join(root, "dist")) : [];
      // Tests start gateways with the pages while this runs.
      for (const name of made.filter((each) => !["console", "playground", "docs", "pages"].includes(each)))
        rmSync(path.join(root, "dist", name), { recursive: true });
      bundle("src/programs");
      for (const [source, built] of Object.entries({
        "src/platform/pages/favicon.svg": "dist/pages/favicon.svg",
        "src/programs/demo/pictures": "dist/demo/pictures",
        "src/programs/demo/stream": "dist/demo/stream",
      }))
        cpSync(path.join(root, source), path.join(root, built), { recursive: true });
    },
  },
  {
    name: "the console",
    inputs: [...sharedByPages, "tsconfig.json", "package-lock.json"],
    stamp: "dist/console/.fingerprint",
    generates: false,
    run: () => {
      bundle("src/console");
      compressAssets("dist/console/assets");
    },
  },
  {
    name: "the playground",
    inputs: [...sharedByPages, "src/api/graphql/playground", "tsconfig.json", "package-lock.json"],
    stamp: "dist/playground/.fingerprint",
    generates: false,
    run: () => {
      bundle("src/api/graphql/playground");
      compressAssets("dist/playground/assets");
    },
  },
  {
    name: "the REST page",
    inputs: [...sharedByPages, "src/api/rest/docs", "tsconfig.json", "package-lock.json"],
    stamp: "dist/docs/.fingerprint",
    generates: false,
    run: () => bundle("src/api/rest/docs"),
  },
];

for (const step of steps) {
  if (!isDue(step)) continue;
  process.stdout.write(`Building ${step.name}\n`);
  const stamp = path.join(root, step.stamp);
  rmSync(stamp, { force: true });
  // Compute the fingerprints before the step: editing a file meanwhile must make the
  // result stale.
  const inputs = fingerprints(step);
  step.run();
  mkdirSync(path.dirname(stamp), { recursive: true });
  writeFileSync(stamp, inputs.join("\n"));
}

/** @param {Step} step */
function isDue(step) {
  if (options.includes("--fresh")) return true;
  if (options.includes("--generate")) return step.generates;
  if (options.includes("--sources")) return step.generates && !isFresh(step, step.required);
  return !isFresh(step);
}

/** @param {Step} step */
function isFresh(step, inputs = step.inputs) {
  const stamp = path.join(root, step.stamp);
  if (!existsSync(stamp)) return false;
  const known = readFileSync(stamp, "utf8").split("\n");
  return fingerprints(step, inputs).every((each) => known.includes(each));
}

/**
 * A line for each input.
 * @param {Step} step
 */
function fingerprints({ inputs, other = [] }, chosen = inputs) {
  return chosen.map((input) => {
    const hash = createHash("sha256");
    for (const file of filesBelow(input, ["src/generated", ...other]).sort())
      hash
        .update(`${file}\0`)
        .update(readFileSync(path.join(root, file)))
        .update("\0");
    return `${hash.digest("hex")} ${input}`;
  });
}

/**
 * @param {string} name
 * @param {string[]} other
 * @returns {string[]}
 */
function filesBelow(name, other) {
  const file = path.join(root, name);
  if (!existsSync(file) || other.includes(name)) return [];
  if (!statSync(file).isDirectory()) return [name];
  return readdirSync(file).flatMap((entry) => filesBelow(`${name}/${entry}`, other));
}

/** The documents that are no GraphQL, with the lines: codegen names neither. */
function syntaxErrors() {
  const { parse, Source } = createRequire(import.meta.url)("graphql");
  const documents = ["schema/operations", "src/console", "src/programs/connectors/operations"]
    .flatMap((directory) => filesBelow(directory, []))
    .filter((name) => name.endsWith(".graphql"));
  return documents
    .map((name) => {
      try {
        parse(new Source(readFileSync(path.join(root, name), "utf8"), name));
        return "";
      } catch (error) {
        return `${error}\n\n`;
      }
    })
    .join("");
}

/** @param {string} directory */
function bundle(directory) {
  // Tests also build, in an environment of their own. Pages would get the React for
  // development, which is half as large again.
  const environment = { NODE_ENV: "production" };
  execute("vite", ["build", "--config", `${directory}/vite.config.ts`, "--logLevel", "warn"], environment);
}

/**
 * Compresses the files of a page beside themselves. Done once, it may take longer than for
 * each browser: the first view is sent in 8 % fewer bytes.
 * @param {string} directory
 */
function compressAssets(directory) {
  const parameters = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  for (const name of readdirSync(path.join(root, directory))) {
    const file = path.join(root, directory, name);
    const compressed = brotliCompressSync(readFileSync(file), { params: parameters });
    if (compressed.length < statSync(file).size) writeFileSync(`${file}.br`, compressed);
  }
}

/**
 * @param {string} command
 * @param {string[]} parameters
 * @param {Record<string, string>} environment
 * @param {() => string} explain What the command does not say of its failure.
 */
function execute(command, parameters, environment = {}, explain = () => "") {
  const binary = path.join(root, "node_modules", ".bin", command);
  if (!existsSync(binary)) {
    process.stderr.write(
      "The build is missing or stale, and the development dependencies that it needs are not installed. Run `npm install`.\n",
    );
    process.exit(1);
  }
  try {
    execFileSync(binary, parameters, {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...environment, PRISMA_HIDE_UPDATE_MESSAGE: "1" },
    });
  } catch (error) {
    const { stdout, stderr } = /** @type {{ stdout?: Buffer, stderr?: Buffer }} */ (error);
    process.stderr.write(`${stdout ?? ""}${stderr ?? ""}\n${explain()}${command} failed\n`);
    process.exit(1);
  }
}
