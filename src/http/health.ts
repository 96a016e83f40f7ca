import { Router } from "express";
import type { Database } from "../database/client.js";
import type { Logger } from "../platform/log.js";
import { onlyMethods, readMethods } from "./methods.js";

/** What the health routes look at. */
export interface HealthSources {
  database: Database;
  isDraining: () => boolean;
  /** Whether events of other instances arrive. */
  events: { connection: { transport: string; isConnected: boolean } };
  log: Logger;
}

const patience = 3_000;
/** For how many milliseconds one good look at the database answers everybody. */
const freshness = 1_000;

/** `/healthz`: the process is alive. `/readyz`: it may be sent requests, that is, the database answers and is migrated. */
export function healthRouter({ database, events, isDraining, log }: HealthSources): Router {
  const router = Router();
  let goodUntil = 0;
  const currentFault = async () => {
    if (Date.now() < goodUntil) return undefined;
    const fault = await databaseFault(database, log);
    if (fault === undefined) goodUntil = Date.now() + freshness;
    return fault;
  };
  router.get("/healthz", (_request, response) => void response.json({ status: "ok" }));
  router.get("/readyz", async (_request, response) => {
    const reason = isDraining() ? "shutting down" : await currentFault();
    response.set("cache-control", "no-store");
    const { transport, isConnected } = events.connection;
    // Without events the gateway answers all the same: only subscriptions stand still.
    if (reason === undefined) response.json({ status: "ok", events: { transport, connected: isConnected } });
    else
      response
        .status(503)
        .set("retry-after", "5")
        .json({ status: "error", code: "UNAVAILABLE", message: `Not ready: ${reason}` });
  });
  router.all(["/healthz", "/readyz"], onlyMethods(readMethods));
  return router;
}

async function databaseFault(database: Database, log: Logger): Promise<string | undefined> {
  try {
    const late = new Promise<never>((_resolve, reject) => setTimeout(reject, patience, new Error(`no answer within ${patience} ms`)).unref());
    const { missing } = await Promise.race([database.migrationState(), late]);
    return missing.length === 0 ? undefined : `the database lacks migrations (${missing.join(", ")}); run \`npm run migrate\``;
  } catch (error) {
    log.warn({ err: error }, "the database is not reachable");
    return "the database is not reachable";
  }
}
