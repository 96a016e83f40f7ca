import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { readEnvironment } from "../../src/engine/settings/environment.js";
import { createApp } from "../../src/programs/gateway/app.js";
import { testSecrets } from "../support/environment.js";
import type { Totals } from "../support/totals.js";
import { Differential } from "./differential.js";

/** The compared cases: a number of cases from 0 on, or only one. */
interface Comparison {
  count: number;
  seed: number;
  only: number | undefined;
}

const maxMs = 10 * 60_000;
const maxDifferences = 20;

/**
 * Starts a gateway with the demo fleet in this process, on an embedded database or on the
 * empty, migrated one at DATABASE_URL. Compares the answers to generated documents until
 * all are compared, or for ten minutes.
 */
export async function compareAnswers({ count, seed, only }: Comparison): Promise<Totals> {
  const directory = mkdtempSync(path.join(tmpdir(), "gateway-differential-"));
  const settings = {
    DATABASE_URL: process.env.DATABASE_URL,
    DATA_DIR: directory,
    PORT: "0",
    LOG_LEVEL: "error",
    SHUTDOWN_DELAY: "0",
    RATE_LIMIT: "off",
    SEED: "demo",
    DEMO_LIVE: "off",
    CAMERA_FEED: "off",
    FEDERATION: "on",
  };
  const now = new Date();
  const statements: string[] = [];
  try {
    const app = await createApp(readEnvironment({ ...testSecrets, ...settings }), {
      now: () => now,
      onStatement: (sql) => statements.push(sql),
    });
    const differential = await Differential.prepare(
      { app, prisma: app.database.prisma, statements, now },
      seed,
    );
    const startedAt = performance.now();
    const first = only ?? 0;
    const end = only === undefined ? count : only + 1;
    let number = first;
    let differences = 0;
    for (
      ;
      number < end && differences < maxDifferences && performance.now() - startedAt < maxMs;
      number += 1
    ) {
      const difference = await differential.compare(number);
      if (difference === undefined) continue;
      differences += 1;
      console.log(`\n${difference}`);
    }
    if (number < end) console.log(`\nStopped before case ${number} of ${end}`);
    console.log(`\n${JSON.stringify(differential.counts)}`);
    console.log(
      `${number - first - differences} passed, ${differences} failed, after ${Math.round((performance.now() - startedAt) / 1000)} s`,
    );
    differential.close();
    await app.close();
    return { numPassedTests: number - first - differences, numFailedTests: differences };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
