import "reflect-metadata";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { subgraphSchema } from "../../src/api/graphql/schema.js";
import { SeededRandom } from "../../src/programs/demo/seeded-random.js";
import { Probes } from "../attack/probes.js";
import type { MeasuredProcess } from "../bench/measured-process.js";
import { sendRaw } from "../http/raw-request.js";
import { writeTotals } from "../support/totals.js";
import { compareAnswers } from "./compare-answers.js";
import type { FuzzGenerator } from "./fuzz-case.js";
import { startFuzzGateway, worldOf } from "./fuzz-gateway.js";
import { graphqlRequests } from "./graphql-documents.js";
import { mcpMessages } from "./mcp-messages.js";
import { multipartBodies } from "./multipart-bodies.js";
import { type OpenApiDocument, restRequests, strangePaths } from "./rest-requests.js";
import { socketMessages } from "./socket-messages.js";

/** Sends generated requests of all kinds to a running gateway, and checks its answers. */
const { values: options } = parseArgs({
  options: {
    runs: { type: "string", default: "2000" },
    /** The same seed generates the same requests. */
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    /** The number of the only request to send: those before it are not sent. */
    only: { type: "string" },
    /**
     * The number of documents to run in all ways, comparing the answers. Sends no
     * requests to the built gateway then.
     */
    differential: { type: "string" },
    /** The file for the totals as JSON. */
    report: { type: "string" },
  },
});
const runs = countOf("runs", 1);
const seed = countOf("seed", 0);
const only = options.only === undefined ? undefined : countOf("only", 0);
const parallelism = 4;
const baselineMs = 2_000;
const maxShownFailures = 20;

/** A case that was sent. */
interface Sent {
  number: number;
  kind: string;
  text: string;
  from: number;
  to: number;
  fault: string | undefined;
}

console.log(`Seed ${seed}`);
if (options.differential !== undefined) {
  const totals = await compareAnswers({ count: countOf("differential", 1), seed, only });
  if (options.report) writeTotals(options.report, totals);
  process.exit(totals.numFailedTests > 0 ? 1 : 0);
}
const started = performance.now();
const secondsSince = (time: number) => Math.round((performance.now() - time) / 1000);
const directory = mkdtempSync(path.join(tmpdir(), "gateway-fuzz-"));
const probes = new Probes("127.0.0.1");
const failures: string[] = [];
let failedCases = 0;
try {
  const gateway = await startFuzzGateway(directory);
  const logged = errorsLoggedBy(gateway);
  const document = JSON.parse(
    (await sendRaw(gateway.url, { path: "/openapi.json" })).text,
  ) as OpenApiDocument;
  const generators: [[kind: string, generate: FuzzGenerator], weight: number][] = [
    [["REST", restRequests(document)], 40],
    [["path", strangePaths], 5],
    [["GraphQL", graphqlRequests(subgraphSchema())], 35],
    [["multipart", multipartBodies], 10],
    [["WebSocket", socketMessages(subgraphSchema())], 10],
    [["MCP", mcpMessages], 15],
  ];
  const world = await worldOf(gateway.url, directory);
  const baseline = await measure(gateway.url, () => sleep(baselineMs));
  const sent: Sent[] = [];
  console.log(`The gateway was started in ${secondsSince(started)} s`);
  let next = only ?? 0;
  const end = only === undefined ? runs : only + 1;
  const measured = await measure(gateway.url, async () => {
    const sendNext = async () => {
      while (next < end && gateway.child.exitCode === null && gateway.child.signalCode === null) {
        const number = next++;
        // Each case has its own generator of random numbers, so that it can be sent
        // alone.
        const random = new SeededRandom(seed * 1_000_003 + number);
        const [kind, generate] = random.weighted(generators);
        const { text, run } = generate(random, world);
        const from = Date.now();
        const fault = await run(gateway.url);
        sent.push({ number, kind, text, from, to: Date.now(), fault });
      }
    };
    await Promise.all(Array.from({ length: parallelism }, sendNext));
  });
  for (const { number, kind, text, fault } of sent.filter((each) => each.fault !== undefined)) {
    failedCases += 1;
    failures.push(`${kind} (--seed ${seed} --only ${number}): ${fault}\n${text}`);
  }
  // Statements of the embedded database run in the process itself.
  const limit = Math.max(3_000, 10 * baseline.p99Ms);
  if (measured.slowestMs > limit) {
    const meanwhile = sent.filter(
      ({ from, to }) => from <= measured.slowestAt + measured.slowestMs && to >= measured.slowestAt,
    );
    const longest = meanwhile.sort((one, other) => other.to - other.from - (one.to - one.from)).slice(0, 4);
    const suspects = longest.map(
      ({ number, from, to, text }) => `--only ${number} took ${to - from} ms: ${text.slice(0, 1_000)}`,
    );
    failures.push(
      `Another client waited ${Math.round(measured.slowestMs)} ms for /healthz (at most ${Math.round(limit)} ms). Meanwhile:\n${suspects.join("\n\n")}`,
    );
  }
  if (measured.failures > 0)
    failures.push(`Another client got no good answer from /healthz: ${measured.firstFailure}`);
  for (const [line, count] of logged)
    failures.push(`The gateway logged an error, ${count} ×: ${line.slice(0, 2_000)}`);
  const isAlive = gateway.child.exitCode === null && gateway.child.signalCode === null;
  if (!isAlive) failures.push("The process ended");
  console.log(
    `${sent.length} cases after ${secondsSince(started)} s; /healthz took ${Math.round(measured.slowestMs)} ms at most, ${Math.round(baseline.p99Ms)} ms (p99) before`,
  );
  if (isAlive) await gateway.stop();
} finally {
  probes.close();
  rmSync(directory, { recursive: true, force: true });
}
for (const failure of failures.slice(0, maxShownFailures)) console.log(`\n${failure}`);
if (failures.length > maxShownFailures) console.log(`\nand ${failures.length - maxShownFailures} more`);
const numPassedTests = (only === undefined ? runs : 1) - failedCases;
const totals = { numPassedTests, numFailedTests: failures.length };
if (options.report) writeTotals(options.report, totals);
console.log(`\n${totals.numPassedTests} passed, ${totals.numFailedTests} failed`);
process.exit(failures.length > 0 ? 1 : 0);

/** An option that is a whole number, at least this one. */
function countOf(name: "runs" | "seed" | "only" | "differential", least: number): number {
  const value = Number(options[name]);
  if (Number.isSafeInteger(value) && value >= least) return value;
  console.error(`--${name} takes a whole number of at least ${least}, not ${options[name]}`);
  process.exit(2);
}

/** The results of another client while a function runs. */
async function measure(url: string, during: () => Promise<unknown>) {
  const finish = probes.start(url, [
    { name: "healthz", method: "GET", path: "/healthz", headers: {}, intervalMs: 20, keepsConnection: true },
  ]);
  await during();
  const [result] = await finish();
  if (!result) throw new Error("Nothing was measured");
  return result;
}

/**
 * The lines of the gateway's log that report errors, in order: the first of each kind,
 * with the number of its kind.
 */
function errorsLoggedBy(gateway: MeasuredProcess): Map<string, number> {
  const firstByKind = new Map<string, string>();
  const counts = new Map<string, number>();
  createInterface({ input: gateway.child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
    if (!/"level":"(?:error|fatal)"/.test(line)) return;
    const { msg, err } = JSON.parse(line) as { msg: string; err?: { message?: string } };
    const kind = `${msg}: ${err?.message}`;
    const first = firstByKind.get(kind) ?? line;
    firstByKind.set(kind, first);
    counts.set(first, (counts.get(first) ?? 0) + 1);
  });
  return counts;
}
