import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { listOf } from "../support/list-of.js";
import { measureInTurns, Side } from "./cpu-comparison.js";
import { createEmbeddedDatabase, type DatasetSize } from "./dataset.js";
import { sendRequests } from "./load.js";
import { type MeasuredProcess, median, megabytes } from "./measured-process.js";
import { batchRecorder, rowsPerBatch } from "./record.js";
import { type Figure, figure, table } from "./report.js";
import { distinctRequests, gatewayRequest, sideFigures } from "./requests.js";
import { startBuild } from "./start-build.js";

/** The cases that are measured with an embedded database. */
export const embeddedCases = ["P", "L", "V1", "T", "statistics-weekly", "record"];

/** Requests per repetition. */
const requestCount = 20;

interface EmbeddedRun {
  size: DatasetSize;
  repetitions: number;
  cases: readonly string[];
  /** The settings of the gateway, without the database. */
  environment: Record<string, string> & { DATA_DIR: string };
  authorization: string;
}

/**
 * One process with the database inside: its start, memory and disk space, and the costs
 * of requests and recorded alerts.
 */
export async function measureEmbedded({ size, cases, environment, ...run }: EmbeddedRun): Promise<Figure[]> {
  const directory = path.join(environment.DATA_DIR, `embedded-${size.alerts}`);
  console.error(`Loading ${size.alerts} alerts`);
  await createEmbeddedDatabase(directory, size);
  const name = `embedded, ${size.alerts} alerts`;
  const figures: Figure[] = [figure(`${name}: disk space`, megabytes(sizeOf(directory)), "MB")];
  const gateway = await startBuild(".", {
    ...environment,
    DATABASE_URL: "",
    DATA_DIR: directory,
    SEED: "none",
  });
  try {
    figures.push(figure(`${name}: start until ready`, gateway.startTime, "ms"));
    const idle = gateway.memory;
    for (const each of cases) figures.push(...(await measure(`${name}, ${each}`, each, gateway, run)));
    figures.push(
      figure(`${name}: memory when idle, afterwards`, megabytes(idle), `MB, ${megabytes(gateway.memory)} MB`),
    );
  } finally {
    await gateway.stop();
  }
  console.error(table(figures));
  return figures;
}

async function measure(
  name: string,
  kind: string,
  gateway: MeasuredProcess,
  { authorization, repetitions }: Pick<EmbeddedRun, "authorization" | "repetitions">,
): Promise<Figure[]> {
  if (kind === "record") {
    const record = batchRecorder(authorization);
    const side = new Side(gateway, [], () => record(gateway, 1));
    await measureInTurns([side], { units: rowsPerBatch, repetitions });
    return [
      side.cpuFigure(`${name}: CPU per alert`),
      figure(
        `${name}: alerts per second in batches of ${rowsPerBatch}`,
        Math.round(median(side.outcomes)),
        "/s",
      ),
    ];
  }
  const requests = listOf(distinctRequests, (n) => ({
    ...gatewayRequest(kind, n),
    headers: { authorization },
  }));
  // One request after the other, since the database runs one statement after the other.
  const side = new Side(gateway, [], () =>
    sendRequests(gateway.url, requests, { connections: 1, amount: requestCount }),
  );
  await measureInTurns([side], { units: requestCount, repetitions });
  return sideFigures(name, side);
}

/** The bytes of the files in a directory. */
function sizeOf(directory: string): number {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.reduce((sum, file) => sum + statSync(path.join(file.parentPath, file.name)).size, 0);
}
