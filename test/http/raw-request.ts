import { type IncomingHttpHeaders, request } from "node:http";

/**
 * A request that is sent unchanged; `fetch` would normalize paths and reject some
 * headers.
 */
export interface RawRequest {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** The address that the connection comes from. */
  localAddress?: string;
  /** The maximum time without received data, in milliseconds. */
  maxSilenceMs?: number;
}

export interface RawResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  text: string;
}

/** Sends a request on a new connection. */
export function sendRaw(
  url: string,
  { method = "GET", path, headers = {}, body, localAddress, maxSilenceMs = 0 }: RawRequest,
): Promise<RawResponse> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { hostname, port, method, path, headers, localAddress, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.once("error", reject);
        response.once("end", () => {
          const content = Buffer.concat(chunks);
          resolve({
            status: response.statusCode as number,
            headers: response.headers,
            body: content,
            text: content.toString(),
          });
        });
      },
    );
    outgoing.once("error", reject);
    outgoing.setTimeout(maxSilenceMs, () =>
      outgoing.destroy(new Error(`nothing was received for ${maxSilenceMs / 1000} s`)),
    );
    outgoing.end(body);
  });
}
