import { Router } from "express";
import type { Database } from "../database/client.js";
import type { ReplacedTimeZone } from "../database/time-zones.js";
import type { Logger } from "../platform/telemetry/log.js";
import { methodNotAllowed, readMethods } from "./methods.js";

/** What the health routes check. */
export interface HealthDependencies {
  database: Database;
  isDraining: () => boolean;
  /** Whether events of other instances are received. */
  events: { connection: { transport: string; isConnected: boolean } };
  /** Whether tokens can be verified. */
  tokens: { isReady: () => boolean };
  log: Logger;
}

const checkTimeoutMs = 3_000;
const timeZonesTimeoutMs = 500;
/** How long a successful check of the database is reused. */
const cacheMs = 1_000;

/**
 * `/healthz`: the process is alive. `/readyz`: it can serve requests, that is, the
 * database is reachable, migrated and readable, and the keys to verify tokens with have
 * been fetched.
 */
export function healthRouter({ database, events, tokens, isDraining, log }: HealthDependencies): Router {
  const router = Router();
  let healthyUntil = 0;
  let timeZones: ReplacedTimeZone[] = [];
  const schemaIssue = schemaCheck(database, log);
  const currentIssue = async () => {
    if (isDraining()) return "shutting down";
    if (!tokens.isReady()) return "the identity provider's keys could not be fetched yet";
    if (Date.now() < healthyUntil) return undefined;
    const issue = await databaseIssue(schemaIssue, log);
    if (issue === undefined) {
      timeZones = await timeZonesOf(database, timeZones);
      healthyUntil = Date.now() + cacheMs;
    }
    return issue;
  };
  router.get("/healthz", (_request, response) => void response.json({ status: "ok" }));
  router.get("/readyz", async (_request, response) => {
    const reason = await currentIssue();
    response.set("cache-control", "no-store");
    const { transport, isConnected } = events.connection;
    // Without events the gateway is still ready: only subscriptions stop.
    if (reason === undefined) {
      response.json({
        status: "ok",
        events: { transport, connected: isConnected },
        ...(timeZones.length > 0 && { timeZones }),
      });
    } else {
      response
        .status(503)
        .set("retry-after", "5")
        .json({ status: "error", code: "UNAVAILABLE", message: `Not ready: ${reason}` });
    }
  });
  router.all(["/healthz", "/readyz"], methodNotAllowed(readMethods));
  return router;
}

/**
 * The time zones that are not known. A node of a cluster may be away, which this must not
 * wait for: then those that were found last.
 */
async function timeZonesOf(database: Database, known: ReplacedTimeZone[]): Promise<ReplacedTimeZone[]> {
  const timeout = new Promise<ReplacedTimeZone[]>((resolve) =>
    setTimeout(resolve, timeZonesTimeoutMs, known).unref(),
  );
  return Promise.race([database.replacedTimeZones().catch(() => known), timeout]);
}

async function databaseIssue(
  schemaIssue: () => Promise<string | undefined>,
  log: Logger,
): Promise<string | undefined> {
  try {
    const timeout = new Promise<never>((_resolve, reject) =>
      setTimeout(reject, checkTimeoutMs, new Error(`no response within ${checkTimeoutMs} ms`)).unref(),
    );
    return await Promise.race([schemaIssue(), timeout]);
  } catch (error) {
    log.warn({ err: error }, "the database is not reachable or refuses statements");
    return "the database is not reachable or refuses statements";
  }
}

function schemaCheck(database: Database, log: Logger): () => Promise<string | undefined> {
  let logged = "";
  return async () => {
    const { missing, later } = await database.migrationState();
    // While instances are upgraded one after the other, the earlier ones go on with the
    // schema of the later ones.
    const laterNames = later.join(", ");
    if (laterNames !== "" && laterNames !== logged)
      log.info(`the database has migrations of a later version (${laterNames})`);
    logged = laterNames;
    if (missing.length > 0)
      return `the database lacks migrations (${missing.join(", ")}); run \`npm run migrate\``;
    const unreadable = await database.unreadableTables();
    return unreadable.length === 0
      ? undefined
      : `the gateway's role may not read all tables of the database (${unreadable.join(", ")}); grant it SELECT`;
  };
}
