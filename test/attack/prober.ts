import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Probe, ProbeResult } from "./probes.js";

/**
 * A client in a separate process, so that it measures the gateway and not the attacker.
 * Repeats each probe until told to stop, then sends its results.
 */
const agents = new Map<string, Agent>();
const timeoutMs = 60_000;
let isRunning = false;

process.on(
  "message",
  async (message: { start: { url: string; localAddress: string; probes: Probe[] } } | "stop") => {
    if (message === "stop") {
      isRunning = false;
      return;
    }
    isRunning = true;
    const { url, localAddress, probes } = message.start;
    const results = await Promise.all(probes.map((probe) => repeat(probe, url, localAddress)));
    process.send?.(results);
  },
);
process.on("disconnect", () => process.exit(0));

async function repeat(probe: Probe, url: string, localAddress: string): Promise<ProbeResult> {
  const times: number[] = [];
  const failures: string[] = [];
  const slowest = { time: 0, at: 0 };
  do {
    const at = Date.now();
    const started = performance.now();
    const failure = await send(probe, url, localAddress);
    const time = performance.now() - started;
    if (failure) failures.push(failure);
    if (time > slowest.time) Object.assign(slowest, { time, at });
    times.push(time);
    await sleep(Math.max(0, probe.intervalMs - time));
  } while (isRunning);
  const sorted = times.toSorted((one, other) => one - other);
  return {
    name: probe.name,
    count: times.length,
    slowestMs: slowest.time,
    slowestAt: slowest.at,
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] as number,
    failures: failures.length,
    ...(failures[0] !== undefined && { firstFailure: failures[0] }),
  };
}

/** Sends a request. Returns the faults of the answer. */
function send(probe: Probe, url: string, localAddress: string): Promise<string | undefined> {
  const { hostname, port } = new URL(url);
  const agent = probe.keepsConnection ? agentFor(probe.name) : false;
  return new Promise((resolve) => {
    const outgoing = request(
      {
        hostname,
        port,
        method: probe.method,
        path: probe.path,
        headers: probe.headers,
        localAddress,
        agent,
        timeout: timeoutMs,
      },
      (response) => {
        let head = "";
        response.on("data", (chunk: Buffer) => {
          if (head.length < 200) head += chunk.toString("latin1");
        });
        response.once("error", (error) => resolve(error.message));
        response.once("end", () =>
          resolve(response.statusCode === 200 ? undefined : `${response.statusCode}: ${head.slice(0, 200)}`),
        );
      },
    );
    outgoing.once("timeout", () => outgoing.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
    outgoing.once("error", (error) => resolve(error.message));
    outgoing.end(probe.body === undefined ? undefined : Buffer.from(probe.body, "base64"));
  });
}

function agentFor(name: string): Agent {
  const known = agents.get(name) ?? new Agent({ keepAlive: true, maxSockets: 1 });
  agents.set(name, known);
  return known;
}
