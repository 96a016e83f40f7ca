import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { close, listen, portOf } from "../support/listening.js";

/** A post to a receiver. */
export interface Post {
  path: string;
  headers: IncomingHttpHeaders;
  /** The body as received, and parsed. */
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of all types
  body: any;
  at: number;
}

/** Responds for a receiver. Never ending the response makes the receiver hang. */
export type Respond = (response: ServerResponse, post: Post) => unknown;

export const respondWith =
  (code: number, headers: Record<string, string> = {}): Respond =>
  (response) =>
    response.writeHead(code, headers).end();

/** A server for webhooks. Accepts posts on paths without a responder. */
export class WebhookReceiver {
  readonly posts: Post[] = [];
  readonly #responders = new Map<string, Respond>();
  readonly #waiting = new Set<() => void>();

  private constructor(private readonly server: Server) {}

  static async start(port = 0): Promise<WebhookReceiver> {
    const server = createServer();
    const receiver = new WebhookReceiver(server);
    server.on("request", async (request, response) => {
      const body = await text(request);
      const post = {
        path: request.url ?? "",
        headers: request.headers,
        text: body,
        body: JSON.parse(body),
        at: performance.now(),
      };
      receiver.posts.push(post);
      await (receiver.#responders.get(post.path) ?? respondWith(204))(response, post);
      for (const look of receiver.#waiting) look();
    });
    await listen(server, undefined, port);
    return receiver;
  }

  /** A receiver that closes when the running test ends. */
  static async forTest(port?: number): Promise<WebhookReceiver> {
    const receiver = await WebhookReceiver.start(port);
    onTestFinished(() => receiver.close());
    return receiver;
  }

  get port(): number {
    return portOf(this.server);
  }

  url(path = "/"): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** Sets how it responds on a path from now on. */
  on(path: string, respond: Respond): void {
    this.#responders.set(path, respond);
  }

  at(path: string): Post[] {
    return this.posts.filter((post) => post.path === path);
  }

  /** Waits until a number of posts has arrived on a path, answered or not. */
  async received(count: number, path?: string): Promise<Post[]> {
    const arrived = () => (path === undefined ? this.posts : this.at(path));
    while (arrived().length < count) {
      await new Promise<void>((resolve) => {
        const look = () => {
          this.#waiting.delete(look);
          resolve();
        };
        this.#waiting.add(look);
      });
    }
    return arrived();
  }

  close(): Promise<void> {
    return close(this.server);
  }
}
