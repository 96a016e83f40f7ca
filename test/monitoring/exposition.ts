import type { Gateway } from "../support/harness.js";

/** One value of a metric. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const label = /(\w+)="((?:\\.|[^"\\])*)"/g;

/** The samples in a text of Prometheus' format. */
export function samplesIn(text: string): Sample[] {
  return text.split("\n").flatMap((line) => {
    const [, name, labels = "", value] = /^([a-z_][a-z0-9_]*)(?:\{(.*)\})? (\S+)$/i.exec(line) ?? [];
    if (name === undefined) return [];
    return [
      {
        name,
        labels: Object.fromEntries(Array.from(labels.matchAll(label), ([, key, of]) => [key, of])),
        value: Number(value),
      },
    ];
  });
}

export const metricsOf = async (gateway: Gateway): Promise<Sample[]> =>
  samplesIn(await (await gateway.fetch("/metrics")).text());

/** The sum of a metric, of those samples that have some labels. */
export function sumOf(samples: readonly Sample[], name: string, labels: Record<string, string> = {}): number {
  const wanted = Object.entries(labels);
  return samples
    .filter((each) => each.name === name && wanted.every(([key, of]) => each.labels[key] === of))
    .reduce((sum, { value }) => sum + value, 0);
}
