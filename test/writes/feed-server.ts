import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { close, listen } from "../support/listening.js";

/** The body that the gateway posts. */
export interface StreamDelivery {
  requestId: string;
  cameraId: string;
  url: string;
  streamType: string | null;
  streamProtocol: string | null;
  callbacks: Record<"thumbnail" | "metadata" | "error", string>;
}

/** A request that the feed server received. */
export interface ReceivedRequest {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: StreamDelivery;
}

/** Responds for the feed server. Never ending the response makes the server hang. */
export type Responder = (response: ServerResponse, delivery: StreamDelivery) => unknown;

export const status =
  (code: number, headers: Record<string, string> = {}): Responder =>
  (response) =>
    response.writeHead(code, headers).end();

export const neverRespond: Responder = () => undefined;

/**
 * A minimal HTTP server that stands in for the feed server. It accepts every stream for
 * which no other responder is set.
 */
export interface FeedServer {
  url: string;
  port: number;
  /** Every request received, in order. */
  received: ReceivedRequest[];
  /** The deliveries for one stream. */
  deliveriesOf(streamUrl: string): StreamDelivery[];
  /** Sets how it responds for one stream from now on. */
  respondWith(streamUrl: string, responder: Responder): void;
  /** Makes it accept every stream from now on. */
  acceptAll(): void;
  close(): Promise<void>;
}

export async function startFeedServer(port = 0): Promise<FeedServer> {
  const received: ReceivedRequest[] = [];
  const responders = new Map<string, Responder>();
  const server = createServer(async (request, response) => {
    const { method, url: path, headers } = request;
    const body = JSON.parse((await text(request)) || "{}") as StreamDelivery;
    received.push({ method, path, headers, body });
    await (responders.get(body.url) ?? status(202))(response, body);
  });
  const used = await listen(server, undefined, port);
  return {
    url: `http://127.0.0.1:${used}/streams`,
    port: used,
    received,
    deliveriesOf: (streamUrl) => received.map(({ body }) => body).filter(({ url }) => url === streamUrl),
    respondWith: (streamUrl, responder) => void responders.set(streamUrl, responder),
    acceptAll: () => responders.clear(),
    close: () => close(server),
  };
}

/** A feed server that closes when the current test ends. */
export async function feedServerForTest(): Promise<FeedServer> {
  const feed = await startFeedServer();
  onTestFinished(() => feed.close());
  return feed;
}

/** A port that nothing listens on. */
export async function freePort(): Promise<number> {
  const { port, close } = await startFeedServer();
  await close();
  return port;
}
