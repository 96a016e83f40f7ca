import { listOf } from "../support/list-of.js";
import { startServer } from "./announce.js";
import type { BenchRun } from "./bench-case.js";
import { ratioFigure } from "./cpu-comparison.js";
import { idKinds, idOf } from "./dataset-ids.js";
import { download, exportPath, exportPeriod } from "./export.js";
import type { HttpRequest } from "./load.js";
import { type GeneratedLoad, LoadGenerator } from "./load-generator.js";
import { median, round } from "./measured-process.js";
import { type Figure, figure } from "./report.js";
import { distinctRequests, get, type RequestCase, requestCaseDefinitions } from "./requests.js";

const kinds = ["O-graphql", "V1"];
const lightKind = "O-graphql";
const connections = 500;
/**
 * Enough connections to find the highest rate, but fewer than the gateway's waiting
 * requests per caller.
 */
const busyConnections = 64;
const secondsToWarmUp = 6;
const secondsToSaturate = 2;
const seconds = 4;

/** A server and the requests to it. */
interface LoadedSide {
  name: string;
  url: string;
  requestsOf: (kind: string) => HttpRequest[];
  /** Expensive requests, by name. */
  heavy: Record<string, HttpRequest>;
}

/**
 * Latency of requests under load, relative to the baseline server, each at a share of its
 * own highest rate: of requests of one kind at most of that rate, and of light requests
 * while a client repeats a heavy one.
 */
export async function benchLatency(run: BenchRun): Promise<Figure[]> {
  const baseline = await startServer("baseline-server", run.database, "10");
  const generator = new LoadGenerator();
  try {
    const sides = [gatewaySide(run), baselineSide(run, baseline.url)] as const;
    for (const side of sides)
      for (const kind of kinds) await saturate(side, kind, generator, secondsToWarmUp);
    const figures: Figure[] = [];
    for (const kind of kinds)
      figures.push(...(await measureUnderLoad(kind, sides, generator, run.repetitions)));
    return [...figures, ...(await measureBesideHeavy(sides, generator, run.repetitions))];
  } finally {
    generator.stop();
    await baseline.stop();
  }
}

type Sides = readonly [gateway: LoadedSide, baseline: LoadedSide];

const pairsOf = (kind: string) =>
  listOf(distinctRequests, (n) => (requestCaseDefinitions[kind] as RequestCase).requestFor(n));

/** The number of alerts in an export. */
const exportedRows = ({ alerts }: BenchRun) => Math.min(20_000, alerts);

function gatewaySide(run: BenchRun): LoadedSide {
  const authorized = (request: HttpRequest) => ({
    ...request,
    headers: { authorization: run.authorization },
  });
  const requestsOf = (kind: string) => pairsOf(kind).map(({ gateway }) => authorized(gateway));
  const heavy = {
    V2: requestsOf("V2")[0] as HttpRequest,
    export: authorized(get(exportPath(run, exportedRows(run)))),
    "statistics-weekly": requestsOf("statistics-weekly")[0] as HttpRequest,
  };
  return { name: "gateway", url: run.gateway.url, requestsOf, heavy };
}

function baselineSide(run: BenchRun, url: string): LoadedSide {
  const requestsOf = (kind: string) => pairsOf(kind).map(({ baseline }) => get(baseline));
  const exported = exportPeriod(run, exportedRows(run)).map((time) => new Date(time).toISOString());
  const heavy = {
    V2: requestsOf("V2")[0] as HttpRequest,
    export: get(["/exported-alerts", idOf(idKinds.workspace, 1), ...exported].join("/")),
    "statistics-weekly": requestsOf("statistics-weekly")[0] as HttpRequest,
  };
  return { name: "baseline", url, requestsOf, heavy };
}

/** Measures the sides in turns. */
async function inTurns<Outcome>(
  sides: Sides,
  repetitions: number,
  measure: (side: LoadedSide) => Promise<Outcome>,
): Promise<[Outcome[], Outcome[]]> {
  const outcomes: [Outcome[], Outcome[]] = [[], []];
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    for (const [index, side] of sides.entries()) outcomes[index]?.push(await measure(side));
  }
  return outcomes;
}

/** Sends as many requests as a side answers. */
const saturate = (
  { url, requestsOf }: LoadedSide,
  kind: string,
  generator: LoadGenerator,
  seconds = secondsToSaturate,
) => generator.send({ url, requests: requestsOf(kind), connections: busyConnections, seconds });

async function measureUnderLoad(
  kind: string,
  sides: Sides,
  generator: LoadGenerator,
  repetitions: number,
): Promise<Figure[]> {
  const outcomes = await inTurns(sides, repetitions, async (side) => {
    const highest = await saturate(side, kind, generator);
    const perSecond = 0.7 * highest.rate;
    return {
      highest,
      load: await generator.send({
        url: side.url,
        requests: side.requestsOf(kind),
        connections,
        seconds,
        perSecond,
      }),
    };
  });
  const [gateway, baseline] = outcomes;
  const ratios = gateway.map(({ load }, repetition) => load.p95 / (baseline[repetition]?.load.p95 as number));
  return [
    ratioFigure(
      `latency: ${kind} at 70 % of the highest rate, ${connections} connections: p95 relative to the baseline`,
      ratios,
      3,
    ),
    ...sides.flatMap(({ name }, index) => {
      const measured = outcomes[index] ?? [];
      const highest = measured.map((each) => each.highest);
      return [
        figure(
          `latency: ${kind}, ${name}: highest rate`,
          Math.round(median(highest.map(({ rate }) => rate))),
          "/s",
        ),
        ...loadFigures(
          `latency: ${kind}, ${name}`,
          measured.map(({ load }) => load),
        ),
        generatorShare(`latency: ${kind}, ${name}, at the highest rate`, highest),
      ];
    }),
  ];
}

async function measureBesideHeavy(
  sides: Sides,
  generator: LoadGenerator,
  repetitions: number,
): Promise<Figure[]> {
  const names = Object.keys(sides[0].heavy);
  const outcomes = await inTurns(sides, repetitions, async (side) => {
    const { rate } = await saturate(side, lightKind, generator);
    const job = {
      url: side.url,
      requests: side.requestsOf(lightKind),
      connections: busyConnections,
      seconds,
      perSecond: 0.2 * rate,
    };
    const loads: Record<string, GeneratedLoad & { heavyPerSecond: number }> = {
      alone: { ...(await generator.send(job)), heavyPerSecond: 0 },
    };
    for (const name of names) {
      const heavy = repeat(side.url, side.heavy[name] as HttpRequest);
      const load = await generator.send(job);
      loads[name] = { ...load, heavyPerSecond: await heavy.stop() };
    }
    return loads;
  });
  const loadsOf = (index: number, name: string) =>
    (outcomes[index] ?? []).map((loads) => loads[name] as (typeof loads)[string]);
  const slowdowns = (index: number, name: string) =>
    loadsOf(index, name).map(
      ({ p95 }, repetition) => p95 / (loadsOf(index, "alone")[repetition]?.p95 as number),
    );
  return [
    ...names.flatMap((name) => {
      const [ofGateway, ofBaseline] = [slowdowns(0, name), slowdowns(1, name)];
      const ratios = ofGateway.map((slowdown, repetition) => slowdown / (ofBaseline[repetition] as number));
      const measured = `latency: ${lightKind} at 20 % of the highest rate, beside ${name}`;
      return [
        ratioFigure(`${measured}: slowdown of p95 relative to that of the baseline`, ratios, 2),
        figure(
          `${measured}: slowdown on the gateway, on the baseline`,
          round(median(ofGateway)),
          `×, ${round(median(ofBaseline))} ×`,
        ),
      ];
    }),
    ...sides.flatMap((side, index) => {
      return ["alone", ...names].flatMap((name) => {
        const loads = loadsOf(index, name);
        const loaded = `latency: ${lightKind}, ${side.name}, ${name === "alone" ? name : `beside ${name}`}`;
        const heavyRate = round(median(loads.map(({ heavyPerSecond }) => heavyPerSecond)));
        return [
          ...loadFigures(loaded, loads),
          ...(name === "alone" ? [] : [figure(`${loaded}: heavy requests`, heavyRate, "/s")]),
        ];
      });
    }),
  ];
}

/**
 * A client that repeats a request until told to stop. Then it waits for the last answer,
 * and reports the number of answers per second.
 */
function repeat(url: string, { path, ...request }: HttpRequest): { stop: () => Promise<number> } {
  const headers = { ...request.headers, "content-type": "application/json" };
  const seconds: number[] = [];
  let isStopped = false;
  const running = (async () => {
    while (!isStopped) seconds.push(await download(url + path, { ...request, headers }));
  })();
  // A failure is thrown when the client is stopped.
  running.catch(() => {});
  return {
    stop: async () => {
      isStopped = true;
      await running;
      return seconds.length / seconds.reduce((sum, each) => sum + each, 0);
    },
  };
}

function loadFigures(name: string, loads: readonly GeneratedLoad[]): Figure[] {
  const medianOf = (part: "rate" | "p50" | "p95" | "p99") => round(median(loads.map((load) => load[part])));
  const latencies = `ms, ${medianOf("p95")} ms, ${medianOf("p99")} ms at ${Math.round(medianOf("rate"))} /s`;
  const refused = loads.reduce((sum, load) => sum + load.refused, 0);
  return [
    figure(`${name}: p50, p95, p99`, medianOf("p50"), latencies),
    ...(refused > 0 ? [figure(`${name}: requests that were not answered`, refused, "", { atMost: 0 })] : []),
  ];
}

const generatorShare = (name: string, loads: readonly GeneratedLoad[]): Figure =>
  figure(
    `${name}: share of a core that sending takes`,
    round(median(loads.map(({ cpuShare }) => cpuShare))),
    "",
  );
