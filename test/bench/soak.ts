import type { BenchRun } from "./bench-case.js";
import { sendRequests } from "./load.js";
import { median, megabytes } from "./measured-process.js";
import type { Figure } from "./report.js";
import { connections, mixedRequests } from "./requests.js";

const seconds = 300;
const sampleIntervalMs = 2_000;

/**
 * Memory growth over five minutes of mixed requests at half of the maximum rate: the last
 * minute compared with the second.
 */
export async function soak({ gateway, authorization }: BenchRun): Promise<Figure[]> {
  const requests = mixedRequests(authorization);
  await sendRequests(gateway.url, requests, { connections, amount: 2_000 });
  const { rate } = await sendRequests(gateway.url, requests, { connections, amount: 2_000 });
  const samples: { second: number; memory: number }[] = [];
  const started = performance.now();
  const sampling = setInterval(
    () => samples.push({ second: (performance.now() - started) / 1000, memory: gateway.memory }),
    sampleIntervalMs,
  );
  const load = await sendRequests(gateway.url, requests, {
    connections,
    rate: { perSecond: Math.max(1, Math.round(rate / 2)), seconds },
  });
  clearInterval(sampling);
  const medianBetween = (from: number, to: number) =>
    median(samples.filter(({ second }) => second >= from && second < to).map(({ memory }) => memory));
  const [early, late] = [medianBetween(60, 120), medianBetween(seconds - 60, seconds)];
  return [
    { name: "Soak, mixed requests per second", value: Math.round(load.rate), unit: "/s" },
    { name: "Soak, memory in the second minute", value: megabytes(early), unit: "MB" },
    {
      name: "Soak, memory in the fifth minute relative to the second",
      value: Math.round((late / early) * 100) / 100,
      unit: "×",
      atMost: 1.1,
    },
  ];
}
