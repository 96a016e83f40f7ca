import { askMany } from "./load.js";
import { median, megabytes } from "./process.js";
import type { Figure } from "./report.js";
import { clients, mixedRequests } from "./requests.js";
import type { BenchRun } from "./run.js";

const seconds = 300;
const sampleEvery = 2_000;

/** Memory in five minutes of mixed requests at half of what the gateway can do: the last minute beside the second. */
export async function soak({ gateway, authorization }: BenchRun): Promise<Figure[]> {
  const requests = mixedRequests(authorization);
  await askMany(gateway.url, requests, { clients, amount: 2_000 });
  const { rate } = await askMany(gateway.url, requests, { clients, amount: 2_000 });
  const samples: { second: number; memory: number }[] = [];
  const started = performance.now();
  const sampling = setInterval(() => samples.push({ second: (performance.now() - started) / 1000, memory: gateway.memory }), sampleEvery);
  const load = await askMany(gateway.url, requests, { clients, rate: { perSecond: Math.max(1, Math.round(rate / 2)), seconds } });
  clearInterval(sampling);
  const during = (from: number, to: number) => median(samples.filter(({ second }) => second >= from && second < to).map(({ memory }) => memory));
  const [early, late] = [during(60, 120), during(seconds - 60, seconds)];
  return [
    { name: "Soak, mixed requests a second", value: Math.round(load.rate), unit: "/s" },
    { name: "Soak, memory in the second minute", value: megabytes(early), unit: "MB" },
    { name: "Soak, memory in the fifth minute beside that", value: Math.round((late / early) * 100) / 100, unit: "×", atMost: 1.1 },
  ];
}
