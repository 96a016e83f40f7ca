/** The parts of s3rver, which has no types, that tests use. */
declare module "s3rver" {
  import type { Server } from "node:http";

  /** A request on its way through, and its answer. */
  export interface Context {
    method: string;
    /** The sent path and query. */
    url: string;
    host: string;
    query: Record<string, string | undefined>;
    status: number;
    type: string;
    body: unknown;
  }

  export type Middleware = (context: Context, next: () => Promise<void>) => Promise<void>;

  export default class S3rver {
    constructor(options: {
      address: string;
      port: number;
      directory: string;
      silent: boolean;
      configureBuckets: { name: string }[];
    });
    /** The middleware for each request, in order. */
    middleware: Middleware[];
    httpServer: Server;
    run(): Promise<{ port: number }>;
  }
}
