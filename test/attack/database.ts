import { setTimeout as sleep } from "node:timers/promises";
import type { Attack } from "./attack-case.js";
import type { Attacker } from "./attacker.js";

const silenceMs = 45_000;
const recoveryMs = 60_000;
const answerTimeoutMs = 5_000;
/** More than the pool has connections. */
const requestsAtOnce = 40;

/**
 * Whether the gateway soon answers requests that together need all connections of the
 * pool.
 */
async function areAnswered(attacker: Attacker): Promise<boolean> {
  const { query } = attacker.target.probes;
  const request = { ...query, body: Buffer.from(query.body as string, "base64") };
  const send = () => Promise.race([attacker.send(request), sleep(answerTimeoutMs)]);
  const answers = await Promise.all(Array.from({ length: requestsAtOnce }, send));
  return answers.every((answer) => answer?.status === 200);
}

/**
 * Repeats requests until the gateway answers all of them. Returns the number of seconds
 * until then.
 */
async function recovery(attacker: Attacker): Promise<string> {
  const started = performance.now();
  const seconds = () => Math.round((performance.now() - started) / 1000);
  while (!(await areAnswered(attacker))) {
    if (seconds() * 1000 > recoveryMs) throw new Error(`queries are not answered after ${seconds()} s`);
    await sleep(500);
  }
  return `answered after ${seconds()} s`;
}

/** Failures of the network between the gateway and its database. */
export const databaseAttacks: Attack[] = [
  {
    name: "silent-database",
    description:
      "The flows to PostgreSQL vanish without a reset, new ones too for 45 s; then queries are answered within 60 s",
    cutsDatabase: true,
    prepare: async (attacker, proxy) => async () => {
      await areAnswered(attacker);
      proxy?.vanish("all");
      const silent = sleep(silenceMs, "over");
      while ((await Promise.race([silent, areAnswered(attacker)])) !== "over");
      proxy?.restore();
      return recovery(attacker);
    },
  },
  {
    name: "vanished-flows",
    description: "Only the open flows to PostgreSQL vanish without a reset; queries are answered within 60 s",
    cutsDatabase: true,
    prepare: async (attacker, proxy) => async () => {
      await areAnswered(attacker);
      proxy?.vanish("open");
      return recovery(attacker);
    },
  },
];
