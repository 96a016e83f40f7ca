import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** What the gateway posts. */
export interface StreamDelivery {
  requestId: string;
  cameraId: string;
  url: string;
  streamType: string | null;
  streamProtocol: string | null;
  callbacks: Record<"thumbnail" | "metadata" | "error", string>;
}

/** A request as the feed server got it. */
export interface Arrival {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: StreamDelivery;
}

/** How the feed server answers; one that never ends the response hangs. */
export type Answer = (response: ServerResponse, delivery: StreamDelivery) => unknown;

export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(code, headers).end();

export const hang: Answer = () => undefined;

/** A real little server in the feed server's place. It takes every stream but those for which another answer was set. */
export interface FeedServer {
  url: string;
  port: number;
  /** Everything that arrived, in that order. */
  arrivals: Arrival[];
  /** The deliveries of one stream. */
  of(streamUrl: string): StreamDelivery[];
  /** Sets how it answers of one stream, from now on. */
  answer(streamUrl: string, answer: Answer): void;
  /** Makes it take every stream from now on. */
  takeAll(): void;
  close(): Promise<void>;
}

export async function startFeedServer(port = 0): Promise<FeedServer> {
  const arrivals: Arrival[] = [];
  const answers = new Map<string, Answer>();
  const server = createServer(async (request, response) => {
    const { method, url: path, headers } = request;
    const body = JSON.parse((await text(request)) || "{}") as StreamDelivery;
    arrivals.push({ method, path, headers, body });
    await (answers.get(body.url) ?? status(202))(response, body);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}/streams`,
    port: address.port,
    arrivals,
    of: (streamUrl) => arrivals.map(({ body }) => body).filter(({ url }) => url === streamUrl),
    answer: (streamUrl, answer) => void answers.set(streamUrl, answer),
    takeAll: () => answers.clear(),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A feed server that ends with the running test. */
export async function feedServerForTest(port?: number): Promise<FeedServer> {
  const feed = await startFeedServer(port);
  onTestFinished(() => feed.close());
  return feed;
}

/** A port at which nobody listens. */
export async function freePort(): Promise<number> {
  const { port, close } = await startFeedServer();
  await close();
  return port;
}
