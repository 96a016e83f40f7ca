import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { testSecrets } from "../support/environment.js";
import type { BenchRun } from "./bench-case.js";
import { ratioFigure, spread } from "./cpu-comparison.js";
import { type MeasuredProcess, median, megabytes, processTimes, round } from "./measured-process.js";
import { type Figure, figure } from "./report.js";
import { startBuild } from "./start-build.js";

/** The time without requests before the memory of a demo is measured, in milliseconds. */
const idleMs = 45_000;

/** A build that is started repeatedly, with its own data directory. */
interface StartedBuild {
  directory: string;
  environment: Record<string, string>;
}

/**
 * The costs of a start: the CPU time of second starts, on a server and with an embedded
 * database, and the memory of an idle demo.
 */
export async function benchStart({
  database,
  otherDatabase,
  otherDirectory,
  repetitions,
}: BenchRun): Promise<Figure[]> {
  const root = mkdtempSync(path.join(tmpdir(), "gateway-bench-start-"));
  const builds = (
    name: string,
    own: Record<string, string>,
    others: Record<string, string> = own,
  ): StartedBuild[] => {
    const build = (directory: string, environment: Record<string, string>, side: string) => ({
      directory,
      environment: {
        ...testSecrets,
        CAMERA_FEED: "off",
        PORT: "0",
        LOG_LEVEL: "warn",
        SHUTDOWN_DELAY: "0",
        ...environment,
        DATA_DIR: path.join(root, `${name}-${side}`),
      },
    });
    return [
      build(".", own, "this"),
      ...(otherDirectory === undefined ? [] : [build(otherDirectory, others, "other")]),
    ];
  };
  try {
    const onServer = { DATABASE_URL: database, NODE_ENV: "production" };
    const server = builds("server", onServer, { ...onServer, DATABASE_URL: otherDatabase ?? database });
    const demo = builds("demo", { DATABASE_URL: "" });
    return [
      ...(await measureCpu("with a server", server, repetitions)),
      ...(await measureMemory("first start", demo)),
      ...(await measureCpu("with the embedded demo", demo, repetitions)),
      ...(await measureMemory("second start", demo)),
    ];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/**
 * Starts the builds in turns. The first start of each is not measured, because it may
 * create and compile files for the later ones.
 */
async function measureCpu(
  name: string,
  builds: readonly StartedBuild[],
  repetitions: number,
): Promise<Figure[]> {
  const times = builds.map((): number[] => []);
  for (let repetition = -1; repetition < repetitions; repetition += 1) {
    for (const [index, build] of builds.entries()) {
      const gateway = await startUntilReady(build);
      if (repetition >= 0) times[index]?.push(processTimes(gateway.child.pid as number).cpu * 1000);
      await gateway.stop();
    }
  }
  const [own = [], others] = times;
  const { low, high } = spread(own);
  const figures = [figure(`start ${name}: CPU until ready`, round(median(own)), `ms (${low} to ${high})`)];
  if (!others) return figures;
  const ratios = own.map((time, repetition) => time / (others[repetition] as number));
  return [...figures, ratioFigure(`start ${name}: CPU until ready, relative to the other build`, ratios)];
}

async function measureMemory(start: string, builds: readonly StartedBuild[]): Promise<Figure[]> {
  const memory: number[] = [];
  for (const build of builds) {
    const gateway = await startUntilReady(build);
    await setTimeout(idleMs);
    memory.push(gateway.memory);
    await gateway.stop();
  }
  const [own = 0, other] = memory.map(megabytes);
  return [
    figure(
      `idle demo, ${start}: memory`,
      own,
      other === undefined ? "MB" : `MB, ${other} MB of the other build`,
      { atMost: 450 },
    ),
  ];
}

async function startUntilReady({ directory, environment }: StartedBuild): Promise<MeasuredProcess> {
  const gateway = await startBuild(directory, environment);
  const { status } = await fetch(`${gateway.url}/readyz`);
  if (status !== 200) throw new Error(`${directory} is not ready: ${status}`);
  return gateway;
}
