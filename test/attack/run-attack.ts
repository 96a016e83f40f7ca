import { setTimeout as sleep } from "node:timers/promises";
import { megabytes } from "../bench/measured-process.js";
import type { TcpProxy } from "../support/tcp-proxy.js";
import type { Attack } from "./attack-case.js";
import { Attacker } from "./attacker.js";
import type { Probe, ProbeResult, Probes } from "./probes.js";
import { ended, type Target } from "./target.js";

/** The tolerated effects of an attack on others. */
export interface Limits {
  /** The slowest answer of the bystander's. */
  answerMs: number;
}

const maxShareMs = 5_000;
const maxGrowth = 60e6;
const maxPeak = 400e6;
/** The bystander is heard before the attack begins. */
const calmMs = 100;
/** The maximum duration of an attack. */
const attackTimeoutMs = 130_000;
/** The maximum time until temporarily used memory is released, in milliseconds. */
const settleMs = 5_000;

/** The effects of an attack. */
export interface Outcome {
  attack: Attack;
  probes: ProbeResult[];
  /** Growth of heap and external memory after a collection, in bytes. */
  growth: number;
  /** The peak of resident memory above the level before, in bytes. */
  peak: number;
  isAlive: boolean;
  /** The attacker's results. */
  note: string;
  /** The exceeded limits; empty if the gateway withstood the attack. */
  faults: string[];
}

/** The circumstances of an attack. */
export interface AttackRun {
  attack: Attack;
  /** The source address of the attacker's connections. */
  address: string;
  bystander: Probes;
  limits: Limits;
  /** The proxy before the database, if there is one. */
  proxy?: TcpProxy | undefined;
}

/**
 * Runs an attack while a bystander probes, and compares the measurements with the limits.
 */
export async function runAttack(
  target: Target,
  { attack, address, bystander, limits, proxy }: AttackRun,
): Promise<Outcome> {
  const attacker = new Attacker(target, address);
  const start = await attack.prepare(attacker, proxy);
  const before = await target.memory();
  const resident = target.process.memory;
  target.process.resetPeak();
  const finish = bystander.start(target.url, probesDuring(attack, target));
  await sleep(calmMs);
  const { note, fault } = await outcomeOf(start, target);
  const probes = await finish();
  const peak = target.isAlive ? target.process.peak - resident : Number.NaN;
  attacker.close();
  const failure = target.isAlive ? await target.recover() : undefined;
  const growth = target.isAlive ? (await settledMemory(target, before)) - before : Number.NaN;
  const faults = [
    ...(fault ? [fault] : []),
    ...probes.flatMap((probe) => faultsOf(probe, limits)),
    ...(target.isAlive ? [] : ["the process ended"]),
    ...(failure ? [`needs a restart: ${failure}`] : []),
    ...(growth > maxGrowth ? [`keeps ${megabytes(growth)} MB`] : []),
    ...(peak > maxPeak ? [`takes ${megabytes(peak)} MB at its peak`] : []),
  ];
  return { attack, probes, growth, peak, isAlive: target.isAlive, note, faults };
}

function probesDuring({ cutsDatabase, alsoProbed = [] }: Attack, { probes }: Target): Probe[] {
  return [probes.healthz, ...(cutsDatabase ? [] : [probes.query]), ...alsoProbed.map((name) => probes[name])];
}

/**
 * The outcome of an attack. The attack may also fail, take too long, or end the process.
 */
async function outcomeOf(
  start: () => Promise<string>,
  target: Target,
): Promise<{ note: string; fault?: string }> {
  const timer = new AbortController();
  const timeout = sleep(attackTimeoutMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`the attack has not ended after ${attackTimeoutMs / 1000} s`);
  });
  timeout.catch(() => {});
  try {
    const end = ended(target.process, timer.signal).then(() => "");
    return { note: await Promise.race([start(), timeout, end]) };
  } catch (error) {
    return { note: "", fault: (error as Error).message };
  } finally {
    timer.abort();
  }
}

function faultsOf({ name, slowestMs, failures, count, firstFailure }: ProbeResult, limits: Limits): string[] {
  const limit = name === "upload" || name === "export" ? maxShareMs : limits.answerMs;
  return [
    ...(slowestMs > limit ? [`${name} takes ${Math.round(slowestMs)} ms`] : []),
    ...(failures > 0 ? [`${failures} of ${count} ${name} requests fail: ${firstFailure}`] : []),
  ];
}

async function settledMemory(target: Target, before: number): Promise<number> {
  const deadline = performance.now() + settleMs;
  for (;;) {
    const memory = await target.memory();
    if (memory - before <= maxGrowth || performance.now() > deadline) return memory;
    await sleep(500);
  }
}
