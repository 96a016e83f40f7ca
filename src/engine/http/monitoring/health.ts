import { Router } from "express";
import type { Logger } from "../../../platform/telemetry/log.js";
import type { Database } from "../../database/client.js";
import type { ReplacedTimeZone } from "../../database/time-zones.js";
import { methodNotAllowed, readMethods } from "../methods.js";

interface HealthDependencies {
  database: Database;
  /** Throws while DATA_DIR cannot be written. */
  checkDirectory: () => Promise<void>;
  isDraining: () => boolean;
  events: { connection: { transport: string; isConnected: boolean } };
  tokens: { isReady: () => boolean };
  /** Who opens the streams of cameras, and how many seconds of some are kept. */
  feed: { mode: "builtin"; ringSeconds: number } | { mode: "off"; reason: string };
  log: Logger;
}

const checkTimeoutMs = 3_000;
const timeZonesTimeoutMs = 500;
/** The lifetime of a successful check of the database. */
const cacheMs = 1_000;

/**
 * `/healthz`: the process is alive. `/readyz`: the process can serve requests. The database must be reachable, migrated
 * and readable, DATA_DIR writable, and the keys for verifying tokens must have been fetched.
 */
export function healthRouter({
  database,
  checkDirectory,
  events,
  tokens,
  feed,
  isDraining,
  log,
}: HealthDependencies): Router {
  const router = Router();
  let healthyUntil = 0;
  let timeZones: ReplacedTimeZone[] = [];
  const schemaIssue = schemaCheck(database, log);
  const currentIssue = async () => {
    if (isDraining()) return "shutting down";
    if (!tokens.isReady()) return "the identity provider's keys could not be fetched yet";
    if (Date.now() < healthyUntil) return undefined;
    const issue =
      (await issueOf(schemaIssue, "the database is not reachable or refuses statements", log)) ??
      (await issueOf(checkDirectory, "DATA_DIR cannot be written", log));
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
    // The gateway is ready even without events: only subscriptions stop.
    if (reason === undefined) {
      response.json({
        status: "ok",
        events: { transport, connected: isConnected },
        feed,
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

/** The unknown time zones; while a cluster node is down, the last known ones. */
async function timeZonesOf(database: Database, known: ReplacedTimeZone[]): Promise<ReplacedTimeZone[]> {
  const timeout = new Promise<ReplacedTimeZone[]>((resolve) =>
    setTimeout(resolve, timeZonesTimeoutMs, known).unref(),
  );
  return Promise.race([database.replacedTimeZones().catch(() => known), timeout]);
}

/** The issue that a check finds, or the given one if it fails or gets no answer. */
async function issueOf(
  check: () => Promise<string | undefined> | Promise<void>,
  failure: string,
  log: Logger,
): Promise<string | undefined> {
  try {
    const timeout = new Promise<never>((_resolve, reject) =>
      setTimeout(reject, checkTimeoutMs, new Error(`no response within ${checkTimeoutMs} ms`)).unref(),
    );
    return (await Promise.race([check(), timeout])) ?? undefined;
  } catch (error) {
    log.warn({ err: error }, failure);
    return failure;
  }
}

function schemaCheck(database: Database, log: Logger): () => Promise<string | undefined> {
  let logged = "";
  return async () => {
    const { missing, later } = await database.migrationState();
    // During a rolling upgrade, instances of the earlier version work with the schema of the later one.
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
