import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createBenchDatabase } from "../bench/dataset.js";
import { megabytes } from "../bench/measured-process.js";
import { hasFfmpeg } from "../feed/switched-camera.js";
import { TcpProxy } from "../support/tcp-proxy.js";
import { writeTotals } from "../support/totals.js";
import { answerAttacks } from "./answers.js";
import { assistantAttacks } from "./assistants.js";
import type { Attack } from "./attack-case.js";
import { bodyAttacks } from "./bodies.js";
import { cameraAttacks } from "./cameras.js";
import { connectionAttacks } from "./connections.js";
import { databaseAttacks } from "./database.js";
import { deletionAttacks } from "./deletions.js";
import { detectionAttacks } from "./detections.js";
import { documentAttacks } from "./documents.js";
import { federationAttacks } from "./federation.js";
import { pictureAttacks } from "./pictures.js";
import { Probes } from "./probes.js";
import { type Outcome, runAttack } from "./run-attack.js";
import { shareAttacks } from "./shares.js";
import { signInAttacks } from "./sign-in.js";
import { bystanderAddress, Target } from "./target.js";

/** Attacks a running gateway, and measures the effects on another client. */
const attacks: Attack[] = [
  ...documentAttacks,
  ...federationAttacks,
  ...bodyAttacks,
  ...pictureAttacks,
  ...answerAttacks,
  ...shareAttacks,
  ...connectionAttacks,
  ...(hasFfmpeg ? cameraAttacks : []),
  ...assistantAttacks,
  ...detectionAttacks,
  ...signInAttacks,
  ...deletionAttacks,
  ...databaseAttacks,
];

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    /**
     * Only some of the attacks, and with patience for a machine that does other things as
     * well: for CI.
     */
    short: { type: "boolean", default: false },
    database: {
      type: "string",
      default: process.env.TEST_DATABASE_URL ?? "postgresql://postgres@127.0.0.1:5432/postgres",
    },
    /** The file for the totals as JSON. */
    report: { type: "string" },
  },
});
const names = options.only?.split(",");
const unknown = names?.filter((name) => !attacks.some((attack) => attack.name === name)) ?? [];
if (unknown.length > 0)
  throw new Error(
    `Unknown attacks: ${unknown.join(", ")}; there are ${attacks.map(({ name }) => name).join(", ")}`,
  );
const selected = attacks.filter(({ name, isShort }) =>
  names ? names.includes(name) : isShort || !options.short,
);

const size = {
  facilities: 20,
  camerasPerFacility: 20,
  rulesPerCamera: 2,
  alerts: 60_000,
  days: 90,
  pointsPerPolygon: 4,
};
/** For gateways with an embedded database, which is filled for each attack. */
const embeddedSize = { ...size, facilities: 2, camerasPerFacility: 2, alerts: 8_000 };
const baselineMs = 3_000;

const directory = mkdtempSync(path.join(tmpdir(), "gateway-attack-"));
const database = await createBenchDatabase(options.database);
const probes = new Probes(bystanderAddress);
const outcomes: Outcome[] = [];
const running: Target[] = [];
try {
  const target = await Target.prepare(directory, size, database.url);
  running.push(target);
  await target.start();
  const baseline = await measureBaseline(target);
  const limits = {
    answerMs: Math.max(options.short ? 2_000 : 500, ...baseline.map(({ p99Ms }) => 10 * p99Ms)),
  };
  console.log(
    baseline
      .map(
        ({ name, p99Ms, slowestMs }) =>
          `Without an attack ${name} takes ${milliseconds(p99Ms)} (p99), ${milliseconds(slowestMs)} at most.`,
      )
      .join("\n"),
  );
  console.log(`Each answer may take ${milliseconds(limits.answerMs)}.\n`);
  console.log(
    "| Attack | Slowest answers | Kept | Peak | Alive | What came of it |\n|---|---|---|---|---|---|",
  );
  for (const [index, attack] of selected.entries()) {
    const proxy = attack.cutsDatabase ? await TcpProxy.open(database.url) : undefined;
    // On a gateway that one attack has damaged, the next attack would prove nothing.
    if (proxy || (outcomes.at(-1)?.faults.length ?? 0) > 0) await target.start(proxy);
    const outcome = await runAttack(attack.isEmbedded ? await startEmbedded() : target, {
      attack,
      address: `127.0.1.${index + 1}`,
      bystander: probes,
      limits,
      proxy,
    });
    outcomes.push(outcome);
    console.log(rowOf(outcome));
    if (proxy) {
      await target.start();
      await proxy.disconnect();
    }
  }
} finally {
  for (const target of running) await target.stop();
  probes.close();
  await database.drop();
  rmSync(directory, { recursive: true, force: true });
}
const failed = outcomes.filter(({ faults }) => faults.length > 0);
for (const { attack, faults } of failed)
  console.log(`\n${attack.name} (${attack.description}):\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
const totals = { numPassedTests: outcomes.length - failed.length, numFailedTests: failed.length };
if (options.report) writeTotals(options.report, totals);
console.log(`\n${totals.numPassedTests} passed, ${totals.numFailedTests} failed`);
process.exit(failed.length > 0 ? 1 : 0);

/** Starts a gateway with an embedded database. */
async function startEmbedded(): Promise<Target> {
  const target = await Target.prepare(mkdtempSync(path.join(directory, "embedded-")), embeddedSize);
  running.push(target);
  await target.start();
  return target;
}

/** The bystander's results without an attack. */
async function measureBaseline(target: Target) {
  const finish = probes.start(target.url, [target.probes.healthz, target.probes.query]);
  await sleep(baselineMs);
  return finish();
}

function rowOf({ attack, probes, growth, peak, isAlive, note, faults }: Outcome): string {
  const answers = probes.map(({ name, slowestMs }) => `${name} ${milliseconds(slowestMs)}`).join(", ");
  const memory = (bytes: number) => (Number.isNaN(bytes) ? "–" : `${megabytes(bytes)} MB`);
  const result = faults.length > 0 ? `FAILED: ${note}` : note;
  return `| ${attack.name} | ${answers} | ${memory(growth)} | ${memory(peak)} | ${isAlive ? "yes" : "no"} | ${result} |`;
}

function milliseconds(time: number): string {
  return `${Math.round(time)} ms`;
}
