import autocannon from "autocannon";

/** An HTTP request to send. */
export interface HttpRequest {
  method: "GET" | "POST";
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** The result of a load run; times in milliseconds. */
export interface LoadResult {
  /** Requests per second. */
  rate: number;
  p50: number;
  p99: number;
}

/**
 * Sends requests over parallel connections, one request at a time on each. Throws if a
 * request fails.
 */
export async function sendRequests(
  url: string,
  requests: readonly HttpRequest[],
  { connections, amount }: { connections: number; amount: number },
): Promise<LoadResult> {
  const requestsPerConnection = Math.ceil(requests.length / connections);
  let connectionCount = 0;
  const result = await autocannon({
    url,
    connections,
    amount,
    timeout: 60,
    setupClient: (client) => {
      const clientRequests = requests.slice(
        connectionCount * requestsPerConnection,
        (connectionCount + 1) * requestsPerConnection,
      );
      connectionCount += 1;
      client.setRequests(
        (clientRequests.length > 0 ? clientRequests : requests).map((each) => ({
          ...each,
          headers: { "content-type": "application/json", ...each.headers },
        })),
      );
    },
  });
  if (result.errors > 0 || result.non2xx > 0)
    throw new Error(`${url}: ${result.errors} requests failed, ${result.non2xx} had an error status`);
  if (result["2xx"] < amount)
    throw new Error(`${url}: only ${result["2xx"]} of ${amount} requests were answered`);
  const { total } = result.requests;
  return { rate: total / result.duration, p50: result.latency.p50, p99: result.latency.p99 };
}
