import autocannon from "autocannon";

/** A request as it is sent. */
export interface AskedRequest {
  method: "GET" | "POST";
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** How a number of requests went. Times are in milliseconds. */
export interface Load {
  /** Requests a second. */
  rate: number;
  p50: number;
  p99: number;
}

/** Sends so many requests over so many connections, each sending the next when the last was answered; all must be answered well. */
export async function askMany(
  url: string,
  requests: readonly AskedRequest[],
  { clients, amount, rate }: { clients: number; amount?: number; rate?: { perSecond: number; seconds: number } },
): Promise<Load> {
  const perClient = Math.ceil(requests.length / clients);
  let connected = 0;
  const result = await autocannon({
    url,
    connections: clients,
    ...(amount && { amount }),
    ...(rate && { overallRate: rate.perSecond, duration: rate.seconds }),
    timeout: 60,
    setupClient: (client) => {
      const own = requests.slice(connected * perClient, (connected + 1) * perClient);
      connected += 1;
      client.setRequests(
        (own.length > 0 ? own : requests).map((each) => ({ ...each, headers: { "content-type": "application/json", ...each.headers } })),
      );
    },
  });
  if (result.errors > 0 || result.non2xx > 0) throw new Error(`${url}: ${result.errors} requests failed, ${result.non2xx} were refused`);
  const { total } = result.requests;
  return { rate: total / result.duration, p50: result.latency.p50, p99: result.latency.p99 };
}
